/**
 * Sets one value in the text of a JSON file and leaves everything else as it is: comments, order, indentation, trailing
 * commas. Clients' settings files are people's own, often with comments in them, so that parsing and printing would lose things.
 */

/** A value and where it stands in the text; `end` is exclusive. */
interface JsonNode {
  readonly kind: 'object' | 'array' | 'scalar';
  readonly start: number;
  readonly end: number;
  readonly members: readonly Member[];
  readonly items: readonly JsonNode[];
  readonly value: unknown;
}

interface Member {
  readonly key: string;
  readonly keyStart: number;
  readonly value: JsonNode;
}

/** Parses JSON with comments and trailing commas. @throws SyntaxError with the position */
export function parseJsonc(text: string): unknown {
  return plainValue(parse(text));
}

function plainValue(node: JsonNode): unknown {
  if (node.kind === 'array') return node.items.map(plainValue);
  if (node.kind === 'scalar') return node.value;
  // `__proto__` is a key like any other in JSON.
  const result: Record<string, unknown> = Object.create(null);
  for (const { key, value } of node.members) result[key] = plainValue(value);
  return { ...result };
}

/**
 * The text with the value at a path of object keys set. Missing objects on the way are made; an existing value is replaced.
 *
 * @throws SyntaxError when the text is no JSON, TypeError when something on the way is no object
 */
export function setJsonc(text: string, path: readonly string[], value: unknown): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  if (text.trim() === '') return `${print(nest(path, value), '', '  ', eol)}${eol}`;
  let node = parse(text);
  const unit = unitOf(text, node);
  for (const [depth, key] of path.entries()) {
    if (node.kind !== 'object') throw new TypeError(`${path.slice(0, depth).join('.') || 'the file'} is not an object`);
    const member = node.members.findLast((m) => m.key === key);
    if (member === undefined) return insert(text, node, key, nest(path.slice(depth + 1), value), unit, eol);
    node = member.value;
  }
  return text.slice(0, node.start) + print(value, lineIndent(text, node.start), unit, eol) + text.slice(node.end);
}

/** The text with a value appended to the list at a path of object keys; the list is made where there is none. */
export function appendJsonc(text: string, path: readonly string[], value: unknown): string {
  let node: JsonNode | undefined = text.trim() === '' ? undefined : parse(text);
  for (const key of path) node = node?.members.findLast((m) => m.key === key)?.value;
  if (node === undefined) return setJsonc(text, path, [value]);
  if (node.kind !== 'array') throw new TypeError(`${path.join('.')} is not a list`);
  return setJsonc(text, path, [...node.items.map(plainValue), value]);
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function insert(text: string, parent: JsonNode, key: string, value: unknown, unit: string, eol: string): string {
  const last = parent.members.at(-1);
  const indent = last === undefined ? lineIndent(text, parent.start) + unit : lineIndent(text, last.keyStart);
  const line = `${indent}${JSON.stringify(key)}: ${print(value, indent, unit, eol)}`;
  if (last === undefined) {
    // What stands between the braces can only be blanks and comments; the latter stay, in front.
    const inner = text.slice(parent.start + 1, parent.end - 1).trimEnd();
    return `${text.slice(0, parent.start + 1)}${inner}${eol}${line}${eol}${lineIndent(text, parent.start)}${text.slice(parent.end - 1)}`;
  }
  const comma = commaAfter(text, last.value.end);
  const head = comma === undefined ? `${text.slice(0, last.value.end)},` : text.slice(0, comma + 1);
  const tail = text.slice(comma === undefined ? last.value.end : comma + 1, parent.end - 1);
  return `${head}${tail.trimEnd()}${eol}${line}${eol}${lineIndent(text, parent.start)}${text.slice(parent.end - 1)}`;
}

function print(value: unknown, indent: string, unit: string, eol: string): string {
  return JSON.stringify(value, undefined, unit).split('\n').join(`${eol}${indent}`);
}

/** Blanks at the start of the line that a position is on. */
function lineIndent(text: string, position: number): string {
  const lineStart = text.lastIndexOf('\n', position - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart))?.[0] ?? '';
}

/** One level of the file's own indentation. */
function unitOf(text: string, root: JsonNode): string {
  const first = root.members[0];
  const indent = first === undefined ? '' : lineIndent(text, first.keyStart);
  return indent === '' ? '  ' : indent;
}

function commaAfter(text: string, position: number): number | undefined {
  const next = skip(text, position);
  return text[next] === ',' ? next : undefined;
}

/** The next position that is neither a blank nor in a comment. */
function skip(text: string, from: number): number {
  const gap = /(?:[\s\uFEFF]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
  gap.lastIndex = from;
  gap.exec(text);
  return gap.lastIndex;
}

const MAX_DEPTH = 100;

function parse(text: string): JsonNode {
  const root = parseValue(text, skip(text, 0), 0);
  const rest = skip(text, root.end);
  if (rest < text.length) throw unexpected(text, rest);
  return root;
}

function unexpected(text: string, position: number): SyntaxError {
  const line = text.slice(0, position).split('\n').length;
  return new SyntaxError(`line ${line} is not JSON${position >= text.length ? ': the file ends too early' : ''}`);
}

function parseValue(text: string, start: number, depth: number): JsonNode {
  if (depth > MAX_DEPTH) throw unexpected(text, start);
  if (text[start] === '{') return parseObject(text, start, depth);
  if (text[start] === '[') return parseArray(text, start, depth);
  const scalar = /"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y;
  scalar.lastIndex = start;
  const match = scalar.exec(text)?.[0];
  if (match === undefined) throw unexpected(text, start);
  return { kind: 'scalar', start, end: start + match.length, members: [], items: [], value: parseScalar(text, start, match) };
}

function parseScalar(text: string, start: number, word: string): unknown {
  try {
    return JSON.parse(word);
  } catch {
    // The engine's message counts from the word; a line number of the file is of use.
    throw unexpected(text, start);
  }
}

function parseObject(text: string, start: number, depth: number): JsonNode {
  const members: Member[] = [];
  let position = skip(text, start + 1);
  while (text[position] !== '}') {
    const name = parseValue(text, position, depth + 1);
    if (typeof name.value !== 'string') throw unexpected(text, position);
    const colon = skip(text, name.end);
    if (text[colon] !== ':') throw unexpected(text, colon);
    const value = parseValue(text, skip(text, colon + 1), depth + 1);
    members.push({ key: name.value, keyStart: position, value });
    position = afterItem(text, value.end, '}');
  }
  return { kind: 'object', start, end: position + 1, members, items: [], value: undefined };
}

function parseArray(text: string, start: number, depth: number): JsonNode {
  const items: JsonNode[] = [];
  let position = skip(text, start + 1);
  while (text[position] !== ']') {
    const item = parseValue(text, position, depth + 1);
    items.push(item);
    position = afterItem(text, item.end, ']');
  }
  return { kind: 'array', start, end: position + 1, members: [], items, value: undefined };
}

function afterItem(text: string, end: number, close: string): number {
  const next = skip(text, end);
  if (text[next] === ',') return skip(text, next + 1);
  if (text[next] !== close) throw unexpected(text, next);
  return next;
}
