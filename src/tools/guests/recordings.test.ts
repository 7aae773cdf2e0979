import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RECORDED_ROLES } from '../../../test/recordings/recording-set.ts';
import { openReplaySessions, type ReplaySessions } from '../../../test/recordings/replay-session.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';

const TOOLS = ['get_guest_config', 'get_guest_status', 'list_snapshots', 'get_guest_network'];
const VMIDS = [100, 101, 102, 103, 104, 105, 110, 111, 112, 200, 201, 202, 203, 999];

describe('guest tools and the answers of a real API', () => {
  let sessions: ReplaySessions;
  beforeAll(async () => {
    sessions = await openReplaySessions();
  });
  afterAll(() => sessions.close());
  const ask: ReplaySessions['ask'] = (...what) => sessions.ask(...what);

  test.each(RECORDED_ROLES)('every guest as %s: an answer or a known kind of error, and no secret', async (role) => {
    for (const tool of TOOLS) {
      for (const vmid of VMIDS) {
        const { text, errorKind } = await ask(role, tool, { vmid });
        expect(['node-unreachable', 'not-found', 'forbidden', undefined], `${tool} ${vmid}: ${text}`).toContain(errorKind);
      }
    }
    // The one state that nobody recorded: container 200 as it runs, for the token that may read it.
    expect(sessions.server.missing.filter((what) => what !== 'GET /nodes/pve1/lxc/200/config?current=1 as full')).toEqual([]);
  });

  test('the values of VM 100', async () => {
    const { text } = await ask('readonly', 'get_guest_config', { vmid: 100 });
    expect(recordOf(text, 'config')).toMatchObject({ cpus: '8', memory: '8 GiB', cpu_limit: '2.5', agent: 'yes' });
    expect(tableOf(text, 'pending').map((p) => p['key'])).toEqual(['cores', 'memory', 'net1', 'searchdomain']);
    const network = await ask('readonly', 'get_guest_network', { vmid: 100 });
    expect(tableOf(network.text, 'addresses').map((a) => [a['address'], a['source']])).toEqual([
      ['192.0.2.10/24', 'agent'],
      ['2001:db8::10/64', 'config'],
    ]);
  });

  test('two snapshots of VM 101, one of them stuck', async () => {
    const { text } = await ask('readonly', 'list_snapshots', { vmid: 101 });
    expect(text.split('\n')[0]).toContain('2 snapshots');
    expect(text.split('\n')[0]).toContain('1 STUCK (initial: prepare)');
    const old = await ask('readonly', 'get_guest_config', { vmid: 101, snapshot: 'before-upgrade' });
    expect(recordOf(old.text, 'config')).toMatchObject({ cpus: '8', memory: '32 GiB' });
  });

  test('container 200: the configuration is refused to the auditor, its addresses are not', async () => {
    const { text } = await ask('readonly', 'get_guest_config', { vmid: 200 });
    expect(text).toContain('a bug of Proxmox VE');
    const network = await ask('readonly', 'get_guest_network', { vmid: 200 });
    expect(tableOf(network.text).map((a) => a['address'])).toEqual(['192.0.2.2/24', 'fd00::2/64']);
  });

  test('a node that is online by the member list and does not answer, and one that is offline', async () => {
    const online = await ask('readonly', 'get_guest_status', { vmid: 104 });
    expect(online.text).toContain("running by the cluster's view");
    expect((await ask('readonly', 'get_guest_status', { vmid: 105 })).text).toContain('Problem: pve3 (node-unreachable)');
    expect(await ask('readonly', 'get_guest_config', { vmid: 104 })).toMatchObject({
      isError: true,
      errorKind: 'node-unreachable',
    });
  });
});
