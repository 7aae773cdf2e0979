/**
 * Sets one server's tables in the text of a TOML file and leaves every other line as it is. Only table headers are understood,
 * which is all that is needed; where the server is written in another way, the edit is refused.
 */

interface Header {
  readonly line: number;
  readonly path: readonly string[];
}

/**
 * The text with the tables `root.name` and below it replaced by the given ones, or with these at its end.
 *
 * @param tables TOML text of the tables, with a line feed at its end
 * @throws TypeError when the server is there in a form that can't be replaced line by line
 */
export function setToml(text: string, root: string, name: string, tables: string): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/\r?\n/);
  const headers = headersOf(lines);
  refuseOtherForms(lines, headers, root, name);
  const kept: string[] = [];
  let place: number | undefined;
  let from = 0;
  for (const [index, header] of headers.entries()) {
    if (header.path[0] !== root || header.path[1] !== name) continue;
    kept.push(...lines.slice(from, header.line));
    place ??= kept.length;
    from = endOfTable(lines, header.line, headers[index + 1]?.line ?? lines.length);
  }
  kept.push(...lines.slice(from));
  const mine = tables.trimEnd().split('\n');
  if (place === undefined) {
    const before = trimEnd(kept);
    return [...before, ...(before.length === 0 ? [] : ['']), ...mine, ''].join(eol);
  }
  return [...kept.slice(0, place), ...mine, ...kept.slice(place)].join(eol);
}

/** Blank lines and comments in front of the next table belong to that one. */
function endOfTable(lines: readonly string[], start: number, next: number): number {
  let end = next;
  while (end > start + 1 && /^\s*(?:#.*)?$/.test(lines[end - 1] ?? '')) end -= 1;
  return end;
}

function trimEnd(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(0, last + 1);
}

/** Table headers outside of strings that span lines. */
function headersOf(lines: readonly string[]): readonly Header[] {
  const headers: Header[] = [];
  let inside: '"""' | "'''" | undefined;
  for (const [line, text] of lines.entries()) {
    if (inside === undefined) {
      const path = headerPath(text);
      if (path !== undefined) headers.push({ line, path });
    }
    inside = stringAfter(text, inside);
  }
  return headers;
}

/** Whether a line leaves a multi-line string open. */
function stringAfter(line: string, inside: '"""' | "'''" | undefined): '"""' | "'''" | undefined {
  let open = inside;
  // Longest first; one-line strings are passed over whole, and so is a comment.
  for (const [token] of line.matchAll(/\\.|"""|'''|"(?:[^"\\]|\\.)*"|'[^']*'|#.*/g)) {
    if (open !== undefined) {
      if (token === open) open = undefined;
    } else if (token === '"""' || token === "'''") {
      open = token;
    }
  }
  return open;
}

const KEY = /^\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*/;

function headerPath(line: string): readonly string[] | undefined {
  const inner = /^\s*\[\[?(.*?)\]\]?\s*(?:#.*)?$/.exec(line)?.[1];
  const key = inner === undefined ? undefined : keyPath(inner);
  return key?.rest === '' ? key.path : undefined;
}

/** A dotted key at the start of a text, and what follows it. */
function keyPath(text: string): { path: readonly string[]; rest: string } | undefined {
  const path: string[] = [];
  let rest = text;
  for (;;) {
    const match = KEY.exec(rest);
    if (match === null) return undefined;
    path.push(match[1] ?? match[2] ?? match[3] ?? '');
    rest = rest.slice(match[0].length);
    if (!rest.startsWith('.')) return { path, rest };
    rest = rest.slice(1);
  }
}

function refuseOtherForms(lines: readonly string[], headers: readonly Header[], root: string, name: string): void {
  let table: readonly string[] = [];
  let inside: '"""' | "'''" | undefined;
  for (const [index, line] of lines.entries()) {
    table = headers.find((header) => header.line === index)?.path ?? table;
    const key = inside === undefined && !headers.some((header) => header.line === index) ? keyPath(line) : undefined;
    inside = stringAfter(line, inside);
    if (key === undefined || !key.rest.startsWith('=')) continue;
    const full = [...table, ...key.path];
    const defines = table.length < 2 && full[0] === root && (full.length === 1 || full[1] === name);
    if (defines) throw new TypeError(`line ${index + 1} defines ${full.join('.')} without a table of its own`);
  }
}
