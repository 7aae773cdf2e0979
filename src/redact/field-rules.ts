import { scrubConfigText } from './config-text.ts';
import { decodeBase64Text, decodePercent, encodeBase64Text } from './encodings.ts';
import { REDACTED, type Scrubbed } from './marker.ts';
import { isFlag, redactPropertyString } from './property-string.ts';
import { redactArgs } from './qemu-args.ts';
import { scrubFreeText } from './scrub-text.ts';
import { isSecretName } from './secret-names.ts';
import { scrubSmbios } from './smbios.ts';
import { summarizeSshKeys } from './ssh-keys.ts';

/** Counts one or more hidden values at the place that is being looked at. */
export type Hide = (count?: number) => void;

/**
 * What to do with the value of one known field. Gives the value to show, the same reference where nothing had to be
 * hidden, or {@link DROPPED}.
 */
export type FieldRule = (value: unknown, hide: Hide) => unknown;

/** The field is left out: it is not secret, only too big to be of use (the PEM of a certificate). */
export const DROPPED: unique symbol = Symbol('dropped');

/** Empty values and switches (`0`, `1`, `yes`, null) say whether something is set and stay readable. */
function isUnset(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    typeof value === 'boolean' ||
    value === 0 ||
    value === 1 ||
    (typeof value === 'string' && isFlag(value))
  );
}

/** Hides a whole value, at any depth below it; structure, empty values and switches stay. */
export function hideAll(value: unknown, hide: Hide, depth = 0): unknown {
  if (value === REDACTED || isUnset(value)) return value;
  if (depth < 32) {
    if (Array.isArray(value)) return value.map((item: unknown) => hideAll(item, hide, depth + 1));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hideAll(item, hide, depth + 1)]));
    }
  }
  hide();
  return REDACTED;
}

/** The field as such is secret. */
export const secret: FieldRule = (value, hide) => hideAll(value, hide);

/** Applies `rule` to strings and to every string of a list; anything else that isn't a switch is hidden. */
function perString(rule: (text: string, hide: Hide) => unknown): FieldRule {
  const apply: FieldRule = (value, hide) => {
    if (typeof value === 'string') return value === '' || value === REDACTED ? value : rule(value, hide);
    if (Array.isArray(value)) {
      const items = value.map((item: unknown) => apply(item, hide));
      return items.every((item, i) => item === value[i]) ? value : items;
    }
    return hideAll(value, hide);
  };
  return apply;
}

function scrubbedBy(scrub: (text: string) => Scrubbed): FieldRule {
  return perString((text, hide) => {
    const result = scrub(text);
    if (result.redacted > 0) hide(result.redacted);
    return result.text;
  });
}

/** Lines of `/etc/network/interfaces`, diffs, FRR and Ceph configuration. */
export const configText: FieldRule = scrubbedBy(scrubConfigText);

/** QEMU `args`: option names only. */
export const qemuArgs: FieldRule = perString((text, hide) => {
  hide();
  return redactArgs(text);
});

const VARIABLE_NAME = /^[A-Za-z_][\w.-]{0,127}$/;

function hideAssignment(assignment: string, hide: Hide): string {
  const equals = assignment.indexOf('=');
  const name = (equals < 0 ? '' : assignment.slice(0, equals)).trim().replace(/^["']/, '');
  hide();
  return VARIABLE_NAME.test(name) ? `${name}=${REDACTED}` : REDACTED;
}

/**
 * Environment of a container, `K=V` separated by NUL (or a literal `%00`): every name with the marker in place of its
 * value, separated by blanks.
 */
export const environment: FieldRule = perString((text, hide) =>
  text
    .split(/\0|%00|\\u0000|\\0/i)
    .filter((entry) => entry !== '')
    .map((entry) => hideAssignment(entry, hide))
    .join(' '),
);

/** Raw `lxc.*` lines, `[[key, value], ...]`: of `lxc.environment*` only the variable's name, other values are cleaned. */
export const lxcPairs: FieldRule = (value, hide) => {
  if (!Array.isArray(value)) return scrubbedBy(scrubConfigText)(value, hide);
  let changed = false;
  const pairs = value.map((pair: unknown): unknown => {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string' || typeof pair[1] !== 'string') {
      if (typeof pair !== 'string') return pair;
      // `lxc.environment = A=b` as one string
      const line = /^(lxc\.environment[\w.]*\s*=\s*)(.*)$/s.exec(pair);
      const next = line === null ? configText(pair, hide) : `${line[1] ?? ''}${hideAssignment(line[2] ?? '', hide)}`;
      if (next !== pair) changed = true;
      return next;
    }
    const [key, text, ...rest]: unknown[] = pair;
    const next =
      typeof key === 'string' && typeof text === 'string' && /^lxc\.environment/i.test(key)
        ? hideAssignment(text, hide)
        : typeof key === 'string' && isSecretName(key)
          ? hideAll(text, hide)
          : configText(text, hide);
    if (next === text) return pair;
    changed = true;
    return [key, next, ...rest];
  });
  return changed ? pairs : value;
};

/** `sshkeys`: a list of `{type, fingerprint, comment}` in place of the percent-encoded public keys. */
export const sshKeys: FieldRule = (value, hide) => {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => (typeof item === 'string' ? sshKeys(item, hide) : [hideAll(item, hide)]));
  }
  if (typeof value !== 'string') return hideAll(value, hide);
  const summary = summarizeSshKeys(value, scrubFreeText);
  const hidden = summary.privateKeys + summary.scrubbed;
  if (hidden > 0) hide(hidden);
  return summary.keys;
};

