import { describe, expect, it } from 'vitest';
import { alignColumns, clip, hangingColumns, paintFor, widthOf, wrapWords } from './terminal.ts';

describe('paintFor', () => {
  it('colours a terminal only, and not with NO_COLOR', () => {
    expect(paintFor({ isTTY: true }, {}).good('x')).toBe('\u001b[32mx\u001b[39m');
    expect(paintFor({ isTTY: true }, { NO_COLOR: '1' }).good('x')).toBe('x');
    expect(paintFor({ isTTY: true }, { TERM: 'dumb' }).good('x')).toBe('x');
    expect(paintFor({}, {}).good('x')).toBe('x');
  });
});

describe('layout', () => {
  it('has a width without a terminal, and a least one', () => {
    expect([widthOf({}), widthOf({ columns: 3 }), widthOf({ columns: 200 })]).toEqual([100, 40, 200]);
  });

  it('clips by code points and marks the cut', () => {
    expect(clip('üüüü', 4)).toBe('üüüü');
    expect(clip('😀😀😀😀', 3)).toBe('😀😀…');
  });

  it('aligns all columns but the last', () => {
    expect(
      alignColumns([
        ['a', 'bbb', 'c'],
        ['aaaa', 'b', ''],
      ]),
    ).toEqual(['a     bbb  c', 'aaaa  b']);
    expect(alignColumns([['abcdef', 'x']], 4)).toEqual(['abc…  x']);
  });

  it('wraps at blanks, and lets a long word be', () => {
    expect(wrapWords('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapWords('x 12345678901 y', 5)).toEqual(['x', '12345678901', 'y']);
    expect(wrapWords('', 5)).toEqual([]);
  });

  it('hangs the last column under itself', () => {
    expect(
      hangingColumns(
        [
          ['ab', 'one two three four five six seven'],
          ['c', ''],
        ],
        34,
      ),
    ).toEqual([['ab  one two three four five six', '    seven'], ['c']]);
  });
});
