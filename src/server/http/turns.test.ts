import { describe, expect, it } from 'vitest';
import { createTurns } from './turns.ts';

describe('requests that arrive together', () => {
  it('begin one after the other, in their order, with room for others in between', async () => {
    const turn = createTurns();
    const log: string[] = [];
    const note = (): void => {
      log.push('other');
      if (log.length < 8) setImmediate(note);
    };
    setImmediate(note);
    await Promise.all(['a', 'b', 'c'].map((name) => turn().then(() => log.push(name))));
    expect(log.filter((name) => name !== 'other')).toEqual(['a', 'b', 'c']);
    expect(log.join(' ')).toMatch(/a.*other.*b.*other.*c/);
  });

  it('begin again after a pause', async () => {
    const turn = createTurns();
    await turn();
    await turn();
    await Promise.all([turn(), turn()]);
  });
});
