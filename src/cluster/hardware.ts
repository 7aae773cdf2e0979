import type { Call } from '../api/call.ts';
import { toApiError } from '../api/errors.ts';
import { boolOf, byText, intOf, listOf, numberOf, propertiesOf, textOf } from '../api/lenient.ts';
import { type Gaps, mergeGaps, NO_GAPS, type Reading } from '../api/reading.ts';
import { together } from './fan-out.ts';
import type { GuestConfig } from './guest-config.ts';
import { cleaned, lineOf } from './shown-text.ts';

/** A PCI device of a node. */
export interface PciDevice {
  /** `0000:01:00.0` */
  readonly address: string;
  /** `display`, `network`, `storage`, ... or the class code. */
  readonly kind: string;
  readonly vendor: string | undefined;
  readonly device: string | undefined;
  /** `10de:2684`, as mappings write it. */
  readonly ids: string | undefined;
  /** Devices of one group can be given to a guest together only; undefined where the IOMMU is off. */
  readonly iommuGroup: number | undefined;
  /** Can be split into virtual devices. */
  readonly mediated: boolean;
}

/** The first byte of a class code. */
const KINDS: Readonly<Record<string, string>> = {
  '01': 'storage',
  '02': 'network',
  '03': 'display',
  '04': 'multimedia',
  '05': 'memory',
  '06': 'bridge',
  '07': 'communication',
  '08': 'system',
  '09': 'input',
  '0b': 'processor',
  '0c': 'serial bus',
  '0d': 'wireless',
  '10': 'encryption',
  '11': 'signal processing',
  '12': 'accelerator',
};

/**
 * PCI devices of a node, without memory controllers, bridges and processors (the API's own choice).
 *
 * Source: GET /nodes/{node}/hardware/pci (Sys.Audit on /).
 */
export async function readPciDevices(call: Call, node: string): Promise<readonly PciDevice[]> {
  return parsePciDevices((await call.get('/nodes/{node}/hardware/pci', { node })).data);
}

export function parsePciDevices(data: unknown): readonly PciDevice[] {
  return listOf(data, 'PCI devices')
    .flatMap((row) => {
      const address = cleaned(row['id']);
      if (address === undefined) return [];
      const group = intOf(row['iommugroup']);
      const code = cleaned(row['class'])?.replace(/^0x/, '');
      return [
        {
          address,
          kind: (code === undefined ? undefined : KINDS[code.slice(0, 2).toLowerCase()]) ?? code ?? 'unknown',
          vendor: cleaned(row['vendor_name']) ?? cleaned(row['vendor']),
          device: cleaned(row['device_name']) ?? cleaned(row['device']),
          ids: idsOf(row['vendor'], row['device']),
          iommuGroup: group === undefined || group < 0 ? undefined : group,
          mediated: boolOf(row['mdev']) ?? false,
        },
      ];
    })
    .sort((a, b) => byText(a.address, b.address));
}

function idsOf(vendor: unknown, device: unknown): string | undefined {
  const v = cleaned(vendor)?.replace(/^0x/, '').toLowerCase();
  const d = cleaned(device)?.replace(/^0x/, '').toLowerCase();
  return v === undefined || d === undefined ? undefined : `${v}:${d}`;
}

/** A kind of virtual device that a card can be split into. */
export interface MediatedType {
  readonly type: string;
  readonly name: string | undefined;
  /** How many more can be made now. */
  readonly available: number | undefined;
  readonly about: string | undefined;
}

/** Source: GET /nodes/{node}/hardware/pci/{pci-id-or-mapping}/mdev (Sys.Audit on /; 8.0 and later). */
export async function readMediatedTypes(call: Call, node: string, address: string): Promise<readonly MediatedType[]> {
  const { data } = await call.get('/nodes/{node}/hardware/pci/{pci-id-or-mapping}/mdev', { node, 'pci-id-or-mapping': address });
  return parseMediatedTypes(data);
}

export function parseMediatedTypes(data: unknown): readonly MediatedType[] {
  return listOf(data, 'mediated types')
    .flatMap((row) => {
      const type = cleaned(row['type']);
      if (type === undefined) return [];
      return [
        { type, name: cleaned(row['name']), available: intOf(row['available']), about: oneLineOf(row['description'], 160) },
      ];
    })
    .sort((a, b) => byText(a.type, b.type));
}

