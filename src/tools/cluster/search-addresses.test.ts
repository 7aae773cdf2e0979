import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { type Harness, openHarness } from '../../../test/support/harness.ts';
import { cursorOf, tableOf } from '../../../test/support/read-answer.ts';

/** The address book: search_inventory by IP, CIDR, MAC or VLAN. */
describe('search_inventory for addresses', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  const ask = async (query: string, args: Record<string, unknown> = {}, by: Harness = h) => {
    const from = by.demo.requests.length;
    const { text, isError } = await by.call('search_inventory', { query, ...args });
    expect(isError, text).toBe(false);
    expect(text.length).toBeLessThanOrEqual(10_000);
    const rows = tableOf(text).map((r) => `${r['kind']} ${r['id']}: ${r['match']}`);
    return { text, rows, requests: by.demo.requests.slice(from) };
  };

  test('configured addresses, each with its source; live ones are not asked for, and their price is said', async () => {
    const { text, rows, requests } = await ask('192.0.2.10');
    expect(rows).toEqual(['guest 100: 192.0.2.10/24: cloud-init net0']);
    expect(requests.filter((r) => /\/agent\/|\/interfaces$/.test(r.path))).toEqual([]);
    // One for each guest that can be read, one for each online node, and few that never grow.
    const readable = [...worldOf(h.demo).guests.values()].filter((g) => g.node !== 'pve3').length;
    expect(requests.length).toBeLessThanOrEqual(readable + 2 + 12);
    expect(text).toMatch(
      /Next: search_inventory query="192.0.2.10" deep=true \(also asks 7 guest agents and 5 containers; a silent agent takes seconds\)/,
    );
    expect(text).toMatch(/Coverage: .*\d+ guests have interfaces without a configured address \(DHCP, or set inside\)/);
    expect((await ask('10.20.0.60')).rows).toEqual(['guest 205: 10.20.0.60/24: configured net0']);
  });

  test('deep asks agents and containers, and puts the sources side by side', async () => {
    const { rows, text, requests } = await ask('192.0.2.0/24', { deep: true });
    expect(rows).toEqual([
      'guest 100: 192.0.2.10/24: cloud-init net0, agent eth0 (net0)',
      'guest 221: 192.0.2.61/24: configured net0, container eth0 (net0)',
      'guest 120: 192.0.2.40/24: agent ens18 (net0)',
      // Its configuration is refused to an auditor, but its addresses are not.
      'guest 200: 192.0.2.20/24: container eth0',
    ]);
    expect(text).toContain('Problem: guest 113 on pve1, guest 122 on pve2 (timeout): The guest agent does not answer');
    // Only running machines whose agent is enabled, and running containers.
    const world = worldOf(h.demo);
    const asked = requests.filter((r) => /\/agent\/|\/interfaces$/.test(r.path)).map((r) => Number(r.path.split('/')[4]));
    for (const vmid of asked) expect(world.guests.get(vmid)?.power).toBe('running');
    expect(asked).not.toContain(112);
    expect(asked).not.toContain(102);
    expect(text).toMatch(/Coverage: .*known to nobody here: not running, or no agent that answers/);
  });

  test.each(['192.0.2.0/24', 'bc:24:11', 'web'])(
    'deep: no configuration is read twice, %s, also where it fails',
    async (query) => {
      const off = h.demo.faults.add({ kind: 'status-500', match: /\/(?:100|120|221)\/config$/ });
      try {
        const { requests, text } = await ask(query, { deep: true });
        const read = requests.map((r) => r.path).filter((path) => path.endsWith('/config'));
        expect(read.length).toBeGreaterThan(0);
        expect(read.filter((path, index) => read.indexOf(path) !== index)).toEqual([]);
        // What a container tells itself needs no configuration.
        if (query.startsWith('192')) expect(text).toContain('192.0.2.61/24: container eth0');
      } finally {
        off();
      }
    },
  );

  test('IPv6 in any spelling; the gateway is no holder, but found in the configuration', async () => {
    expect((await ask('2001:0DB8:2:0::10')).rows).toEqual(['guest 100: 2001:db8:2::10/64: cloud-init net0']);
    expect((await ask('10.20.0.1')).rows).toEqual([
      expect.stringMatching(/^guest 203: net0: .*gw=10\.20\.0\.1/),
      expect.stringMatching(/^guest 205: net0: .*gw=10\.20\.0\.1/),
    ]);
  });

  test('nodes, offline ones too, and the SDN', async () => {
    const { rows, requests } = await ask('10.20.0.11-10.20.0.13');
    expect(rows).toEqual([
      'node pve1: 10.20.0.11/24: cluster membership, cluster link 0, node network vmbr0',
      'node pve2: 10.20.0.12/24: cluster membership, cluster link 0, node network vmbr0',
      'node pve3: 10.20.0.13: cluster membership, cluster link 0',
    ]);
    expect(requests.filter((r) => r.path.startsWith('/nodes/pve3/'))).toEqual([]);
    const lab = await ask('10.30.0');
    expect(lab.rows).toContain('guest 100: 10.30.0.100: SDN IPAM labnet');
    expect(lab.rows).toContain('network labnet: 10.30.0.1: SDN IPAM labnet, gateway');
    expect(lab.text).toContain('Note: Not readable through Proxmox VE: what netbox, phpipam (external IPAM) hold.');
  });

  test('a hardware address that two guests have is named', async () => {
    const { text, rows } = await ask('bc-24-11-20-01-04');
    expect(rows.map((r) => r.split(':')[0])).toEqual(['guest 104', 'guest 115']);
    expect(text).toContain(
      'Note: The same address at several places: BC:24:11:20:01:04 at guest 104 (configured net0 on vmbr0) and guest 115 (configured net0 on vmbr1).',
    );
    // Every guest of the cluster: that one is the only duplicate.
    const all = await ask('BC:24:11');
    expect(all.text.match(/The same address at several places: [^\n]*/)?.[0]).toBe(
      'The same address at several places: BC:24:11:20:01:04 at guest 104 (configured net0 on vmbr0) and guest 115 (configured net0 on vmbr1).',
    );
  });

  test('near miss: the inner network of two docker hosts is no duplicate', async () => {
    const { rows, text } = await ask('172.17.0.1', { deep: true });
    expect(rows).toEqual(['guest 100: 172.17.0.1/16: agent docker0', 'guest 204: 172.17.0.1/16: container docker0']);
    expect(text).not.toContain('several places');
  });

  test('a VLAN: tags, trunks, VNets and nodes', async () => {
    const { rows, requests } = await ask('vlan 20');
    expect(rows).toEqual([
      'network office: VLAN 20: configured VNet of zone campus',
      'guest 100: VLAN 20: configured net0 on vmbr0',
      'guest 102: VLAN 10;20-30: configured net0 on vmbr0, trunk',
      'guest 112: VLAN 20: configured net2 on vmbr0',
      'guest 116: VLAN 20: configured net0 on vmbr0',
    ]);
    expect(requests.filter((r) => /ipams|agent/.test(r.path))).toEqual([]);
    expect((await ask('VLAN50')).rows).toEqual(['node pve1: VLAN 50: node network eno1.50']);
  });

  test('a host name that only the guest knows; a guest found by its own name is not told twice', async () => {
    const { rows } = await ask('win-legacy', { deep: true });
    expect(rows.filter((r) => r.startsWith('guest 111'))).toEqual(['guest 111: name']);
    const inside = await ask('nextcl', { deep: true });
    expect(inside.rows.filter((r) => r.startsWith('guest 120'))).toEqual(['guest 120: name']);
    const web = await ask('web-01.demo', { deep: true });
    expect(web.rows).toContain('guest 100: host name web-01.demo.example: agent');
  });

  test('nothing is claimed for a token without rights', async () => {
    const blind = await openHarness({ demo: h.demo, role: 'noacl' });
    for (const query of ['192.0.2.10', 'vlan 20', 'BC:24:11:20:01:04']) {
      const { text, requests } = await ask(query, { deep: true }, blind);
      expect(text).toMatch(/^0 visible things found/);
      expect(text).toContain('Hidden: guests: needs VM.Audit on /vms');
      expect(text).not.toContain('\nProblem');
      expect(requests.filter((r) => r.path.endsWith('/config'))).toEqual([]);
    }
    expect((await ask('192.0.2.10', {}, blind)).text).toContain(
      'Hidden: addresses in the SDN IPAM: needs SDN.Audit on /sdn/zones',
    );
    await blind.close();
  });

  test('a scoped token gets its own guests, and what is hidden', async () => {
    const scoped = await openHarness({ demo: h.demo, role: 'scoped' });
    const { text, rows } = await ask('192.0.2.10', {}, scoped);
    expect(rows).toEqual(['guest 100: 192.0.2.10/24: cloud-init net0']);
    expect(text).toMatch(/^1 visible thing found/);
    for (const what of ['guests', 'addresses in the SDN IPAM', 'bridges', "the nodes' cluster addresses"])
      expect(text).toContain(`Hidden: ${what}: needs`);
    await scoped.close();
  });

  test('no secret comes out of the guests', async () => {
    for (const query of ['0.0.0.0/0', 'BC:24:11', 'vlan 20']) {
      const { text } = await h.call('search_inventory', { query, deep: true }, { maxChars: 40_000 });
      for (const canary of h.demo.canaries) expect(text).not.toContain(canary);
    }
  });

  test('silent agents come last and cost their time only: everything is resumed, nothing is lost or told twice', async () => {
    const slow = await openHarness({ nodes: 3, guests: 120 });
    slow.demo.faults.add({ kind: 'slow', delayMs: 400, match: /\/agent\/network-get-interfaces$/ });
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const { text, isError } = await slow.call(
        'search_inventory',
        { query: '0.0.0.0/0', deep: true, fields: ['kind', 'id'], ...(cursor === undefined ? {} : { cursor }) },
        { budgetMs: 2_220, maxChars: 40_000 },
      );
      expect(isError, text).toBe(false);
      cursor = cursorOf(text);
      if (cursor !== undefined) expect(text).toContain('counts are so far');
      seen.push(...tableOf(text).map((r) => `${r['kind']} ${r['id']}`));
      pages += 1;
    } while (cursor !== undefined && pages < 60);
    expect(cursor).toBeUndefined();
    expect(pages).toBeGreaterThan(1);
    slow.demo.faults.clear();
    const whole = await slow.call(
      'search_inventory',
      { query: '0.0.0.0/0', deep: true, fields: ['kind', 'id'] },
      { maxChars: 40_000 },
    );
    expect([...seen].sort()).toEqual(
      tableOf(whole.text)
        .map((r) => `${r['kind']} ${r['id']}`)
        .sort(),
    );
    await slow.close();
  }, 90_000);
});
