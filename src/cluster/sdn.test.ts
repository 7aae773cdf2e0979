import { describe, expect, test } from 'vitest';
import { stubCall } from '../../test/support/stub-call.ts';
import { ApiError } from '../api/errors.ts';
import { MAX_SUBNET_READS, parseSdnFabrics, parseSdnObjects, readSdn, SDN_SECTIONS, zoneNodes } from './sdn.ts';

const ALL = new Set(SDN_SECTIONS);

describe('objects', () => {
  test('what is about to change, and how it will be', () => {
    const [changed, gone, fresh, plain] = parseSdnObjects(
      [
        {
          zone: 'a',
          type: 'vlan',
          state: 'changed',
          bridge: 'vmbr0',
          dns: 'x',
          pending: { mtu: 1496, dns: 'deleted' },
          digest: null,
        },
        { zone: 'b', type: 'vlan', state: 'deleted' },
        { zone: 'c', state: 'new', pending: { type: 'evpn', controller: 'k' } },
        { zone: 'd', type: 'simple', ipam: 'pve', pending: 1 },
        { type: 'simple' },
        null,
      ],
      'zone',
    );
    expect(changed).toMatchObject({ id: 'a', pending: 'changed', changes: ['dns: x -> unset', 'mtu: unset -> 1496'] });
    expect([...(changed?.settings ?? [])]).toEqual([
      ['bridge', 'vmbr0'],
      ['mtu', '1496'],
    ]);
    expect(gone).toMatchObject({ pending: 'deleted', changes: [] });
    expect(fresh).toMatchObject({ pending: 'new', type: 'evpn', changes: [], settings: new Map([['controller', 'k']]) });
    expect(plain).toMatchObject({ pending: 'applied' });
  });

  test('a change without a state is one all the same', () => {
    expect(parseSdnObjects([{ vnet: 'v', pending: { tag: 5 } }], 'vnet')[0]?.pending).toBe('changed');
  });

  test('lists, DHCP ranges, booleans and numbers as one line', () => {
    const [subnet] = parseSdnObjects(
      [
        {
          subnet: 'z-10.0.0.0-24',
          'dhcp-range': [{ 'start-address': '10.0.0.1', 'end-address': '10.0.0.9' }, { a: 1 }],
          snat: true,
          x: [],
          y: {},
        },
      ],
      'subnet',
    );
    expect(Object.fromEntries(subnet?.settings ?? [])).toEqual({ 'dhcp-range': '10.0.0.1-10.0.0.9, a=1', snat: '1' });
  });

  test('nodes of a zone', () => {
    const nodes = (value: unknown) => parseSdnObjects([{ zone: 'z', nodes: value }], 'zone').flatMap(zoneNodes);
    expect(nodes('pve1,pve2')).toEqual(['pve1', 'pve2']);
    expect(nodes(['pve1', 'pve2'])).toEqual(['pve1', 'pve2']);
    expect(nodes(undefined)).toEqual([]);
  });
});

test('fabrics with their members, as rows and as rows of one named object', () => {
  const plain = { fabrics: [{ id: 'f', protocol: 'ospf' }], nodes: [{ fabric_id: 'f', node_id: 'a', ip: '10.0.0.1' }] };
  const nested = {
    fabrics: [
      { digest: 'x', f: { id: 'f', protocol: 'ospf' } },
      { digest: 'x', f_a: { fabric_id: 'f', node_id: 'a', ip: '10.0.0.1' } },
    ],
    nodes: [],
  };
  for (const data of [plain, nested]) {
    expect(parseSdnFabrics(data)).toEqual([
      { nodes: ['a 10.0.0.1'], fabric: expect.objectContaining({ id: 'f', pending: 'applied' }) },
    ]);
  }
  expect(() => parseSdnFabrics(null)).toThrow('no object');
});

describe('reading', () => {
  test.each([
    [['zones', 'vnets', 'subnets'], 'complete'],
    [['controllers'], 'partial'],
    [['zones', 'dns'], 'partial'],
  ] as const)('what the token may not see is told: %j, with rights on zones only, is %s', async (sections, coverage) => {
    const rights = { '/access': { 'Sys.Audit': 1 }, '/sdn': {}, '/sdn/zones': { 'SDN.Audit': 1 } };
    const call = stubCall((path) => (path === '/access/permissions' ? rights : []));
    const { data, ...gaps } = await readSdn(call, new Set(sections));
    expect(data.installed).toBe(true);
    expect(gaps.coverage).toBe(coverage);
    const hidden = [{ what: 'SDN objects', privilege: 'SDN.Audit', path: '/sdn' }];
    expect(gaps.hidden).toEqual(coverage === 'complete' ? [] : hidden);
  });

  test('not installed is a state', async () => {
    const missing = new ApiError('unsupported-by-this-release', 'no such path', { status: 501 });
    expect(
      await readSdn(
        stubCall(() => missing, '7.4-3'),
        ALL,
      ),
    ).toMatchObject({ coverage: 'complete', problems: [], data: { installed: false } });
  });

  test('one list that fails costs its own part', async () => {
    const reading = await readSdn(
      stubCall((path) => (path.endsWith('/dns') ? new ApiError('timeout', 'no answer') : path.endsWith('/all') ? {} : [])),
      ALL,
    );
    expect(reading).toMatchObject({
      coverage: 'partial',
      problems: [{ kind: 'timeout' }],
      data: { installed: true, zones: [], dns: undefined },
    });
  });

  test('only what is wanted is asked for, from list endpoints', async () => {
    const asked: string[] = [];
    const call = stubCall((path) => {
      asked.push(path);
      return [];
    });
    await readSdn(call, new Set(['zones']));
    expect(asked.filter((path) => !path.startsWith('/access/'))).toEqual(['/cluster/sdn/zones']);
  });

  test('subnets of many VNets are bounded, and the rest is counted; a VNet that is going has none', async () => {
    const vnets = Array.from({ length: MAX_SUBNET_READS + 5 }, (_unused, index) => ({ vnet: `v${index + 10}` }));
    const call = stubCall((path, { vnet }) => {
      if (path === '/access/permissions') return { '/access': { 'Sys.Audit': 1 }, '/sdn/zones': { 'SDN.Audit': 1 } };
      if (path.startsWith('/access/')) return [];
      if (path === '/cluster/sdn/vnets') return vnets;
      if (vnet === 'v10') return new ApiError('not-found', "vnet 'v10' does not exist");
      return [{ subnet: `z-${vnet}`, cidr: '10.0.0.0/24' }];
    });
    const reading = await readSdn(call, new Set(['subnets']));
    expect(reading).toMatchObject({ coverage: 'complete', data: { vnetsLeft: 5, vnets: undefined } });
    expect(reading.data.subnets).toHaveLength(MAX_SUBNET_READS - 1);
  });

  test('before 9.0 there are no fabrics to ask for', async () => {
    const asked: string[] = [];
    const reading = await readSdn(
      stubCall((path) => {
        asked.push(path);
        return [];
      }, '8.4.1'),
      ALL,
    );
    expect(asked).not.toContain('/cluster/sdn/fabrics/all');
    expect(reading.data).toMatchObject({ fabricsKnown: false, fabrics: undefined });
  });
});