/** A USB device of a node. */
export interface UsbDevice {
  /** `1-2`: bus and port, as configurations write it; undefined for a hub inside the machine. */
  readonly port: string | undefined;
  /** `10c4:ea60` */
  readonly ids: string | undefined;
  readonly vendor: string | undefined;
  readonly product: string | undefined;
  readonly serial: string | undefined;
  /** Mbit/s. */
  readonly speed: number | undefined;
}

/** USB hubs that are part of the machine: nothing that a guest could be given. */
const HUB_CLASS = 9;

/** Source: GET /nodes/{node}/hardware/usb (Sys.Modify on /: more than an auditor has). */
export async function readUsbDevices(call: Call, node: string): Promise<readonly UsbDevice[]> {
  return parseUsbDevices((await call.get('/nodes/{node}/hardware/usb', { node })).data);
}

export function parseUsbDevices(data: unknown): readonly UsbDevice[] {
  return listOf(data, 'USB devices')
    .filter((row) => intOf(row['class']) !== HUB_CLASS)
    .map((row) => {
      const path = cleaned(row['usbpath']);
      const bus = intOf(row['busnum']);
      return {
        port: path === undefined || bus === undefined ? undefined : `${bus}-${path}`,
        ids: idsOf(row['vendid'], row['prodid']),
        vendor: cleaned(row['manufacturer']),
        product: cleaned(row['product']),
        serial: cleaned(row['serial']),
        speed: numberOf(row['speed']),
      };
    })
    .sort((a, b) => byText(a.port, b.port) || byText(a.ids, b.ids));
}

/** A cluster-wide name for a device or directory, as it is on one node. */
export interface MappingEntry {
  readonly kind: 'pci' | 'usb' | 'dir';
  readonly id: string;
  readonly node: string;
  /** PCI address, USB port, directory. */
  readonly path: string | undefined;
  /** `10de:2684` */
  readonly ids: string | undefined;
  readonly about: string | undefined;
}

const MAPPINGS = ['pci', 'usb', 'dir'] as const;

/**
 * Resource mappings of the cluster.
 *
 * Source: GET /cluster/mapping/{pci|usb|dir} (8.0, directories 8.4; rows need Mapping.Audit).
 */
export async function readMappings(call: Call): Promise<Reading<readonly MappingEntry[]>> {
  const readings = await Promise.all(
    MAPPINGS.map(async (kind): Promise<Reading<readonly MappingEntry[]>> => {
      try {
        const [{ data }, gaps] = await Promise.all([
          call.get(`/cluster/mapping/${kind}`, {}),
          call.rights.over({ privilege: 'Mapping.Audit', under: `/mapping/${kind}`, what: `${kind} mappings` }),
        ]);
        return { data: parseMappings(data, kind), ...gaps };
      } catch (thrown) {
        // A release that does not know the kind has none of it.
        if (toApiError(thrown).kind === 'unsupported-by-this-release') return { data: [], ...NO_GAPS };
        throw thrown;
      }
    }),
  );
  const gaps: Gaps = mergeGaps(...readings);
  return { data: readings.flatMap((r) => r.data), ...gaps };
}

export function parseMappings(data: unknown, kind: MappingEntry['kind']): readonly MappingEntry[] {
  return listOf(data, 'mappings')
    .flatMap((row) => {
      const id = cleaned(row['id']);
      if (id === undefined) return [];
      // Descriptions of mappings arrive encoded twice.
      const about = oneLineOf(row['description'], 120);
      const entries: readonly unknown[] = Array.isArray(row['map']) ? row['map'] : [];
      return entries.map((entry) => {
        const values = propertiesOf(entry);
        const get = (key: string): string | undefined => cleaned(values.get(key));
        return { kind, id, node: get('node') ?? '?', path: get('path'), ids: get('id')?.toLowerCase(), about };
      });
    })
    .sort((a, b) => byText(a.id, b.id) || byText(a.node, b.node) || byText(a.path, b.path));
}

/**
 * Whether the device behind a mapping is there: `differs` when another one sits at the address. Undefined where the
 * node's devices are not known.
 */
