import { expect, test } from 'vitest';
import { parsePending } from './pending.ts';

test('values that change, in the order of their keys', () => {
  const { changes, running } = parsePending([
    { key: 'net10', value: 'virtio', delete: 1 },
    { key: 'net2', value: 'virtio', delete: '2' },
    { key: 'cores', value: 4, pending: 8 },
    { key: 'memory', value: '4096' },
    { key: 'vga', pending: 'qxl' },
    { value: 'no key' },
    null,
  ]);
  expect(changes).toEqual([
    { key: 'cores', now: '4', after: '8', deleted: false },
    { key: 'net2', now: 'virtio', after: undefined, deleted: true },
    { key: 'net10', now: 'virtio', after: undefined, deleted: true },
    { key: 'vga', now: undefined, after: 'qxl', deleted: false },
  ]);
  expect(running).toEqual({ cores: 4, memory: '4096', net2: 'virtio', net10: 'virtio' });
});

test('equal values are no change, but two hidden ones may be', () => {
  const { changes } = parsePending([
    { key: 'nameserver', value: '192.0.2.1', pending: '192.0.2.1' },
    { key: 'cores', value: '2', pending: 2 },
    { key: 'cipassword', value: '[redacted]', pending: '[redacted]' },
  ]);
  expect(changes.map((c) => c.key)).toEqual(['cipassword']);
});

test('notes and keys are named, not shown', () => {
  const { changes } = parsePending([
    { key: 'description', value: 'a', pending: 'bb\ncc' },
    { key: 'sshkeys', value: [{ type: 'x' }], pending: [{ type: 'y' }] },
  ]);
  expect(changes).toEqual([
    { key: 'description', now: '(1 characters)', after: '(5 characters)', deleted: false },
    { key: 'sshkeys', now: '(list)', after: '(list)', deleted: false },
  ]);
});

test('cloud-init rows of 7.4', () => {
  expect(parsePending([{ key: 'ciuser', old: 'a', new: 'b' }]).changes).toEqual([
    { key: 'ciuser', now: 'a', after: 'b', deleted: false },
  ]);
});

test.each([[null], [{}], ['x']])('%j is no list of changes', (data) => {
  expect(() => parsePending(data)).toThrow('no list');
});
