import { describe, expect, test } from 'vitest';
import { parseGuestConfig } from './guest-config.ts';
import { parseInventory } from './inventory.ts';
import { parseSearch, searchConfig, searchInventory } from './inventory-search.ts';

const inventory = parseInventory([
  { type: 'qemu', vmid: 100, node: 'pve1', name: 'web-01', status: 'running', pool: 'prod', tags: 'front;web' },
  { type: 'qemu', vmid: 1001, node: 'pve1', name: 'Web', status: 'stopped', template: 1 },
  { type: 'lxc', vmid: 130, node: 'pve2', status: 'unknown' },
  { type: 'node', node: 'pve1', status: 'online' },
  { type: 'storage', storage: 'web-store', node: 'pve1', status: 'available', shared: 1 },
  { type: 'storage', storage: 'web-store', node: 'pve2', status: 'unknown', shared: 1 },
  { type: 'pool', pool: 'prod' },
  { type: 'network', network: 'webzone', node: 'pve1', status: 'ok', 'network-type': 'zone' },
  { type: 'network', network: 'webzone', node: 'pve2', status: 'ok', 'network-type': 'zone' },
]);
const find = (query: string) => searchInventory(inventory, parseSearch(query));

describe('searchInventory', () => {
  test('by part of a name, in any case, over all kinds; several rows of one storage are one', () => {
    expect(find('web').map((f) => [f.kind, f.id, f.rank])).toEqual([
      ['guest', '100', 0],
      ['guest', '1001', 0],
      ['storage', 'web-store', 1],
      ['network', 'webzone', 1],
    ]);
    expect(find('WEB-0')[0]).toMatchObject({ id: '100', match: ['name'] });
  });

  test('what matched is told', () => {
    expect(find('prod').map((f) => [f.kind, f.match])).toEqual([
      ['guest', ['pool']],
      ['pool', ['name']],
    ]);
    expect(find('front')[0]?.match).toEqual(['tag front']);
    expect(find('web')[0]?.match).toEqual(['name', 'tag web']);
  });

  test('a whole vmid ranks before one that contains it', () => {
    expect(find('100').map((f) => [f.id, f.rank])).toEqual([
      ['100', 0],
      ['1001', 1],
    ]);
  });

  test('a storage that nodes see differently says so', () => {
    expect(find('web-store')[0]).toMatchObject({ node: 'pve1, pve2', status: 'differs by node' });
  });
});

describe('searchConfig', () => {
  const config = parseGuestConfig(
    {
      name: 'web-01',
      net0: 'virtio=BC:24:11:20:01:0A,bridge=vmbr0,tag=20',
      ipconfig0: 'ip=10.0.0.11/24,gw=10.0.0.1',
      scsi0: 'local-lvm:vm-100-disk-0,size=32G',
      description: 'call Bob about 10.0.0.77\nserial number 4711',
    },
    'qemu',
  );
  const match = (query: string) => searchConfig(config, parseSearch(query)).map((m) => m.split(':')[0]);

  test.each([
    ['10.0.0.11', ['ipconfig0']],
    ['10.0.0.1', ['ipconfig0']],
    ['10.0.0.7', []],
    ['0.0.0.11', []],
    ['10.0.0.77', ['notes']],
    ['10.0.0.', ['ipconfig0', 'notes']],
    ['bc:24:11:20:01:0a', ['net0']],
    ['BC-24-11-20-01-0A', ['net0']],
    ['bc:24:11', ['net0']],
    ['24:11:20', []],
    ['vm-100-disk-0', ['scsi0']],
    ['local-lvm:', ['scsi0']],
    ['tag=20', ['net0']],
    ['serial number', ['notes']],
    ['web-01', []],
  ])('%s is found in %j', (query, keys) => {
    expect(match(query)).toEqual(keys);
  });

  test('an IPv6 address as a whole only', () => {
    const six = parseGuestConfig({ ipconfig0: 'ip6=2001:db8::11/64' }, 'qemu');
    expect(searchConfig(six, parseSearch('2001:db8::11'))).toHaveLength(1);
    expect(searchConfig(six, parseSearch('2001:db8::1'))).toEqual([]);
  });

  test('notes match by what may be shown of them, so a search is no oracle for secrets', () => {
    const noted = parseGuestConfig({ description: 'login admin password: hunter2butlonger' }, 'qemu');
    expect(searchConfig(noted, parseSearch('hunter2butlonger'))).toEqual([]);
    expect(searchConfig(noted, parseSearch('login admin'))).toEqual(['notes']);
  });

  test('many matches are cut and counted', () => {
    const many = parseGuestConfig(
      Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`unused${i}`, `local:x-${i}`])),
      'qemu',
    );
    expect(searchConfig(many, parseSearch('local:x')).at(-1)).toBe('5 more');
  });
});

test.each([
  ['10.0.0.1', true],
  ['10.0.', true],
  ['fe80::1', true],
  ['bc:24:11', true],
  ['local:iso/x', true],
  ['vm-100-disk-0', true],
  ['web', false],
  ['100', false],
])('%s stands in configurations only: %s', (query, inConfigs) => {
  expect(parseSearch(query).inConfigs).toBe(inConfigs);
});
