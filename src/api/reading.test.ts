import { expect, test } from 'vitest';
import { type Gaps, mergeGaps, NO_GAPS } from './reading.ts';

const gap = (coverage: Gaps['coverage'], why?: string): Gaps => ({ ...NO_GAPS, coverage, why });

test('every reason is kept, once: the first one alone would explain the others away', () => {
  const merged = mergeGaps(gap('unknown', 'roles can not be read'), gap('partial', '3 of 9 were not read in time'), NO_GAPS);
  expect(merged).toMatchObject({ coverage: 'partial', why: 'roles can not be read; 3 of 9 were not read in time' });
  expect(mergeGaps(merged, gap('partial', '3 of 9 were not read in time'), gap('unknown', 'more')).why).toBe(
    'roles can not be read; 3 of 9 were not read in time; more',
  );
});

test('problems and hidden things are told once, and the worst coverage counts', () => {
  const problem = { where: { node: 'n1' }, kind: 'timeout' as const, message: 'late' };
  const hidden = { what: 'tasks', privilege: 'Sys.Audit', path: '/nodes' };
  const one: Gaps = { problems: [problem], hidden: [hidden], coverage: 'partial' };
  expect(mergeGaps(one, { ...one }, gap('unknown'))).toEqual({ ...one, why: undefined });
  expect(mergeGaps(NO_GAPS, NO_GAPS)).toEqual({ ...NO_GAPS, why: undefined });
});
