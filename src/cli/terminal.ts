import { styleText } from 'node:util';

/** Colours for people; without a terminal, or with NO_COLOR set, the text stays as it is. */
export interface Paint {
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
}

/** What of a stream matters here; `process.stdout` is one. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

const DEFAULT_COLUMNS = 100;
const MIN_COLUMNS = 40;

export function paintFor(screen: Screen, env: Readonly<Record<string, string | undefined>>): Paint {
  const on = screen.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    on ? styleText(format, text, { validateStream: false }) : text;
  return { strong: style('bold'), faint: style('dim'), good: style('green'), bad: style('red'), warn: style('yellow') };
}

/** Characters of a line. */
export function widthOf(screen: Screen): number {
  return Math.max(MIN_COLUMNS, screen.columns ?? DEFAULT_COLUMNS);
}

/** The text within a width; what is cut is marked. Counted in code points, which is near enough for a terminal. */
export function clip(text: string, width: number): string {
  const points = [...text];
  return points.length <= width ? text : `${points.slice(0, Math.max(0, width - 1)).join('')}…`;
}

/** Cells in columns, two blanks apart; the last column is not padded. */
export function alignColumns(rows: readonly (readonly string[])[], maxCell = Number.POSITIVE_INFINITY): readonly string[] {
  const widths: number[] = [];
  const cut = rows.map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : clip(cell, maxCell))));
  for (const row of cut) {
    row.forEach((cell, i) => {
      if (i < row.length - 1) widths[i] = Math.max(widths[i] ?? 0, [...cell].length);
    });
  }
  return cut.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - [...cell].length))))
      .join('  ')
      .trimEnd(),
  );
}

/** Words in lines of at most `width` characters; a word that is longer stands alone. */
export function wrapWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return line === '' ? lines : [...lines, line];
}

const MIN_LAST_COLUMN = 30;

/** Rows in columns whose last one is wrapped within the width and goes on under itself; the lines of each row. */
export function hangingColumns(rows: readonly (readonly string[])[], width: number): readonly (readonly string[])[] {
  const lefts = alignColumns(rows.map((row) => row.slice(0, -1)));
  const column = Math.max(0, ...lefts.map((left) => left.length)) + 2;
  return rows.map((row, i) => {
    const [first = '', ...rest] = wrapWords(row.at(-1) ?? '', Math.max(MIN_LAST_COLUMN, width - column));
    return [`${(lefts[i] ?? '').padEnd(column)}${first}`.trimEnd(), ...rest.map((line) => ' '.repeat(column) + line)];
  });
}