export function checkPciMapping(
  entry: MappingEntry,
  devices: readonly PciDevice[] | undefined,
): 'yes' | 'no' | 'differs' | undefined {
  if (devices === undefined || entry.kind !== 'pci' || entry.path === undefined) return undefined;
  // A mapping without a function stands for all functions; several addresses are separated by semicolons.
  const addresses = entry.path.split(';').map(withDomain);
  const found = addresses.map((address) => devices.filter((d) => d.address === address || d.address.startsWith(`${address}.`)));
  if (found.some((list) => list.length === 0)) return 'no';
  const { ids } = entry;
  return ids !== undefined && found.some((list) => !list.some((d) => d.ids === ids)) ? 'differs' : 'yes';
}

function withDomain(address: string): string {
  const bare = address.trim().toLowerCase();
  return /^[0-9a-f]{4}:[0-9a-f]{2}:/.test(bare) ? bare : `0000:${bare}`;
}

/** Devices of the host that a guest's configuration claims: `hostpci0: mapping=gpu-a`, `usb0: host=10c4:ea60`, `dev0: /dev/..`. */
export function claimedDevices(config: GuestConfig): readonly { readonly key: string; readonly device: string }[] {
  const pattern = config.type === 'qemu' ? /^(?:hostpci|usb|virtiofs|parallel|serial)\d+$/ : /^dev\d+$/;
  const claims: { key: string; device: string }[] = [];
  for (const [key, value] of config.values) {
    // A serial port that is only a socket, or SPICE's own USB, claims nothing of the host.
    if (!pattern.test(key) || value === 'socket' || /^(?:host=)?spice\b/.test(value)) continue;
    claims.push({ key, device: value });
  }
  return claims.sort((a, b) => byText(a.key, b.key));
}

/** CPU models and machine types that guests on a node can have. */
export interface EmulatedHardware {
  readonly cpuModels: readonly { readonly name: string; readonly vendor: string | undefined; readonly custom: boolean }[];
  /** Newest first within a type: `pc-q35-10.1`. */
  readonly machines: readonly { readonly type: string; readonly ids: readonly string[] }[];
}

/** Source: GET /nodes/{node}/capabilities/qemu/cpu and /machines (any user; models of one's own are filtered). */
export async function readEmulatedHardware(call: Call, node: string): Promise<EmulatedHardware> {
  const [cpus, machines] = await together([
    call.get('/nodes/{node}/capabilities/qemu/cpu', { node }),
    call.get('/nodes/{node}/capabilities/qemu/machines', { node }),
  ]);
  return { cpuModels: parseCpuModels(cpus.data), machines: parseMachines(machines.data) };
}

export function parseCpuModels(data: unknown): EmulatedHardware['cpuModels'] {
  return listOf(data, 'CPU models')
    .flatMap((row) => {
      const name = cleaned(row['name']);
      return name === undefined ? [] : [{ name, vendor: cleaned(row['vendor']), custom: boolOf(row['custom']) ?? false }];
    })
    .sort((a, b) => Number(b.custom) - Number(a.custom) || byText(a.name, b.name));
}

export function parseMachines(data: unknown): EmulatedHardware['machines'] {
  const types = new Map<string, string[]>();
  for (const row of listOf(data, 'machine types')) {
    const id = cleaned(row['id']);
    if (id === undefined) continue;
    const type = cleaned(row['type']) ?? 'other';
    types.set(type, [...(types.get(type) ?? []), id]);
  }
  return [...types]
    .sort(([a], [b]) => byText(a, b))
    .map(([type, ids]) => ({ type, ids: ids.sort((a, b) => versionOf(b) - versionOf(a) || byText(b, a)) }));
}

/** `pc-q35-10.1+pve1` is 10.0101, so that 10.1 comes before 9.2. */
function versionOf(id: string): number {
  const match = /(\d+)\.(\d+)(?:\+pve(\d+))?/.exec(id);
  return match === null ? 0 : Number(match[1]) + Number(match[2]) / 100 + Number(match[3] ?? 0) / 10_000;
}

function oneLineOf(value: unknown, max: number): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : lineOf(text, max);
}
