import { REDACTED, type Scrubbed } from './marker.ts';
import { isSecretName } from './secret-names.ts';
import { isWorkingDirectory } from './working-directory.ts';

/**
 * `password: x`, `"api_key":"x"`, `DB_PASSWORD=x`, `**Token:** x`, `| Password | x |`, `--secret x`, `curl -u me:x`:
 * values that a text names as secret. A scanner rather than one big pattern, because where a value ends depends on
 * how it is written.
 */

const WORD_SECRET =
  '(?:pass(?:word|wd|phrase|wort|code)s?|(?<![a-z])pass|secrets?|(?<![a-z])token|(?<=auth|access|api|user|session|bearer|bot|refresh)token' +
  '|(?:api|access|private|priv|client|secret|auth|encryption|shared|master|signing|account)[-_ ]?keys?' +
  '|(?<![a-z])psk|(?<![a-z])pwd|(?<![a-z])pw|credentials?|(?<![a-z])creds|cookie|kennwort|contraseña|mot de passe|senha|пароль|密码)';

/** What may follow a secret word and still name the secret itself. */
const WORD_SUFFIX = '(?:[-_]?(?:hash|hashed|value|string|text|plain|clear|base64|b64|data|\\d{1,3})){0,2}';

/** Between name and value: closing quotes or emphasis, then `:`, `=`, an arrow, a table bar or table cells. */
const SEPARATOR =
  '(?:\\\\?["\'`*_\\]]){0,4}[ \\t]{0,8}(?:<\\/(?:b|i|em|strong|code|span)>[ \\t]{0,4}){0,3}(?::=|=>|->|→|=|:|：|\\|(?!\\|)|<\\/t[hd]>[ \\t\\r\\n]{0,8}<td[^<>]{0,80}>)';

const NAMED = new RegExp(
  // A UPID has colons and token names in it and is consumed whole, so that no part of it is taken for a name.
  `UPID:[A-Za-z0-9-]+:[0-9A-F]{8}:[0-9A-F]{8,9}:[0-9A-F]{8}:[^:\\s]*:[^:\\s]*:[^:\\s]+:|(?<![!@][\\w.-]{0,64})(?<name>${WORD_SECRET}${WORD_SUFFIX})${SEPARATOR}`,
  'giu',
);

/** Decoration in front of a value: blanks, emphasis, HTML tags. */
const OPENING = /[ \t\u00a0]*(?:(?:\*\*|__|&nbsp;|<\/?(?:b|i|em|strong|code|span|pre)(?:\s[^<>]{0,80})?>)[ \t]*){0,4}/y;

const QUOTE = /\\?["'`]/y;

/** Where the value of `a=x,b=y`, `a=x&b=y`, `a=x; b=y` or `a=x, more text` ends. */
const VALUE_END = /[\s\0]|%00|[,;&](?=\s|$|[\w.-]{1,64}=)|,(?=["'\\])|<(?:\/|br)|["'`](?=[\s,;)}\]]|$)/g;

/** Words that say something about a secret instead of being it. */
const PLAIN_STATE =
  /^(?:0|1|true|false|yes|no|on|off|none|null|nil|undefined|empty|unset|set|unknown|missing|required|optional|invalid|wrong|incorrect|bad|expired|mismatch|denied|failed|failure|success|ok|enabled|disabled|changed|unchanged|updated|reset|rotated|removed|deleted|revoked|hidden|masked|redacted|rejected|accepted|valid|n\/a|tbd|todo|-+|\.{2,}|…)[.,;:!?)\]]*$/i;

const SENTENCE =
  /^(?:property is (?:missing|not)|type check\b|value (?:must|may|does|is|can|'[^']*' )|invalid \w|unable to|could not|cannot|can't|failed to|must (?:be|match|have|contain|not)|should (?:be|match|have)|(?:is|was|has been|are|were|have been) (?:required|missing|not|invalid|too|expired|wrong|changed|reset|set|incorrect|disabled|enabled|rotated|stored|kept|in)\b|not (?:set|defined|found|allowed|required|available|configured|valid|given)|too (?:short|long|weak)|authentication (?:failed|failure|required|error)|no such|only |see |stored in|kept in|ask )/i;

const PLACEHOLDER =
  /^(?:\[redacted\]|<[\w .-]{1,24}>|\*{3,}|•{3,}|x{3,}|\{\{[^{}]{0,80}\}\}|\$\{?[A-Z_][A-Z0-9_]*\}?|%\w+%)[.,;:!?)\]"'`]*$/i;

const TOKEN_ID = /^[^\s@!]+@[\w.-]+![\w.-]+[.,;:)]*$/;

const FILE_PATH = /^\/(?:[\w.$@+-]+\/)+[\w.$@+-]+[.,;:)]*$/;

