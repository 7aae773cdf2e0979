import { decodePercent } from './encodings.ts';
import { REDACTED, type Scrubbed } from './marker.ts';
import { isSecretName } from './secret-names.ts';

/** A URL inside any text: scheme, then everything up to a blank, a quote or an angle bracket. */
const URL_PATTERN = /([A-Za-z][A-Za-z0-9+.-]{0,30}:\/\/)([^\s"'`<>\0]+)/g;

/**
 * `scheme://user:password@` whatever the password holds, quotes and slashes included. What stands behind the colon
 * must not look like a port.
 */
const USER_AND_PASSWORD = /([A-Za-z][A-Za-z0-9+.-]{0,30}:\/\/)([^\s@/"'`<>[\]:]{0,128}:(?!\d{1,5}(?:\D|$))[^\s@]{1,256})@/g;

/** Query parameters that carry a secret although their name doesn't say so by {@link isSecretName}. */
const SECRET_PARAMETERS =
  /^(?:key|sig|signature|auth|code|hash|ticket|vncticket|session|sid|jwt|otp|pin|pw|user:?pass|x-(?:amz|goog)-(?:signature|credential|security-token)|awsaccesskeyid|pveauthcookie)$/i;

function scrubParameters(query: string): Scrubbed {
  let redacted = 0;
  const text = query.replace(/([^&;=?#]+)=([^&;#]*)/g, (pair, name: string, value: string) => {
    const plainName = decodePercent(name);
    if (value === '' || value.startsWith(REDACTED) || !(SECRET_PARAMETERS.test(plainName) || isSecretName(plainName)))
      return pair;
    redacted += 1;
    return `${name}=${REDACTED}`;
  });
  return { text, redacted };
}

/** Web hooks whose path is the credential. */
const SECRET_PATHS: readonly RegExp[] = [
  /^(hooks\.slack\.com\/(?:services|workflows)\/).+/i,
  /^((?:[\w-]+\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/).+/i,
  /^(api\.telegram\.org\/(?:file\/)?bot)[^/?#]+/i,
  /^([\w.-]*\.webhook\.office\.com\/webhook[^/]*\/).+/i,
];

/** How much of a URL without its scheme is user information, `@` included. */
function userInfoLength(rest: string): number {
  const authorityEnd = rest.search(/[/?#]/);
  return (authorityEnd < 0 ? rest : rest.slice(0, authorityEnd)).lastIndexOf('@') + 1;
}

/**
 * Strips user information (`http://user:password@host`), secret-looking query parameters and secret web hook paths from
 * every URL in a text. A bare user name stays for schemes where it isn't a credential (`ssh://root@host`).
 */
export function scrubUrls(text: string): Scrubbed {
  if (!text.includes('://')) return { text, redacted: 0 };
  let redacted = 0;
  const withoutPasswords = text.replace(USER_AND_PASSWORD, (match, scheme: string, info: string) => {
    if (info.endsWith(REDACTED)) return match;
    redacted += 1;
    return `${scheme}${REDACTED}@`;
  });
  const out = withoutPasswords.replace(URL_PATTERN, (url, scheme: string, rest: string) => {
    let tail = rest;
    let prefix = '';
    const length = userInfoLength(tail);
    if (length > 0) {
      const info = tail.slice(0, length - 1);
      const bareUser = !/[:%]/.test(info) && !/^https?:/i.test(scheme);
      if (info !== '' && info !== REDACTED && !bareUser) {
        // An `@` in a password that was hidden above: the rest of the same value
        if (!info.startsWith(REDACTED)) redacted += 1;
        prefix = `${REDACTED}@`;
        tail = tail.slice(length);
      }
    }
    for (const pattern of SECRET_PATHS) {
      const hidden = tail.replace(pattern, `$1${REDACTED}`);
      if (hidden !== tail) {
        redacted += 1;
        tail = hidden;
        break;
      }
    }
    const queryStart = tail.search(/[?#]/);
    if (queryStart >= 0) {
      const query = scrubParameters(tail.slice(queryStart));
      redacted += query.redacted;
      tail = tail.slice(0, queryStart) + query.text;
    }
    return prefix === '' && tail === rest ? url : scheme + prefix + tail;
  });
  return { text: out, redacted };
}
