import { REDACTED } from './marker.ts';
import { isSecretName } from './secret-names.ts';
import { isWorkingDirectory } from './working-directory.ts';

/** One `name=value` of a property string; quotes around the value may hide separators in it. */
const PROPERTY = /(^|[,;&\s\0]|%00)(\\?["']?)([A-Za-z][\w.-]{0,119})=("[^"]*"|'[^']*'|[^,;&\s\0"']*)/g;

/** Mount options without a value. Any other bare word behind a hidden value is taken for a part of it. */
const MOUNT_FLAGS =
  /^(?:soft|hard|ro|rw|a?sync|noatime|nodiratime|relatime|nolock|lock|no?exec|exec|nosuid|suid|nodev|dev|bg|fg|intr|nointr|tcp|udp|seal|sign|nounix|noserverino|serverino|nobrl|mfsymlinks|forceuid|forcegid|noperm|cruid|guest|persistenthandles|resilienthandles|ac|noac|cto|nocto|acl|noacl|_netdev|nofail|auto|noauto|users?|defaults|discard)$/;

/** Flags and switches are no secrets whatever they are called. */
export function isFlag(value: string): boolean {
  return /^(?:|0|1|true|false|yes|no|on|off|none)$/i.test(value.trim());
}

/**
 * Hides the values of secret-looking names in a property string (`a=b,c=d`, also `;`, blanks and NULs as separators) and
 * keeps the rest, so that `vers=3,password=x,soft` becomes `vers=3,password=[redacted],soft`.
 * @param isSecret which names are secret; by default the general deny pass
 */
export function redactPropertyString(
  text: string,
  isSecret: (name: string, value: string) => boolean = isSecretName,
): { text: string; redacted: number } {
  if (!text.includes('=')) return { text, redacted: 0 };
  let redacted = 0;
  let out = '';
  let position = 0;
  for (const match of text.matchAll(PROPERTY)) {
    const [whole, separator = '', quote = '', name = '', value = ''] = match;
    if (match.index < position || isFlag(value) || value.startsWith(REDACTED) || !isSecret(name, value)) continue;
    const nameAt = match.index + separator.length + quote.length;
    if (isWorkingDirectory(text, nameAt)) continue;
    out += text.slice(position, nameAt + name.length + 1) + REDACTED;
    position = match.index + whole.length;
    // A comma or quote inside the secret: what follows and is neither `name=` nor a known flag belongs to it.
    for (;;) {
      const more = /^(?:["'][^,;&\s\0]*|[,;&]([^,;&\s\0=]+))(?=[,;&\s\0]|$)/.exec(text.slice(position, position + 1024));
      if (more === null || MOUNT_FLAGS.test(more[1] ?? '')) break;
      position += more[0].length;
    }
    redacted += 1;
  }
  return redacted === 0 ? { text, redacted } : { text: out + text.slice(position), redacted };
}
