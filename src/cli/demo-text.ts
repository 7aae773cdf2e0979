import { alignColumns, clip } from './terminal.ts';

const MAX_CELL = 32;

/** Lines about what an answer lacks; they are never cut away. */
const REMARK = /^(?:Problem|Hidden|Coverage|Redacted)\b/;

/** Tab-separated rows that stand together become columns. */
export function columnsOf(text: string): readonly string[] {
  const lines: string[] = [];
  let block: string[][] = [];
  const flush = (): void => {
    lines.push(...alignColumns(block, MAX_CELL));
    block = [];
  };
  for (const line of text.split('\n')) {
    if (line.includes('\t')) {
      block.push(line.split('\t'));
    } else {
      flush();
      lines.push(line);
    }
  }
  flush();
  return lines;
}

/** An answer for a terminal: columns, each line within the width, and only its first lines unless `maxLines` is absent. */
export function answerForTerminal(text: string, width: number, maxLines: number | undefined): readonly string[] {
  // A cursor is for the model; a person goes on with --full.
  const lines = columnsOf(text).filter((line) => !line.includes('cursor="'));
  const shown = maxLines === undefined || lines.length <= maxLines ? lines : shorten(lines, maxLines);
  return shown.map((line) => clip(line, width));
}

function shorten(lines: readonly string[], maxLines: number): readonly string[] {
  const head = lines.slice(0, maxLines);
  const rest = lines.slice(maxLines);
  const remarks = rest.filter((line) => REMARK.test(line));
  const left = rest.length - remarks.length;
  return [...head, ...(left === 0 ? [] : [`... ${left} more lines`]), ...remarks];
}

/** `list_guests status=running fields=vmid,name`. */
export function callText(tool: string, args: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(args).map(([key, value]) => `${key}=${Array.isArray(value) ? value.join(',') : String(value)}`);
  return [tool, ...words].join(' ');
}

/** Near enough for English and numbers. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
