import { decodeBase64Text, encodeBase64Text } from './encodings.ts';
import { REDACTED, type Scrubbed } from './marker.ts';
import { redactPropertyString } from './property-string.ts';
import { scrubFreeText } from './scrub-text.ts';

function scrubPart(text: string): Scrubbed {
  const free = scrubFreeText(text);
  let redacted = free.redacted;
  // Seeds such as `ds=nocloud;s=http://host/path?token`: a query says nothing that an administrator needs.
  const withoutQuery = free.text.replace(
    /([A-Za-z][\w+.-]{0,30}:\/\/[^\s?#;,]{0,1024})[?#](?!\[redacted\])[^\s;,]+/g,
    (_match, url: string) => {
      redacted += 1;
      return `${url}?${REDACTED}`;
    },
  );
  const withoutCredentials = withoutQuery.replace(
    /(io\.systemd\.credential[\w.]{0,32}:[^=:\s]{0,128}[=:])(?!\[redacted\])(\S+)/g,
    (_match, name: string) => {
      redacted += 1;
      return name + REDACTED;
    },
  );
  return { text: withoutCredentials, redacted };
}

/**
 * Cleans a guest's `smbios1` (`uuid=..,serial=..,base64=1`): URL credentials and queries, systemd credentials. With
 * `base64=1` every part but the uuid is decoded, cleaned and encoded again, so that the string keeps its form.
 */
export function scrubSmbios(text: string): Scrubbed {
  if (!/(?:^|,)base64=1(?:,|$)/.test(text)) {
    const parts = scrubPart(text);
    const named = redactPropertyString(parts.text);
    return { text: named.text, redacted: parts.redacted + named.redacted };
  }
  let redacted = 0;
  const parts = text.split(',').map((part) => {
    const equals = part.indexOf('=');
    const name = part.slice(0, equals);
    if (equals < 0 || name === 'uuid' || name === 'base64') return part;
    const decoded = decodeBase64Text(part.slice(equals + 1));
    if (decoded === undefined) return part;
    const result = scrubPart(decoded);
    if (result.redacted === 0) return part;
    redacted += result.redacted;
    return `${name}=${encodeBase64Text(result.text)}`;
  });
  return redacted === 0 ? { text, redacted } : { text: parts.join(','), redacted };
}
