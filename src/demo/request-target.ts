/** Reading of the request line's target and of form bodies, with the API's leniency about broken encodings. */

/** One value, or all of them when a key was given more than once. */
export type ParamValue = string | readonly string[];
export type ParamValues = ReadonlyMap<string, ParamValue>;

export interface RequestTarget {
  /** Percent-decoded, slashes not yet collapsed. */
  readonly path: string;
  readonly query: ParamValues;
}

/** Splits and decodes a request target such as `/api2/json/nodes?x=1`. Dot segments are left as they are. */
export function parseTarget(target: string): RequestTarget {
  const mark = target.indexOf('?');
  const rawPath = mark === -1 ? target : target.slice(0, mark);
  return { path: percentDecode(rawPath), query: mark === -1 ? new Map() : parseForm(target.slice(mark + 1)) };
}

/** Parses `a=1&b=2;c=3`; both separators count, `+` is a space, a key without `=` has an empty value. */
export function parseForm(text: string): ParamValues {
  const values = new Map<string, ParamValue>();
  for (const pair of text.split(/[&;]/)) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const key = decodeComponent(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : decodeComponent(pair.slice(equals + 1));
    const before = values.get(key);
    if (before === undefined) values.set(key, value);
    else values.set(key, typeof before === 'string' ? [before, value] : [...before, value]);
  }
  return values;
}

/** The non-empty segments of a decoded path: `//nodes/pve1/` gives `nodes`, `pve1`. */
export function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function decodeComponent(text: string): string {
  return percentDecode(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

/** Decodes what can be decoded: stray percent signs stay, bytes that are no UTF-8 become U+FFFD. */
function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
  }
}