const BLOCK_SCALAR = /^[|>][+-]?\d?[+-]?[ \t]*(?:#.*)?$/;

/** No value or indentation is longer; it also keeps the scan linear on a huge text without line breaks. */
const MAX_REACH = 4096;

function endOfLine(text: string, from: number): number {
  const end = text.slice(from, from + MAX_REACH).search(/[\r\n]/);
  return end < 0 ? Math.min(text.length, from + MAX_REACH) : from + end;
}

function lineStart(text: string, at: number): number {
  const from = Math.max(0, at - 200);
  return from + text.slice(from, at).lastIndexOf('\n') + 1;
}

/** Whether nothing but list marks, quoting, comment and diff signs stands between the line's start and the name. */
function startsLine(text: string, nameAt: number): boolean {
  const before = text.slice(lineStart(text, nameAt), nameAt);
  return before.length <= 80 && /^[\s>*+#|-]*(?:\d+[.)]\s*)?["'`*_]{0,3}(?:[\w.-]+[ \t]?){0,3}$/.test(before);
}

/** The lines below a YAML block scalar or a bare `password:` that are indented deeper than the line of the name. */
function indentedBlockEnd(text: string, nameAt: number, lineEnd: number): number {
  const start = lineStart(text, nameAt);
  const indent = /^[ \t]*/.exec(text.slice(start, nameAt))?.[0].length ?? 0;
  let end = lineEnd;
  const line = /(?:\r?\n)([ \t]*)([^\r\n]*)/y;
  line.lastIndex = lineEnd;
  for (let match = line.exec(text); match !== null; match = line.exec(text)) {
    const [whole, blanks = '', content = ''] = match;
    if (content !== '' && blanks.length <= indent) break;
    if (whole === '') break;
    if (content !== '') end = line.lastIndex;
  }
  return end;
}

/** Nothing that merely talks about a secret is one word of this length. */
const MAX_HARMLESS_LENGTH = 256;

function isHarmless(name: string, value: string, restOfLine: string): boolean {
  if (value === '' || value.startsWith(REDACTED)) return true;
  if (value.length > MAX_HARMLESS_LENGTH) return false;
  if (PLAIN_STATE.test(value) || PLACEHOLDER.test(restOfLine)) return true;
  if (PLACEHOLDER.test(value) || SENTENCE.test(restOfLine)) return true;
  if (/key|cred|secret$/i.test(name) && FILE_PATH.test(value)) return true;
  if (/token$/i.test(name) && TOKEN_ID.test(value)) return true;
  // `pass: 12, fail: 3`, `token=5`: counters
  return /^(?:pass|token|pw)$/i.test(name) && /^\d{1,3}[.,;)]*$/.test(value);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The value behind a name and separator, or `undefined` if there is none worth hiding. */
function valueSpan(text: string, name: string, nameAt: number, valueAt: number): Span | undefined {
  if (isWorkingDirectory(text, nameAt)) return undefined;
  OPENING.lastIndex = valueAt;
  const start = valueAt + (OPENING.exec(text)?.[0].length ?? 0);
  const lineEnd = endOfLine(text, start);
  const restOfLine = text.slice(start, lineEnd).trim();

  if (restOfLine === '') {
    // The value may stand on a line of its own: hidden if that line is one word that no sentence would be.
    const next = /(?:\r?\n[ \t]*){1,2}(?:```\w*\r?\n)?[ \t]*(\S{4,})[ \t]*(?=\r?\n|$)/y;
    next.lastIndex = lineEnd;
    const word = next.exec(text)?.[1];
    if (word === undefined || isHarmless(name, word, word) || /[:=]$/.test(word) || !/[^A-Za-z]/.test(word)) return undefined;
    const wordAt = text.indexOf(word, lineEnd);
    return { start: wordAt, end: wordAt + word.length };
  }
  if (BLOCK_SCALAR.test(restOfLine)) {
    const end = indentedBlockEnd(text, nameAt, lineEnd);
    return end > lineEnd ? { start, end } : undefined;
  }

  QUOTE.lastIndex = start;
  const quote = QUOTE.exec(text)?.[0];
  if (quote !== undefined) {
    const from = start + quote.length;
    const reach = text.slice(from, from + MAX_REACH);
    let close = reach.indexOf(quote);
    // `\"` inside a plainly quoted value doesn't end it
    while (quote.length === 1 && close > 0 && reach[close - 1] === '\\') close = reach.indexOf(quote, close + 1);
    if (close >= 0) {
      const value = reach.slice(0, close);
      return isHarmless(name, value, value) ? undefined : { start: from, end: from + close };
    }
  }

  const separator = text.slice(nameAt + name.length, valueAt);
  const wholeLine = (/[:：]/.test(separator) && startsLine(text, nameAt)) || /phrase/i.test(name);
  VALUE_END.lastIndex = start;
  const stop = VALUE_END.exec(text);
  const wordEnd = stop === null ? text.length : stop.index;
  const value = text.slice(start, wordEnd);
  if (isHarmless(name, value, restOfLine)) return undefined;
  if (!wholeLine) {
    // A bracket that was opened before the value isn't part of it.
    const closing = value.endsWith(REDACTED) ? 0 : (/[)\]}]+$/.exec(value)?.[0].length ?? 0);
    return { start, end: value.length > closing ? wordEnd - closing : wordEnd };
  }
  const cell = text.slice(start, lineEnd).search(/<(?:\/|br)|[ \t]\|/);
  return { start, end: start + (cell >= 0 ? cell : text.slice(start, lineEnd).trimEnd().length) };
}

