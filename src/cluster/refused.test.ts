import { expect, test } from 'vitest';
import { nameRefused } from './refused.ts';

test('a refusal becomes a hidden thing with a name; other problems stay', () => {
  const gaps = nameRefused(
    {
      problems: [
        { where: {}, kind: 'forbidden', message: 'Not allowed.', needs: 'Sys.Audit or Datastore.Audit on /storage/x' },
        { where: { node: 'a' }, kind: 'timeout', message: 'late' },
        { where: {}, kind: 'forbidden', message: 'Not allowed.', needs: 'to be root@pam itself' },
      ],
      coverage: 'partial',
      hidden: [],
    },
    'metric servers',
  );
  expect(gaps.hidden).toEqual([{ what: 'metric servers', privilege: 'Sys.Audit or Datastore.Audit', path: '/storage/x' }]);
  expect(gaps.problems.map((p) => p.kind)).toEqual(['timeout', 'forbidden']);
  expect(gaps.coverage).toBe('partial');
});

test('of a whole reading only the gaps come back', () => {
  const reading = { data: 'x', problems: [], coverage: 'complete' as const, hidden: [] };
  expect(nameRefused(reading, 'y')).not.toHaveProperty('data');
});
