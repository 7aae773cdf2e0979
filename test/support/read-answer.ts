/** The first table in an answer's text (or the one under the title), as rows by column. */
export function tableOf(text: string, title?: string): Record<string, string>[] {
  const lines = text.split('\n');
  const start = title === undefined ? 0 : lines.findIndex((l) => l.startsWith(`## ${title}`));
  if (start < 0) return [];
  const head = lines.findIndex((l, i) => i > start && l.includes('\t'));
  if (head < 0) return [];
  const columns = lines[head]?.split('\t') ?? [];
  const rows: Record<string, string>[] = [];
  for (const line of lines.slice(head + 1)) {
    if (!line.includes('\t')) break;
    const cells = line.split('\t');
    rows.push(Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? ''])));
  }
  return rows;
}

/** The `key: value` lines under a title. */
export function recordOf(text: string, title: string): Record<string, string> {
  const lines = text.split('\n');
  const start = lines.findIndex((l) => l.startsWith(`## ${title}`));
  const found: Record<string, string> = {};
  for (const line of start < 0 ? [] : lines.slice(start + 1)) {
    const match = /^([\w-]+): (.*)$/.exec(line);
    if (match === null) break;
    found[match[1] ?? ''] = match[2] ?? '';
  }
  return found;
}

/** The cursor that an answer's text hands out, if there is more. */
export function cursorOf(text: string): string | undefined {
  return /cursor="([\w-]+)"/.exec(text)?.[1];
}
