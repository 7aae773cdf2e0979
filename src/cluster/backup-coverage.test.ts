import { expect, test } from 'vitest';
import { parseIncludedVolumes } from './backup-coverage.ts';

test('left-out volumes by guest, numbers as text, junk in between', () => {
  const found = parseIncludedVolumes({
    children: [
      {
        id: '100',
        children: [
          { id: '100:scsi1', included: '0', reason: 'backup=no' },
          { id: '100:scsi0', included: 1 },
          { included: 0 },
          'junk',
        ],
      },
      { id: 200, children: [{ id: '200:mp1', included: 0 }] },
      { id: 201, leaf: 1 },
      { name: 'no id' },
      null,
    ],
  });
  expect(found.get(100)).toEqual([{ key: 'scsi1', reason: 'backup=no' }]);
  expect(found.get(200)).toEqual([{ key: 'mp1', reason: 'not told' }]);
  expect(found.get(201)).toEqual([]);
  expect(found.size).toBe(3);
});

test('no tree at all', () => {
  expect(() => parseIncludedVolumes(null)).toThrow('no list');
  expect(() => parseIncludedVolumes({ children: 'x' })).toThrow('no list');
});
