import { scrubCloudConfig, scrubConfigText, scrubGuestConfigText } from './config-text.ts';
import { decodeBase64Text, decodePercent } from './encodings.ts';
import { type EndpointRules, GENERAL_FIELDS, rulesFor, type TextKind } from './endpoint-rules.ts';
import { DROPPED, type FieldRule, hideAll } from './field-rules.ts';
import { REDACTED, type Scrubbed } from './marker.ts';
import { redactPropertyString } from './property-string.ts';
import { scrubFreeText, scrubVendorIds } from './scrub-text.ts';
import { isSecretName } from './secret-names.ts';
import { closesPrivateKey, opensPrivateKey, scrubUnmistakable } from './unmistakable.ts';
import { scrubUrls } from './url-secrets.ts';

/** An answer of the API: `data` and whatever stands beside it (`total`, `changes`, `message`, `errors`). */
export type ApiAnswer = { data: unknown } & Record<string, unknown>;

export interface RedactedAnswer {
  /** The answer without secrets; the very same object where nothing had to be changed. */
  readonly value: ApiAnswer;
  /** How many values were hidden. */
  readonly redacted: number;
  /** Where, without values: `config.cipassword`, `ipams.token`; at most 20 places. */
  readonly where: string[];
}

/** Real answers are under 10 deep. What lies deeper than this is hidden unread. */
const MAX_DEPTH = 64;
const MAX_PLACES = 20;
/** Longest base64 text that is decoded to look inside. */
const MAX_BASE64_LENGTH = 262_144;
/** How many log lines a private key that was opened in one of them can cover. */
const MAX_PEM_LINES = 200;

/**
 * Fields whose values are identifiers, names, states or numbers as text: never secret, and never read as prose, so
 * that a guest called `password-reset` keeps its name. Leaving them unread also keeps large lists cheap.
 */
const SAFE_FIELDS: ReadonlySet<string> = new Set(
  (
    'id node name hostname type status vmid tags pool poolid storage content plugintype level hastate template upid user tokenid ' +
    'full-tokenid digest config_digest fingerprint pve_fp ssl_fingerprint volid format cgroup-mode mac hwaddr iface cidr address ' +
    'netmask gateway role roleid roles privs ugid userid realm email lock ostype arch serial wwn model vendor uuid vmgenid ' +
    'snaptime parent bridge subdir groupid groups sid state crm_state quorate crush_rule registered-tags allowed-tags color-map ' +
    'public-key-type filename issuer subject Package Version OldVersion Origin Arch Section Priority sdn zone vnet ' +
    'network-type zone-type shared cpu flags'
  ).split(' '),
);

/** Fields that hold prose of people or programs wherever they turn up. */
const FREE_TEXT_FIELDS: ReadonlySet<string> = new Set(
  (
    'description comment comments note notes message msg t text error errors errmsg exitstatus statusmsg warning warnings ' +
    'detail details summary reason health_detail desc log output last_error'
  ).split(' '),
);

/** Settings as rows: the name of the setting is the value of one of these ... */
const ROW_NAMES = ['key', 'name', 'option', 'Key', 'Name', 'field', 'parameter', 'property'] as const;
/** ... and its values stand in these. */
const ROW_VALUES: ReadonlySet<string> = new Set([
  'value',
  'pending',
  'old',
  'new',
  'default',
  'Value',
  'Values',
  'values',
  'running',
  'current',
]);

type FieldKind = 'secret' | 'safe' | 'free' | 'plain';

type JsonObject = Record<string, unknown>;