/** `smbios1`: parts that carry a URL with credentials or a systemd credential are cleaned, base64 or not. */
export const smbios: FieldRule = scrubbedBy(scrubSmbios);

/** A realm's `tfa`: type, digits and step; a Yubico API key and its companions are hidden. */
export const realmTfa: FieldRule = perString((text, hide) => {
  const result = redactPropertyString(text, (name) => !['type', 'digits', 'step'].includes(name));
  if (result.redacted > 0) hide(result.redacted);
  return result.text;
});

/**
 * A user's `keys`: `x` and `x!oath` only mark that a second factor exists; anything else is a legacy TOTP seed or
 * Yubico key id.
 */
export const userKeys: FieldRule = perString((text, hide) => {
  if (/^x(?:![\w-]*)?$/.test(text)) return text;
  hide();
  return REDACTED;
});

/** Key fingerprint or `1` in a PBS storage: readable. A key itself (JSON, or longer than any fingerprint): hidden. */
export const encryptionKey: FieldRule = (value, hide) => {
  if (typeof value === 'string' && (value === 'autogen' || (value.length <= 95 && /^(?:[0-9a-f]{2}:)+[0-9a-f]{2}$/i.test(value))))
    return value;
  return hideAll(value, hide);
};

/** `keyring` of Ceph: a path stays, a key doesn't. */
export const keyring: FieldRule = (value, hide) =>
  typeof value === 'string' && /^\/[^\s=]*$/.test(value) ? value : hideAll(value, hide);

/** OpenTelemetry headers, base64 of a JSON object: header names only. */
export const otelHeaders: FieldRule = perString((text, hide) => {
  const decoded = decodeBase64Text(text) ?? text;
  let names: string[] = [];
  try {
    const parsed: unknown = JSON.parse(decoded);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) names = Object.keys(parsed);
  } catch {
    // Not JSON: there are no names to show, only the marker.
  }
  const shown = names.filter((name) => VARIABLE_NAME.test(name)).map((name) => `${name}=${REDACTED}`);
  hide(Math.max(1, names.length));
  return shown.length === 0 ? REDACTED : shown.join(' ');
});

function nameOfHeader(text: string): string | undefined {
  return /(?:^|,)name=([\w.-]{1,128})(?=,|$)/.exec(text)?.[1];
}

/** Web hook headers, `name=Authorization,value=<base64>` or `{name, value}`: names only. */
export const webhookHeader: FieldRule = (value, hide) => {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => webhookHeader(item, hide));
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  if (typeof value === 'string') {
    const name = nameOfHeader(value);
    if (value === `name=${name}`) return value; // a name alone, as `secret` has it
    hide();
    return name === undefined ? REDACTED : `name=${name},value=${REDACTED}`;
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === 'name' ? item : hideAll(item, hide)]));
  }
  return hideAll(value, hide);
};

/** A web hook's URL: scheme and host; path and query may be the credential. */
export const webhookUrl: FieldRule = perString((text, hide) => {
  const match = /^([A-Za-z][\w+.-]*:\/\/)([^\s/?#]*)(.*)$/s.exec(text);
  if (match === null) {
    hide();
    return REDACTED;
  }
  const [, scheme = '', authority = '', rest = ''] = match;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  // `http://user:pass/word@host`: what looks like the host may be half of a password
  const odd = rest.includes('@') || !/^(?:\[[0-9a-f:.%]+\]|[\w.-]+)(?::\d{1,5})?$/i.test(host);
  if (host === authority && !odd && (rest === '' || rest === '/')) return text;
  hide();
  return odd ? `${scheme}${REDACTED}` : `${scheme}${host}/${REDACTED}`;
});

/** ACME DNS plugin data, `KEY=VALUE` lines, plain or base64: variable names only. */
export const acmeData: FieldRule = perString((text, hide) => {
  const decoded =
    text.includes('=') && /^\s*\w+=/.test(text) && decodeBase64Text(text) === undefined ? text : (decodeBase64Text(text) ?? text);
  return decoded
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => hideAssignment(line, hide))
    .join(' ');
});

/** A subscription key: only the product prefix (`pve2c-`). */
export const subscriptionKey: FieldRule = perString((text, hide) => {
  hide();
  return `${/^p(?:ve|bs|mg)\d?[a-z]?-/i.exec(text)?.[0] ?? ''}${REDACTED}`;
});

/** Base64 of free text (the consent banner): cleaned inside. */
export const base64FreeText: FieldRule = perString((text, hide) => {
  const decoded = decodeBase64Text(text);
  const result = scrubFreeText(decoded ?? text);
  if (result.redacted === 0) return text;
  hide(result.redacted);
  return decoded === undefined ? result.text : encodeBase64Text(result.text);
});

/** Mount options; unlike most property strings they may arrive percent-encoded. */
export const mountOptions: FieldRule = perString((text, hide) => {
  const result = redactPropertyString(text, (name) => isSecretName(name) || /^(?:credentials?|cred|pass)$/i.test(name));
  if (result.redacted === 0) {
    const decoded = decodePercent(text);
    const again = decoded === text ? result : redactPropertyString(decoded);
    if (again.redacted === 0) return text;
    hide(again.redacted);
    return again.text;
  }
  hide(result.redacted);
  return result.text;
});

export const dropped: FieldRule = () => DROPPED;
