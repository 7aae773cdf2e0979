import { expect, test } from 'vitest';
import { stubCall } from '../../test/support/stub-call.ts';
import { readStorageContent } from './storage-content.ts';

const rights = {
  '/access': { 'Sys.Audit': 1 },
  '/vms': { 'VM.Config.Disk': 1 },
  '/storage/san': { 'Datastore.Audit': 1 },
};
const read = (plugin: string) =>
  readStorageContent(
    stubCall((path) => (path === '/access/permissions' ? rights : [])),
    { node: 'n1', storage: 'san', plugin, kinds: ['images'], content: undefined },
  );

test.each(['iscsi', 'iscsidirect'])('%s: LUNs belong to no guest, so that no right on guests opens them', async (plugin) => {
  expect(await read(plugin)).toMatchObject({
    coverage: 'partial',
    hidden: [{ what: 'LUNs on san', privilege: 'Datastore.Allocate', path: '/storage/san' }],
  });
});

test('elsewhere disks are seen with the right on their guests', async () => {
  expect(await read('lvmthin')).toMatchObject({ coverage: 'complete', hidden: [] });
});

test('an answer without a list is no empty storage', async () => {
  const call = stubCall((path) => (path === '/access/permissions' ? rights : null));
  const query = { node: 'n1', storage: 'san', plugin: 'lvmthin', kinds: ['images'], content: undefined };
  await expect(readStorageContent(call, query)).rejects.toMatchObject({ kind: 'malformed-answer' });
});
