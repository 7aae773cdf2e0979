/**
 * FIELD T9, T10: rows as real clusters send them, through every tool that shows the inventory. Pools have no node,
 * storages that are not reachable no figures, CPUs may be fractions, and 0 is a figure, not "not told".
 */
import { describe, expect, it } from 'vitest';
import { renderAnswer } from '../../src/answer/render.ts';
import { ApiError } from '../../src/api/errors.ts';
import { tableOf } from '../support/read-answer.ts';
import { FIRST_PAGE, stubCall } from '../support/stub-call.ts';
import { toolNamed } from '../support/tool-named.ts';

const ROWS = [
  { id: 'node/pve1', type: 'node', node: 'pve1', status: 'online', cpu: 0, maxcpu: 4, mem: 1024, maxmem: 4096, level: '' },
  { id: '/pool/prod', type: 'pool', pool: 'prod' },
  { id: 'storage/pve1/nfs', type: 'storage', storage: 'nfs', node: 'pve1', shared: 1, status: 'unknown' },
  { id: 'storage/pve1/local', type: 'storage', storage: 'local', node: 'pve1', status: 'available', disk: 0, maxdisk: 1024 },
  {
    id: 'qemu/100',
    type: 'qemu',
    vmid: 100,
    node: 'pve1',
    name: 'half',
    status: 'running',
    cpu: 0,
    maxcpu: 0.5,
    mem: 1,
    maxmem: 2,
  },
  { id: 'qemu/900', type: 'qemu', vmid: 900, node: 'pve1', name: 'golden', status: 'stopped', template: 1, maxcpu: 2, maxmem: 2 },
  { id: 'lxc/200', type: 'lxc', vmid: '200', node: 'pve1', status: 'running', cpu: '0.25', maxcpu: '1.5', mem: 0, maxmem: 1024 },
  { id: 'sdn/pve1/z', type: 'sdn', node: 'pve1', sdn: 'z', status: 'ok' },
  { id: 'moon/1', type: 'moon', node: 'pve1' },
  { type: 'qemu' },
  null,
  'text',
];

const ANSWERS: Readonly<Record<string, unknown>> = {
  '/cluster/resources': ROWS,
  '/access/permissions': { '/': { 'VM.Audit': 1, 'Sys.Audit': 1, 'Datastore.Audit': 1, 'Pool.Audit': 1, 'SDN.Audit': 1 } },
  '/access/acl': [],
  '/access/roles': [],
  '/storage': [
    { storage: 'nfs', type: 'nfs', content: 'backup', shared: 1 },
    { storage: 'local', type: 'dir', content: 'iso' },
  ],
  '/pools': [{ poolid: 'prod' }],
};

async function textOf(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const tool = toolNamed(name);
  const call = stubCall((path) => ANSWERS[path] ?? new ApiError('upstream', 'not part of this test'));
  const answer = await tool.prepare(args).run(call, FIRST_PAGE);
  return renderAnswer(tool.output, answer, { form: 'text', maxChars: 20_000, now: 0, redacted: 0, cursorFor: () => '' }).text;
}

describe('T9 rows without what others have', () => {
  it.each(['list_guests', 'list_nodes', 'list_storage', 'list_pools', 'get_cluster_overview', 'check_capacity', 'check_health'])(
    '%s: pools without a node, storages without figures, unknown kinds and junk cost nothing',
    async (name) => {
      const text = await textOf(name);
      expect(text).not.toMatch(/undefined|NaN|null|\[object/);
      expect(text.length).toBeGreaterThan(20);
    },
  );

  it('every good row is there', async () => {
    expect(tableOf(await textOf('list_guests')).map((r) => r['vmid'])).toEqual(['100', '200', '900']);
    expect(tableOf(await textOf('list_pools')).map((r) => r['pool'])).toEqual(['prod']);
    expect(tableOf(await textOf('list_storage')).map((r) => [r['storage'], r['state']])).toEqual([
      ['local', 'available'],
      ['nfs', 'inactive'],
    ]);
  });

  it('a storage without figures has blanks, and no zeros', async () => {
    const rows = tableOf(await textOf('list_storage'));
    expect(rows.find((r) => r['storage'] === 'nfs')).toMatchObject({ used: '', total: '' });
    expect(rows.find((r) => r['storage'] === 'local')).toMatchObject({ used: '0%', total: '1 KiB' });
  });

  it('templates are no guests that do not run', async () => {
    expect((await textOf('list_guests')).split('\n')[0]).toMatch(/^3 (?:visible )?guests: 2 running/);
    expect(tableOf(await textOf('list_guests')).find((r) => r['vmid'] === '900')?.['template']).toBe('template');
  });
});

describe('T10 figures as they are', () => {
  it('fractional CPUs, also as texts', async () => {
    const rows = tableOf(await textOf('list_guests'));
    expect(rows.find((r) => r['vmid'] === '100')).toMatchObject({ cores: '0.5' });
    expect(rows.find((r) => r['vmid'] === '200')).toMatchObject({ cores: '1.5', cpu: '25%' });
  });

  it('0 is 0%, and not blank', async () => {
    const rows = tableOf(await textOf('list_guests'));
    expect(rows.find((r) => r['vmid'] === '100')?.['cpu']).toBe('0%');
    expect(rows.find((r) => r['vmid'] === '200')?.['mem']).toBe('0%');
    expect(tableOf(await textOf('list_nodes'))[0]?.['cpu']).toBe('0%');
  });

  it('a stopped guest has blanks, not zeros', async () => {
    expect(tableOf(await textOf('list_guests')).find((r) => r['vmid'] === '900')).toMatchObject({ cpu: '', mem: '' });
  });
});
