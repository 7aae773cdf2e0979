/** Unchanged lines that are shown around a change. */
const CONTEXT = 3;

/** A value behind a name that says it is secret: a difference on a screen must not spread the keys of other servers. */
const SECRET_VALUE = /((?:secret|token|key|password|passwd|authorization|credential)\w*["']?\s*[:=]\s*)(["'])(?!\$\{)[^"']+\2/gi;

/** What changes between two texts, line by line, with a few lines around: `  ` same, `- ` gone, `+ ` new.
 * Empty when equal; values of secrets are masked. */
export function lineDiff(before: string, after: string): readonly string[] {
  if (before === after) return [];
  const old = linesOf(before);
  const now = linesOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const from = Math.max(0, start - CONTEXT);
  const lines = [
    ...(from > 0 ? ['  ...'] : []),
    ...old.slice(from, start).map((line) => `  ${line}`.trimEnd()),
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...now.slice(start, now.length - end).map((line) => `+ ${line}`),
    ...now.slice(now.length - end, now.length - end + CONTEXT).map((line) => `  ${line}`.trimEnd()),
    ...(end > CONTEXT ? ['  ...'] : []),
  ];
  return lines.map((line) => line.replace(SECRET_VALUE, '$1$2***$2'));
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