/** `--password x`, `-cipassword x`; `--password=x` is a named value. */
const OPTION = /(?<!\S)(--?[A-Za-z][\w-]{1,60})([ \t]+)(?!-)(["']?)([^\s"']+)\3/g;

/** `curl -u me:x`, `sshpass -p x`, `mysql -px`: short options of programs that take a password. */
const SHORT_OPTIONS: readonly RegExp[] = [
  /(\b(?:curl|wget)\b[^\n]{0,200}?\s(?:-u|--user)[ =]?["']?[^\s:"']{1,128}:)([^\s"']+)/g,
  /(\bsshpass\s+-p\s*)(\S+)/g,
  /(\bmysql(?:dump|admin)?\b[^\n]{0,200}?\s-p)([^\s-]\S*)/g,
  /(["']?\b[\w.-]{1,32}:)([^\s"':]+)(?=["']?\s*\|\s*(?:sudo\s+)?chpasswd)/g,
  // `IPMI admin:admin123`, `login root:x`: a well-known account behind a word that announces a login
  /(\b(?:ipmi|idrac|ilo|bmc|kvm|login|logins|creds?|credentials?|account|zugang|user(?:name)?|web ?ui|gui|ssh)\b[^\n:@]{0,24}?[\s:=([]{1,8}(?:admin|administrator|root|user|operator|sysadmin|ubuntu|debian|pi)[:/])(?!\/)(?=[^\s,;)\]]{0,128}[^\d\s,;)\]])([^\s,;:)\]]{4,})(?![:\w])/gi,
];

function scrubOptions(text: string): Scrubbed {
  let redacted = 0;
  let out = text.replace(OPTION, (match, option: string, blanks: string, quote: string, value: string) => {
    if (!isSecretName(option.replace(/^-+/, '')) || isHarmless(option, value, value)) return match;
    redacted += 1;
    return `${option}${blanks}${quote}${REDACTED}${quote}`;
  });
  for (const pattern of SHORT_OPTIONS) {
    out = out.replace(pattern, (match, before: string, value: string) => {
      if (value.startsWith('[redacted')) return match; // some of the patterns stop before the bracket
      redacted += 1;
      return before + REDACTED;
    });
  }
  return { text: out, redacted };
}

/** `password is Hunter2`, `Passwort lautet x`: only if the word can hardly be part of a sentence. */
const SPOKEN =
  /\b((?:passwor[dt]|passphrase|kennwort|pin|secret|token)\s+(?:is|ist|lautet|was|war)\s*:?\s+["'`]?)(?=[^\s"'`]{0,128}\d)(?=[^\s"'`]{0,128}[A-Za-z])([^\s"'`]{6,256}?)(?=[.,;!?]?(?:["'`\s]|$))/gi;

/**
 * Hides the values that a text names as secret. What only talks about a secret stays: states (`token: expired`),
 * validation messages (`password: property is missing`), placeholders, token ids, UPIDs, file paths of keys.
 */
export function scrubNamedValues(text: string): Scrubbed {
  let redacted = 0;
  let out = '';
  let position = 0;
  NAMED.lastIndex = 0;
  for (let match = NAMED.exec(text); match !== null; match = NAMED.exec(text)) {
    const name = match.groups?.name;
    if (name === undefined) continue; // a UPID
    const span = valueSpan(text, name, match.index, NAMED.lastIndex);
    if (span === undefined) continue;
    // A part of the value that was hidden before was counted then.
    if (!text.slice(span.start, span.end).includes(REDACTED)) redacted += 1;
    out += text.slice(position, span.start) + REDACTED;
    position = span.end;
    NAMED.lastIndex = Math.max(span.end, NAMED.lastIndex);
  }
  NAMED.lastIndex = 0;
  const named = position === 0 ? text : out + text.slice(position);
  const spoken = named.replace(SPOKEN, (match, before: string, value: string) => {
    if (value.includes(REDACTED)) return match;
    redacted += 1;
    return before + REDACTED;
  });
  const options = scrubOptions(spoken);
  return { text: options.text, redacted: redacted + options.redacted };
}
