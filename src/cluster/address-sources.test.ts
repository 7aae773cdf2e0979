import { describe, expect, test } from 'vitest';
import { stubCall } from '../../test/support/stub-call.ts';
import { ApiError } from '../api/errors.ts';
import { MAX_NETWORK_READS, parseIpamStatus, readAddressSources } from './address-sources.ts';
import { parseInventory } from './inventory.ts';

test('IPAM rows: strings for numbers, missing keys and junk', () => {
  expect(
    parseIpamStatus([
      { ip: '10.30.0.100', vmid: '100', mac: 'bc:24:11:30:00:10', hostname: 'a\u001b[31mb', vnet: 'lab' },
      { ip: '10.30.0.1', gateway: '1' },
      { vmid: 5 },
      null,
      'x',
    ]),
  ).toEqual([
    { ip: '10.30.0.100', mac: 'BC:24:11:30:00:10', vmid: 100, hostName: 'ab', vnet: 'lab', gateway: false },
    { ip: '10.30.0.1', mac: undefined, vmid: undefined, hostName: undefined, vnet: undefined, gateway: true },
  ]);
  expect(() => parseIpamStatus(null)).toThrow('no list');
});

const everything = { '/': { 'Sys.Audit': 1, 'SDN.Audit': 1 } };
const rights = (path: string): unknown => {
  if (path === '/access/permissions') return { ...everything, '/sdn/zones': { 'SDN.Audit': 1 }, '/access': { 'Sys.Audit': 1 } };
  return path.startsWith('/access/') ? [] : undefined;
};

describe('sources', () => {
  const many = parseInventory(
    Array.from({ length: 40 }, (_, i) => ({ type: 'node', node: `n${i}`, status: i === 0 ? 'offline' : 'online' })),
  );
  test('a release without IPAM and a node alone are no gaps; nothing is sent to an offline node; reads are bounded', async () => {
    const asked: string[] = [];
    const call = stubCall((path, params) => {
      asked.push(`${path} ${params['node'] ?? ''}`);
      if (path === '/cluster/status') return [{ type: 'node', name: 'n1', ip: '10.0.0.1', online: 1 }];
      if (path === '/cluster/config/nodes') return new ApiError('not-configured', 'no cluster');
      if (path === '/nodes/{node}/network')
        return [
          { iface: 'vmbr0', type: 'bridge', cidr: '10.0.0.1/24' },
          { iface: 'eno1.50', type: 'vlan' },
        ];
      return rights(path);
    }, '7.4');
    const { data, problems, why } = await readAddressSources(call, many, { addresses: true, vnets: false });
    expect(problems).toEqual([]);
    expect(why).toBe(`the interfaces of ${MAX_NETWORK_READS} of 39 nodes only were read`);
    expect(asked.filter((a) => a.startsWith('/nodes/'))).toHaveLength(MAX_NETWORK_READS);
    expect(asked).not.toContain('/nodes/{node}/network n0');
    expect(asked.filter((a) => a.includes('ipam'))).toEqual([]);
    expect(data.nodes[0]).toEqual({ node: 'n1', address: '10.0.0.1', at: undefined, source: 'cluster membership' });
    expect(data.nodeVlans[0]).toEqual({ node: 'n1', at: 'eno1.50', vlan: 50 });
  });

  test('external address managements are named; one source that fails costs itself', async () => {
    const call = stubCall((path) => {
      if (path === '/cluster/sdn/ipams')
        return [
          { ipam: 'pve', type: 'pve' },
          { ipam: 'nb', type: 'netbox' },
        ];
      if (path === '/cluster/sdn/ipams/{ipam}/status') return new ApiError('timeout', 'too slow');
      if (path === '/cluster/status') return new ApiError('forbidden', 'no', { needs: 'Sys.Audit on /' });
      if (path === '/cluster/config/nodes') return [{ node: 'n1', ring0_addr: '10.1.0.1' }];
      return rights(path);
    });
    const reading = await readAddressSources(call, parseInventory([]), { addresses: true, vnets: false });
    expect(reading.data.foreignIpams).toEqual(['nb']);
    expect(reading.data.nodes).toEqual([{ node: 'n1', address: '10.1.0.1', at: '0', source: 'cluster link' }]);
    expect(reading.problems.map((p) => p.kind)).toEqual(['timeout']);
    expect(reading.hidden).toEqual([{ what: "the nodes' cluster addresses", privilege: 'Sys.Audit', path: '/' }]);
  });

  test("a VNet's number is a VLAN in VLAN zones only", async () => {
    const call = stubCall((path) => {
      if (path === '/cluster/sdn/zones')
        return [
          { zone: 'v', type: 'vlan' },
          { zone: 'x', type: 'vxlan' },
        ];
      if (path === '/cluster/sdn/vnets')
        return [
          { vnet: 'a', zone: 'v', tag: '20' },
          { vnet: 'b', zone: 'x', tag: 20 },
          { vnet: 'c', zone: 'v' },
        ];
      return rights(path);
    });
    const { data } = await readAddressSources(call, parseInventory([]), { addresses: false, vnets: true });
    expect(data.vnets).toEqual([{ vnet: 'a', zone: 'v', vlan: 20 }]);
  });
});
