/**
 * The text of an env file with some variables set and others taken out; comments, order and every other line stay. A variable
 * that stands there more than once is set at its last place, which is the one that counts, and the others go.
 *
 * @param values by name; undefined takes a variable out
 */
export function setVariables(text: string, values: Readonly<Record<string, string | undefined>>): string {
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
  const last = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    const name = variableOf(line);
    if (name !== undefined) last.set(name, index);
  }
  const kept = lines.flatMap((line, index) => {
    const name = variableOf(line);
    if (name === undefined || !Object.hasOwn(values, name)) return [line];
    const value = values[name];
    return value === undefined || last.get(name) !== index ? [] : [`${name}=${quote(value)}`];
  });
  const added = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || last.has(name) ? [] : [`${name}=${quote(value)}`],
  );
  return `${[...kept, ...added].join('\n')}\n`;
}

function variableOf(line: string): string | undefined {
  return /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=/.exec(line)?.[1];
}

/** Quotes only where the format needs them: blanks at the ends, `#`, and quotes themselves. */
function quote(value: string): string {
  if (/^[^\s#"'`\\]*$/.test(value)) return value;
  const mark = ["'", '"', '`'].find((candidate) => !value.includes(candidate) && !(candidate === '"' && value.includes('\\')));
  if (mark === undefined || value.includes('\n')) throw new TypeError('an env file cannot hold this value');
  return `${mark}${value}${mark}`;
}
