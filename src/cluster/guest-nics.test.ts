import { expect, test } from 'vitest';
import { normalMac, parseNics } from './guest-nics.ts';

const parse = (values: Record<string, string>, type: 'qemu' | 'lxc' = 'qemu') => parseNics(new Map(Object.entries(values)), type);

test('a machine: model and hardware address, addresses from cloud-init', () => {
  expect(
    parse({
      net0: 'virtio=bc:24:11:20:01:00,bridge=vmbr0,firewall=1,tag=20,rate=12.5,mtu=1500',
      ipconfig0: 'ip=192.0.2.10/24,gw=192.0.2.1,ip6=auto',
    }),
  ).toEqual([
    {
      key: 'net0',
      model: 'virtio',
      mac: 'BC:24:11:20:01:00',
      bridge: 'vmbr0',
      vlan: 20,
      trunks: undefined,
      firewall: true,
      rate: 12.5,
      linkDown: false,
      mtu: 1500,
      name: undefined,
      ip: '192.0.2.10/24',
      ip6: 'auto',
      gateway: '192.0.2.1',
      gateway6: undefined,
    },
  ]);
});

test('other spellings of model and address', () => {
  expect(parse({ net0: 'model=e1000,macaddr=BC:24:11:00:00:01,bridge=b' })).toMatchObject([
    { model: 'e1000', mac: 'BC:24:11:00:00:01' },
  ]);
  expect(parse({ net0: 'virtio,bridge=b' })).toMatchObject([{ model: 'virtio', mac: undefined }]);
  expect(parse({ net0: 'ne2k_pci=BC:24:11:00:00:02' })).toMatchObject([
    { model: 'ne2k_pci', mac: 'BC:24:11:00:00:02', bridge: undefined },
  ]);
});

test('the firewall is off where nothing is said, and a link may be down', () => {
  expect(parse({ net1: 'virtio=BC:24:11:20:01:01,bridge=b,link_down=1,trunks=10;20-30' })).toMatchObject([
    { firewall: false, linkDown: true, trunks: '10;20-30' },
  ]);
});

test('a container: name, address and unknown parts', () => {
  expect(
    parse(
      {
        net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:C0:02:00,ip=dhcp,ip6=2001:db8::1/64,gw6=2001:db8::ff,host-managed=1,type=veth',
      },
      'lxc',
    ),
  ).toMatchObject([
    { model: 'veth', name: 'eth0', mac: 'BC:24:11:C0:02:00', ip: 'dhcp', ip6: '2001:db8::1/64', gateway6: '2001:db8::ff' },
  ]);
});

test('sorted by number', () => {
  expect(parse({ net10: 'virtio', net2: 'virtio', nettwo: 'virtio' }).map((n) => n.key)).toEqual(['net2', 'net10']);
});

test('hardware addresses in any spelling', () => {
  expect(normalMac('bc-24-11-00-00-01')).toBe('BC:24:11:00:00:01');
  expect(normalMac('00:00:00')).toBeUndefined();
  expect(normalMac(null)).toBeUndefined();
});
