import { oneLine } from '../redact/plain-text.ts';
import { ApiError } from './errors.ts';

/**
 * Strict patterns for path segments. The API's front end percent-decodes the whole path before it routes, so encoding
 * alone never protects: a `%2F` becomes a separator. What does not match is refused before any I/O.
 */
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

const PATTERNS: Readonly<Record<string, { readonly pattern: RegExp; readonly means: string }>> = {
  node: { pattern: /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/, means: 'a node name: letters, digits and dashes' },
  vmid: { pattern: /^[1-9]\d{2,8}$/, means: 'a guest id from 100 to 999999999' },
  storage: {
    pattern: /^[A-Za-z][A-Za-z0-9_.-]{0,99}$/,
    means: 'a storage id: a letter, then letters, digits, dots, dashes, underscores',
  },
  upid: {
    pattern:
      /^UPID:[A-Za-z0-9-]{1,63}:[0-9A-Fa-f]{8}:[0-9A-Fa-f]{8,9}:[0-9A-Fa-f]{8}:[A-Za-z0-9_.-]{1,64}:[^\s:/?#;&%\\]{0,128}:[^\s:/?#;&%\\]{1,128}:$/,
    means: 'a task id as list_recent_tasks shows it (UPID:node:...:)',
  },
  group: { pattern: /^[A-Za-z][A-Za-z0-9_-]{0,63}$/, means: 'a security group name' },
  name: { pattern: SAFE_ID, means: 'a plain name: letters, digits, dots, dashes, underscores' },
  vnet: { pattern: /^[A-Za-z][A-Za-z0-9_-]{0,63}$/, means: 'a VNet name' },
  ipam: { pattern: SAFE_ID, means: 'an IPAM name' },
  // Backup jobs from before 7.1 are numbered: `6c2f...:1`.
  id: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/,
    means: 'an id: letters, digits, dots, dashes, underscores, colons',
  },
  userid: { pattern: /^[^\s:/?#;&%\\@]{1,64}@[A-Za-z][A-Za-z0-9_.-]{0,31}$/, means: 'a user id such as name@realm' },
  osdid: { pattern: /^\d{1,6}$/, means: 'the number of an OSD' },
  'pci-id-or-mapping': {
    pattern: /^(?:[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-9a-fA-F]$/,
    means: 'a PCI address such as 0000:01:00.0',
  },
  // Nested pools (`a/b`) go through the query of /pools instead, where a slash is harmless.
  poolid: { pattern: /^[A-Za-z0-9_.-]{1,100}$/, means: 'a pool name' },
};

const DOTS = /^\.{1,2}$/;

/** Checks one path segment; the error names the parameter and says what it may be. */
export function checkSegment(name: string, value: string | number): string {
  const text = String(value);
  const rule = PATTERNS[name];
  if (rule === undefined) throw new Error(`no segment pattern for {${name}}`);
  if (!rule.pattern.test(text) || DOTS.test(text)) {
    throw new ApiError('bad-argument', `${name}: ${JSON.stringify(oneLine(text, 60))} is not ${rule.means}.`);
  }
  return text;
}

/**
 * Fills a path template. Every segment is checked by its pattern first and encoded after, so that the encoding has
 * nothing left to hide.
 */
export function fillPath(template: string, params: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`path parameter {${name}} is missing for ${template}`);
    return encodeURIComponent(checkSegment(name, value));
  });
}
