/** test/field-faults.md says where each fault is tested; the files are there and carry its number. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const rows = readFileSync(new URL('test/field-faults.md', root), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const number = /^\| (T\d+) \|/.exec(line)?.[1];
    return number === undefined
      ? []
      : [{ number, line, files: [...line.matchAll(/`([\w/.-]+\.test\.ts)`/g)].map(([, file = '']) => file) }];
  });

it('every fault from T1 to T30 has its row, once', () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 30 }, (_, i) => `T${i + 1}`));
});

it.each(rows)('$number: its tests exist, and one of them is named after it', ({ number, line, files }) => {
  expect(files.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
  const named = files.filter((file) => new RegExp(`\\b${number}\\b`).test(readFileSync(new URL(file, root), 'utf8')));
  expect(named.length > 0 || line.includes('(not about reading)'), line).toBe(true);
});