/** An identifier rather than a URL or a whole file: left unread in the fields that hold identifiers. */
function isShortName(text: string): boolean {
  return text.length < 12 || (text.length <= 256 && !text.includes('://'));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function scrubPlainParts(text: string): Scrubbed {
  let out = text;
  let redacted = 0;
  for (const step of [scrubUnmistakable, scrubUrls, redactPropertyString, scrubVendorIds]) {
    const result = step(out);
    out = result.text;
    redacted += result.redacted;
  }
  return { text: out, redacted };
}

const BASE64_WORD = /^[A-Za-z0-9+/_-]{16,}={0,2}$/;

/** A single setting: property string, URL, known forms; then the same on what percent- or base64-decoding brings out. */
function scrubValue(text: string): Scrubbed {
  if (text.length < 6) return { text, redacted: 0 };
  const parts = scrubPlainParts(text);
  // Nobody knows what a plugin writes there: it may as well be a sentence.
  const whole = scrubFreeText(parts.text);
  const result = { text: whole.text, redacted: parts.redacted + whole.redacted };
  if (result.redacted > 0) return result;
  const decoded = decodePercent(text);
  if (decoded !== text) {
    const inside = scrubPlainParts(decoded);
    const free = scrubFreeText(inside.text);
    if (inside.redacted + free.redacted > 0) return { text: free.text, redacted: inside.redacted + free.redacted };
  }
  if (text.length <= MAX_BASE64_LENGTH && BASE64_WORD.test(text)) {
    const inside = decodeBase64Text(text);
    if (inside !== undefined && scrubFreeText(inside).redacted > 0) return { text: REDACTED, redacted: 1 };
  }
  return result;
}

const SCRUBBERS: Record<TextKind, (text: string) => Scrubbed> = {
  value: scrubValue,
  free: scrubFreeText,
  config: scrubConfigText,
  'cloud-init': scrubCloudConfig,
  'guest-config': scrubGuestConfigText,
  'package-text': scrubUnmistakable,
  secret: (text) => (text === '' || text === REDACTED ? { text, redacted: 0 } : { text: REDACTED, redacted: 1 }),
};

/** The last literal segment of a path template: what an answer is called in `where`. */
function placeOf(template: string): string {
  const segments = template.split('/').filter((segment) => segment !== '' && !segment.startsWith('{'));
  return segments.at(-1) ?? 'answer';
}

/** A field name for `where`. Names come from upstream, so anything that is no plain name is left out. */
function placeName(name: string): string {
  return /^[\w.:/-]{1,48}$/.test(name) ? name : '?';
}

/** The line of a log row or of a list of lines, if it is one. */
function lineOf(item: unknown): string | undefined {
  if (typeof item === 'string') return item;
  if (!isObject(item)) return undefined;
  const line = item.t ?? item.msg;
  return typeof line === 'string' ? line : undefined;
}

class Redaction {
  redacted = 0;
  readonly where = new Set<string>();
  readonly #path: string[];
  readonly #rules: EndpointRules;
  /** One decision a field name, however many rows have it. */
  readonly #kinds = new Map<string, FieldKind>();

  constructor(template: string) {
    this.#rules = rulesFor(template);
    this.#path = [placeOf(template)];
  }

  readonly #hide = (count = 1): void => {
    this.redacted += count;
    if (this.where.size < MAX_PLACES) this.where.add(this.#path.join('.'));
  };

  #ruleFor(field: string): FieldRule | undefined {
    return this.#rules.fields?.get(field) ?? GENERAL_FIELDS.get(field);
  }

  #kindOf(field: string): FieldKind {
    let kind = this.#kinds.get(field);
    if (kind === undefined) {
      if (this.#rules.freeText?.has(field) || FREE_TEXT_FIELDS.has(field)) kind = 'free';
      else if (SAFE_FIELDS.has(field)) kind = 'safe';
      else kind = isSecretName(field) || this.#rules.secretRow?.test(field) ? 'secret' : 'plain';
      this.#kinds.set(field, kind);
    }
    return kind;
  }

  #scrub(text: string, kind: TextKind): string {
    const result = SCRUBBERS[kind](text);
    if (result.redacted > 0) this.#hide(result.redacted);
    return result.text;
  }

  /** A value of any shape; `kind` says how strings directly in it are read. */
  walk(value: unknown, kind: TextKind, depth: number): unknown {
    if (typeof value === 'string') return this.#scrub(value, kind);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > MAX_DEPTH) {
      this.#hide();
      return REDACTED;
    }
    if (Array.isArray(value)) return this.#walkArray(value, kind, depth);
    return isObject(value) ? this.#walkObject(value, kind, depth) : value;
  }

  #walkArray(items: unknown[], kind: TextKind, depth: number): unknown[] {
    let out: unknown[] | undefined;
    let keyLines = 0;
    for (let i = 0; i < items.length; i += 1) {
      const item = items[i];
      const line = lineOf(item);
      let next: unknown;
      if (keyLines > 0 && line !== undefined) {
        // Inside a private key that a log shows line by line
        keyLines = closesPrivateKey(line) ? 0 : keyLines - 1;
        next = isObject(item) ? { ...item, [typeof item.t === 'string' ? 't' : 'msg']: REDACTED } : REDACTED;
      } else {
        next = Array.isArray(item) ? this.#walkPair(item, kind, depth + 1) : this.walk(item, kind, depth + 1);
        if (line !== undefined && opensPrivateKey(line)) keyLines = MAX_PEM_LINES;
      }
      if (next !== item) {
        out ??= items.slice();
        out[i] = next;
      }
    }
    return out ?? items;
  }

  /** A list inside a list may be a pair `[name, value]`. */
  #walkPair(pair: unknown[], kind: TextKind, depth: number): unknown {
    const [name, value] = pair;
    if (pair.length === 2 && typeof name === 'string' && this.#isSettingName(name)) {
      const next = this.#walkField(name, value, kind, depth);
      return next === value ? pair : [name, next === DROPPED ? null : next];
    }
    return this.walk(pair, kind, depth);
  }

  /** Whether this name alone decides how its value is treated. */
  #isSettingName(name: string): boolean {
    if (this.#ruleFor(name) !== undefined) return true;
    const kind = this.#kindOf(name);
    return kind === 'secret' || kind === 'free';
  }

  /**
   * The setting that a row `{key: NAME, value: ...}` is about, if its name decides anything, and what the row is called in
   * `where`: nothing where the endpoint takes the field for a secret itself (`key` of a DNS plugin).
   */
  #settingOf(row: JsonObject): { name: string; place: string | undefined } | undefined {
    let hasValue = false;
    for (const field of ROW_VALUES) {
      if (field in row) {
        hasValue = true;
        break;
      }
    }
    if (!hasValue) return undefined;
    for (const field of ROW_NAMES) {
      const name = row[field];
      if (typeof name !== 'string' || !this.#isSettingName(name)) continue;
      return { name, place: this.#ruleFor(field) === undefined ? name : undefined };
    }
    return undefined;
  }

  #walkObject(object: JsonObject, outerKind: TextKind, depth: number): JsonObject {
    // Fields inside something that is prose are looked at as values, which is the stricter reading.
    const kind = outerKind === 'free' ? 'value' : outerKind;
    const setting = this.#settingOf(object);
    let out: JsonObject | undefined;
    for (const field of Object.keys(object)) {
      const value = object[field];
      let next: unknown;
      if (setting !== undefined && ROW_VALUES.has(field)) {
        next = this.#walkField(setting.name, value, kind, depth, setting.place ?? field);
      } else if (field === 'token' && ('tokenid' in object || 'privsep' in object)) {
        next = this.walk(value, kind, depth + 1); // a row of a token listing
      } else if (field === 'value' && 'full-tokenid' in object) {
        next = this.#at('value', () => hideAll(value, this.#hide));
      } else {
        next = this.#walkField(field, value, kind, depth);
      }
      if (next === value) continue;
      out ??= { ...object };
      if (next === DROPPED) delete out[field];
      // not an assignment: a field called `__proto__` must stay a field
      else Object.defineProperty(out, field, { value: next, enumerable: true, configurable: true, writable: true });
    }
    return out ?? object;
  }

  #walkField(field: string, value: unknown, kind: TextKind, depth: number, place: string = field): unknown {
    // `false`, `null` and absent values hide nothing
    if (value === null || value === undefined || typeof value === 'boolean') return value;
    if (this.#rules.keysAreData) return this.#at(place, () => this.walk(value, kind, depth + 1));
    const rule = this.#ruleFor(field);
    if (rule !== undefined) {
      return this.#at(place, () => rule(value, this.#hide));
    }
    const fieldKind = this.#kindOf(field);
    if (fieldKind === 'secret') {
      return this.#at(place, () => hideAll(value, this.#hide));
    }
    if (typeof value === 'number' || (fieldKind === 'safe' && typeof value === 'string' && isShortName(value))) return value;
    return this.#at(place, () => {
      // The tokens of a user, by name
      if (field === 'tokens' && isObject(value)) return this.#walkNamed(value, depth + 1);
      if (fieldKind === 'free')
        return field === 'errors' && isObject(value) ? this.#walkNamed(value, depth + 1) : this.walk(value, 'free', depth + 1);
      if (fieldKind === 'safe')
        return Array.isArray(value) && value.every((item) => typeof item === 'string')
          ? value
          : this.walk(value, 'value', depth + 1);
      return this.walk(value, kind, depth + 1);
    });
  }

  /** An object whose keys are data: validation messages by parameter (`{password: "too short"}`), tokens by name. */
  #walkNamed(object: JsonObject, depth: number): unknown {
    let out: JsonObject | undefined;
    for (const [name, value] of Object.entries(object)) {
      const next = this.walk(value, 'free', depth + 1);
      if (next === value) continue;
      out ??= { ...object };
      Object.defineProperty(out, name, { value: next, enumerable: true, configurable: true, writable: true });
    }
    return out ?? object;
  }

  #at<T>(field: string, work: () => T): T {
    this.#path.push(placeName(field));
    try {
      return work();
    } finally {
      this.#path.pop();
    }
  }

  /** The whole answer: `data` by the endpoint's rules, everything beside it by the same field rules. */
  answer(answer: ApiAnswer): ApiAnswer {
    const data = this.#walkData(answer.data);
    let out: ApiAnswer | undefined;
    if (data !== answer.data) out = { ...answer, data };
    for (const field of Object.keys(answer)) {
      if (field === 'data') continue;
      const next = this.#walkField(field, answer[field], 'value', 0);
      if (next === answer[field]) continue;
      out ??= { ...answer };
      if (next === DROPPED) delete out[field];
      else out[field] = next;
    }
    return out ?? answer;
  }

  #walkData(data: unknown): unknown {
    const kind = this.#rules.text ?? 'free';
    if (typeof data === 'string') return this.#scrub(data, kind);
    // A list of plain strings is a log (the journal) or a text in pieces; rows are read by their fields.
    const isLines = Array.isArray(data) && data.some((item) => typeof item === 'string');
    return this.walk(data, isLines || this.#rules.text !== undefined ? kind : 'value', 0);
  }
}

/**
 * The single way an API answer comes in: hides every secret in it, by the endpoint's own rules first and by field names,
 * encodings and forms for everything else, keys nobody has heard of included. Fields that hold prose are cleaned as well as
 * patterns can. Values are replaced by `[redacted]` and counted; `sshkeys` become `{type, fingerprint, comment}` rows, and
 * the PEM text of certificates is left out. Never throws on odd input.
 * @param template the endpoint's path template, for example `/nodes/{node}/qemu/{vmid}/config`
 */
export function redactAnswer(template: string, answer: ApiAnswer): RedactedAnswer {
  const redaction = new Redaction(template);
  const value = redaction.answer(answer);
  return { value, redacted: redaction.redacted, where: [...redaction.where] };
}
