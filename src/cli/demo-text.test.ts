import { describe, expect, it } from 'vitest';
import { answerForTerminal, callText, columnsOf, tokensOf } from './demo-text.ts';

describe('answerForTerminal', () => {
  it('puts rows into columns, each block for itself', () => {
    expect(columnsOf('head\na\tb\nlonger\tc\n## next\nx\ty')).toEqual(['head', 'a       b', 'longer  c', '## next', 'x  y']);
  });

  it('shows the first lines, and never cuts what an answer lacks', () => {
    const text = ['head', ...Array.from({ length: 6 }, (_, i) => `line ${i}`), 'Problem: pve3 is down', 'Redacted: 1 value'].join(
      '\n',
    );
    expect(answerForTerminal(text, 80, 3)).toEqual([
      'head',
      'line 0',
      'line 1',
      '... 4 more lines',
      'Problem: pve3 is down',
      'Redacted: 1 value',
    ]);
    expect(answerForTerminal(text, 80, undefined)).toHaveLength(9);
  });

  it('fits the width and leaves the cursor to the model', () => {
    expect(answerForTerminal('0123456789\nNext: 3 more with cursor="abc"', 5, 10)).toEqual(['0123…']);
  });
});

it('shows a call as a person would write it', () => {
  expect(callText('list_guests', { status: 'running', fields: ['vmid', 'name'], limit: 3 })).toBe(
    'list_guests status=running fields=vmid,name limit=3',
  );
  expect(callText('list_nodes', {})).toBe('list_nodes');
});

it('estimates tokens upwards', () => {
  expect(tokensOf('12345')).toBe(2);
});
