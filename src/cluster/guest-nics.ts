import { boolOf, intOf, numberOf, propertiesOf, textOf } from '../api/lenient.ts';
import { compareKeys } from './guest-disks.ts';
import type { GuestType } from './inventory.ts';

/** What a guest is told about its own addresses; `dhcp`, `auto` and `manual` stand where no address is set. */
export interface StaticAddresses {
  /** `192.0.2.10/24`, `dhcp`, `manual` */
  readonly ip: string | undefined;
  readonly ip6: string | undefined;
  readonly gateway: string | undefined;
  readonly gateway6: string | undefined;
}

/** One network interface of a guest, as its configuration names it. */
export interface GuestNic extends StaticAddresses {
  /** `net0`, ... */
  readonly key: string;
  /** `virtio`, `e1000`, ... for machines; `veth` for containers. */
  readonly model: string | undefined;
  /** Upper case, with colons. */
  readonly mac: string | undefined;
  readonly bridge: string | undefined;
  readonly vlan: number | undefined;
  /** VLANs let through, `10;20-30`. */
  readonly trunks: string | undefined;
  /** Whether the firewall filters this interface at all. */
  readonly firewall: boolean;
  /** Limit in MB/s. */
  readonly rate: number | undefined;
  readonly linkDown: boolean;
  readonly mtu: number | undefined;
  /** Name inside a container. */
  readonly name: string | undefined;
}

const MODELS: ReadonlySet<string> = new Set([
  'e1000',
  'e1000-82540em',
  'e1000-82544gc',
  'e1000-82545em',
  'e1000e',
  'i82551',
  'i82557b',
  'i82559er',
  'ne2k_isa',
  'ne2k_pci',
  'pcnet',
  'rtl8139',
  'virtio',
  'vmxnet3',
]);

const NIC_KEY = /^net\d+$/;

/** Whether a configuration key names a network interface. */
export function isNicKey(key: string): boolean {
  return NIC_KEY.test(key);
}

/** Every network interface of a configuration, sorted by key. Machines take their addresses from `ipconfigN`. */
export function parseNics(config: ReadonlyMap<string, string>, type: GuestType): readonly GuestNic[] {
  const nics: GuestNic[] = [];
  for (const [key, value] of config) {
    if (!isNicKey(key)) continue;
    const properties = propertiesOf(value, 'model');
    const model =
      type === 'qemu'
        ? ([...properties.keys()].find((name) => MODELS.has(name)) ?? properties.get('model'))
        : (properties.get('type') ?? 'veth');
    const mac =
      properties.get('hwaddr') ?? properties.get('macaddr') ?? (model === undefined ? undefined : properties.get(model));
    nics.push({
      key,
      model,
      mac: normalMac(mac),
      bridge: textOf(properties.get('bridge')),
      vlan: intOf(properties.get('tag')),
      trunks: textOf(properties.get('trunks')),
      firewall: boolOf(properties.get('firewall')) ?? false,
      rate: numberOf(properties.get('rate')),
      linkDown: boolOf(properties.get('link_down')) ?? false,
      mtu: intOf(properties.get('mtu')),
      name: textOf(properties.get('name')),
      ...(type === 'lxc' ? staticAddresses(value) : staticAddresses(config.get(key.replace('net', 'ipconfig')))),
    });
  }
  return nics.sort((a, b) => compareKeys(a.key, b.key));
}

/** Addresses out of a container's `netN` or a machine's cloud-init `ipconfigN`. */
function staticAddresses(value: string | undefined): StaticAddresses {
  const properties = propertiesOf(value);
  return {
    ip: textOf(properties.get('ip')),
    ip6: textOf(properties.get('ip6')),
    gateway: textOf(properties.get('gw')),
    gateway6: textOf(properties.get('gw6')),
  };
}

/** A hardware address in upper case; undefined for what is none. */
export function normalMac(value: unknown): string | undefined {
  const mac = textOf(value)?.trim().toUpperCase().replaceAll('-', ':');
  return mac !== undefined && /^(?:[0-9A-F]{2}:){5}[0-9A-F]{2}$/.test(mac) ? mac : undefined;
}
