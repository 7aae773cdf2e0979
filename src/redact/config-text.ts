import { decodePercent } from './encodings.ts';
import { REDACTED, type Scrubbed } from './marker.ts';
import { redactArgs } from './qemu-args.ts';
import { scrubFreeText } from './scrub-text.ts';
import { isSecretName } from './secret-names.ts';
import { scrubSmbios } from './smbios.ts';
import { shortenSshKeys, summarizeSshKeys } from './ssh-keys.ts';
import { scrubUnmistakable } from './unmistakable.ts';
import { isWorkingDirectory } from './working-directory.ts';

/**
 * Scrubbers for text in a known format. They know what free text can't tell: in `/etc/network/interfaces` a line is
 * `option value`, in FRR `password` stands in mid-line, in ceph.conf a bare `key` is a secret.
 */

/** Where a line's content begins behind a diff sign, indentation and comment sign. */
const LINE_LEAD = /^[+-]?[ \t]*#?[ \t]*/;

const STANZA_SECRET =
  /^(?:wpa-(?:psk|password|private-key-passwd\d?|sae-password|identity-passwd)|wireless-key\d?|wep-key\d?|key\d?)$/i;

/** FRR and other routers' configuration: `neighbor x password y`, `md5 y`, `enable password 8 y`. */
const ROUTER_SECRET =
  /\b(password|secret|key-string|md5|passphrase|snmp-server community|pre-?shared-key|psk)([ \t]+)(?:(encrypted|clear|level|[0-9])([ \t]+))?(?!=|:)([^\s"']+|"[^"]*")/gi;

function scrubConfigLine(line: string): Scrubbed {
  const lead = LINE_LEAD.exec(line)?.[0] ?? '';
  const content = line.slice(lead.length);
  const named = /^([\w./-]+)(\s*=\s*|\s+)(\S.*)$/.exec(content);
  if (named !== null) {
    const [, name = '', separator = '', value = ''] = named;
    const isSecret = STANZA_SECRET.test(name) || isSecretName(name);
    const isPath = (/key|secret|cred/i.test(name) && /^\/\S+\/\S*$/.test(value)) || isWorkingDirectory(line, lead.length);
    if (isSecret && !isPath && !/^(?:\[redacted\]|0|1|true|false|yes|no|on|off)$/i.test(value.trim())) {
      return { text: `${lead}${name}${separator}${REDACTED}`, redacted: 1 };
    }
  }
  let redacted = 0;
  const text = line.replace(
    ROUTER_SECRET,
    (match, word: string, gap: string, mode: string | undefined, modeGap: string | undefined, value: string) => {
      if (value.startsWith(REDACTED) || /^(?:authentication|encryption|mode|reset|is|was|for|and|or)$/i.test(value)) return match;
      redacted += 1;
      return `${word}${gap}${mode === undefined ? '' : mode + (modeGap ?? '')}${REDACTED}`;
    },
  );
  const rest = scrubFreeText(text);
  return { text: rest.text, redacted: redacted + rest.redacted };
}

/** Cleans configuration files and diffs of them: network stanzas, FRR, ceph.conf. Works line by line. */
export function scrubConfigText(text: string): Scrubbed {
  // Private keys span lines, so they go first.
  const whole = scrubUnmistakable(text);
  let redacted = whole.redacted;
  const lines = whole.text.split('\n').map((line) => {
    const result = scrubConfigLine(line);
    redacted += result.redacted;
    return result.text;
  });
  return redacted === 0 ? { text, redacted } : { text: lines.join('\n'), redacted };
}

const CHPASSWD_LIST = /^([ \t]*)(?:list|chpasswd):[ \t]*([|>][+-]?\d?)?[ \t]*$/;

/** `user:password` lines below `chpasswd: list:`, in block and in list form, and in a one-line string. */
function scrubChpasswd(text: string): Scrubbed {
  let redacted = 0;
  let listIndent = -1;
  let inChpasswd = -1;
  const lines = text.split('\n').map((line) => {
    const indent = /^[ \t]*/.exec(line)?.[0].length ?? 0;
    if (line.trim() === '') return line;
    if (listIndent >= 0 && indent <= listIndent && !(indent === listIndent && /^\s*-\s/.test(line))) listIndent = -1;
    if (inChpasswd >= 0 && indent <= inChpasswd && !/^\s*-\s/.test(line)) inChpasswd = -1;
    if (/^\s*chpasswd:\s*$/.test(line)) inChpasswd = indent;
    if (inChpasswd >= 0 && listIndent < 0 && CHPASSWD_LIST.test(line) && !/chpasswd:/.test(line)) {
      listIndent = indent;
      return line;
    }
    const isInline = inChpasswd >= 0 && /^\s*list:\s*\S/.test(line);
    if (listIndent < 0 && !isInline) return line;
    return line.replace(/^(\s*(?:-\s+)?(?:list:\s*)?["']?[^\s:"']{1,64}:)\s*(\S.*)$/, (match, before: string, value: string) => {
      if (value.startsWith(REDACTED)) return match;
      redacted += 1;
      return before + REDACTED;
    });
  });
  return redacted === 0 ? { text, redacted } : { text: lines.join('\n'), redacted };
}

/**
 * Cleans generated cloud-init data: passwords and hashes, `chpasswd` lists, private host keys; public keys keep type,
 * fingerprint and comment. The `instance-id` of meta data goes as well: it is a digest of the unmasked user data, and
 * lets a guessed password be checked.
 */
export function scrubCloudConfig(text: string): Scrubbed {
  let redacted = 0;
  const withoutDigest = text.replace(/^([ \t]*instance-id:[ \t]*)(\S+)[ \t]*$/m, (match, before: string, value: string) => {
    if (value === REDACTED) return match;
    redacted += 1;
    return before + REDACTED;
  });
  const lists = scrubChpasswd(withoutDigest);
  const named = lists.text.replace(
    /^([ \t]*(?:-[ \t]+)?["']?(?:hashed_|plain_text_)?(?:password|passwd|admin_pass|CRYPTED_PASSWORD_BASE64)["']?[ \t]*[:=][ \t]*)(?![|>][+-]?\d?\s*$)(\S.*)$/gim,
    (match, before: string, value: string) => {
      if (value.startsWith(REDACTED) || /^(?:true|false|null|~)$/i.test(value.trim())) return match;
      redacted += 1;
      return before + REDACTED;
    },
  );
  const rest = scrubFreeText(named);
  return { text: shortenSshKeys(rest.text), redacted: redacted + lists.redacted + rest.redacted };
}

/** Cleans a raw guest configuration file (as it is stored inside a backup). */
export function scrubGuestConfigText(text: string): Scrubbed {
  let redacted = 0;
  const lines = text.split('\n').map((line) => {
    if (line.startsWith('#')) {
      // A description: percent-encoded, colons too
      const decoded = decodePercent(line);
      const result = scrubFreeText(decoded);
      redacted += result.redacted;
      return result.redacted === 0 ? line : result.text;
    }
    const match = /^(\s*)([\w.-]+)(\s*[:=]\s*)(.*)$/.exec(line);
    if (match === null) return line;
    const [, lead = '', name = '', separator = '', value = ''] = match;
    if (value.trim() === '' || value.startsWith(REDACTED)) return line;
    if (name === 'sshkeys') {
      const summary = summarizeSshKeys(value, scrubFreeText);
      redacted += summary.privateKeys + summary.scrubbed;
      return `${lead}${name}${separator}${summary.keys.map((k) => `${k.type} ${k.fingerprint ?? '-'} ${k.comment}`.trim()).join(', ')}`;
    }
    if (name === 'smbios1') {
      const result = scrubSmbios(value);
      redacted += result.redacted;
      return lead + name + separator + result.text;
    }
    if (name === 'args') {
      redacted += 1;
      return `${lead}${name}${separator}${redactArgs(value)}`;
    }
    if (name === 'cipassword' || name === 'env' || /^lxc\.environment/.test(name)) {
      redacted += 1;
      return `${lead}${name}${separator}${REDACTED}`;
    }
    return line;
  });
  const rest = scrubConfigText(lines.join('\n'));
  return { text: rest.text, redacted: redacted + rest.redacted };
}
