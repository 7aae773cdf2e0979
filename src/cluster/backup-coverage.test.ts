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
  expect(found.get(100)).toEqual({ excluded: [{ key: 'scsi1', reason: 'backup=no' }], none: false });
  expect(found.get(200)).toEqual({ excluded: [{ key: 'mp1', reason: 'not told' }], none: true });
  expect(found.get(201)).toEqual({ excluded: [], none: false });
  expect(found.size).toBe(3);
});

test('what is left when every disk is left out is no data', () => {
  const disks = (...children: unknown[]) => parseIncludedVolumes({ children: [{ id: 1000, children }] }).get(1000)?.none;
  const out = { id: '1000:scsi0', included: 0, reason: 'backup=no' };
  expect(disks(out, { id: '1000:efidisk0', included: 1 }, { id: '1000:tpmstate0', included: 1 })).toBe(true);
  expect(disks(out, { id: '1000:scsi1', included: 1 })).toBe(false);
  expect(disks()).toBe(false);
});

test('no tree at all', () => {
  expect(() => parseIncludedVolumes(null)).toThrow('no list');
  expect(() => parseIncludedVolumes({ children: 'x' })).toThrow('no list');
});
