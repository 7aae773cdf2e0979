import { z } from 'zod';
import { bool, int, list, number, table, text } from '../../answer/spec.ts';
import type { Call } from '../../api/call.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, type Reading, visibleWord } from '../../api/reading.ts';
import { atLeast } from '../../api/release.ts';
import { whole } from '../../cluster/attempts.ts';
import { readableGuests, scanGuestConfigs } from '../../cluster/config-scan.ts';
import { fanOut } from '../../cluster/fan-out.ts';
import {
  checkPciMapping,
  claimedDevices,
  type MappingEntry,
  type PciDevice,
  readEmulatedHardware,
  readMappings,
  readMediatedTypes,
  readPciDevices,
  readUsbDevices,
} from '../../cluster/hardware.ts';
import { guestCoverage, type Inventory, offlineGaps, onlineNodes, readInventory } from '../../cluster/inventory.ts';
import { requireOnlineNode } from '../../cluster/resolve.ts';
import { defineTool } from '../define-tool.ts';
import { node, query } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

const SECTIONS = ['pci', 'usb', 'mappings', 'mdev', 'guests', 'emulated'] as const;
type Section = (typeof SECTIONS)[number];

/** `guests` reads every configuration, `mdev` every card that can be split: only when asked for. */
const USUAL: readonly Section[] = ['pci', 'usb', 'mappings'];
const MAX_MACHINES = 5;

export const listHardware = defineTool({
  name: 'list_hardware',
  title: 'Hardware',
  toolset: 'hardware',
  description:
    'PCI devices with IOMMU groups, USB devices (needs Sys.Modify), resource mappings; by sections also mdev types, guests that hold devices (reads their configurations), emulated CPU models and machine types.',
  params: {
    node: node.optional(),
    sections: z.array(z.enum(SECTIONS)).max(6).optional(),
    query: query.describe('Part of a PCI device').optional(),
  },
  paged: true,
  output: {
    pci: table({
      node: text(),
      address: text(),
      kind: text(),
      vendor: text(),
      device: text(),
      ids: text(),
      iommu_group: int('devices of a group can only be passed through together'),
      mapping: list('resource mappings that stand for it'),
      mediated: bool('can be split'),
    }),
    usb: table({ node: text(), port: text(), ids: text(), vendor: text(), product: text(), serial: text(), mbits: number() }),
    mappings: table({
      kind: text(),
      id: text(),
      node: text(),
      path: text(),
      ids: text(),
      present: text('yes, no, or differs: another device sits there'),
      about: text(),
    }),
    mdev: table({ node: text(), address: text(), type: text(), name: text(), available: int(), about: text() }),
    guests: table(
      { vmid: int(), name: text(), node: text(), key: text(), device: text() },
      'guests that hold devices of the host',
    ),
    cpu_models: table({ node: text(), custom: list(), built_in: list() }),
    machines: table({ node: text(), type: text(), newest: list(), count: int() }),
  },
  reads: [
    '/cluster/resources',
    '/nodes/{node}/hardware/pci',
    '/nodes/{node}/hardware/usb',
    '/nodes/{node}/hardware/pci/{pci-id-or-mapping}/mdev',
    '/cluster/mapping/pci',
    '/cluster/mapping/usb',
    '/cluster/mapping/dir',
    '/nodes/{node}/capabilities/qemu/cpu',
    '/nodes/{node}/capabilities/qemu/machines',
    '/nodes/{node}/qemu/{vmid}/config',
    '/nodes/{node}/lxc/{vmid}/config',
    '/version',
    ...RIGHTS_READS,
  ],
  async run(args, call) {
    const inventory = await readInventory(call);
    const nodes = args.node === undefined ? onlineNodes(inventory) : [requireOnlineNode(inventory, args.node)];
    const wanted = new Set<Section>(args.sections === undefined || args.sections.length === 0 ? USUAL : args.sections);
    const where = (n: string) => ({ node: n });
    // Mappings and splittable cards are told by the devices, so these are read for them, too.
    const needsPci = wanted.has('pci') || wanted.has('mappings') || wanted.has('mdev');
    const [pci, usb, mappings, guests, emulated] = await Promise.all([
      needsPci ? fanOut(call, nodes, where, (n) => readPciDevices(call, n)) : undefined,
      wanted.has('usb') ? readUsb(call, nodes) : undefined,
      wanted.has('pci') || wanted.has('mappings') ? whole(() => readMappings(call)) : undefined,
      wanted.has('guests') ? readClaims(call, inventory, args.node) : undefined,
      wanted.has('emulated') ? fanOut(call, nodes, where, (n) => readEmulatedHardware(call, n)) : undefined,
    ]);
    const devices = new Map(pci?.results.map((r) => [r.item, r.data]));
    const entries = (mappings?.data ?? []).filter((m) => args.node === undefined || m.node === args.node);
    const hasMdev = wanted.has('mdev') && atLeast(await call.release(), '8.0');
    const mdev = hasMdev ? await readMdev(call, devices) : undefined;
    const rows = pciRows(devices, entries, args.query);
    const gaps: Gaps = mergeGaps(
      pci?.gaps ?? NO_GAPS,
      usb ?? NO_GAPS,
      mappings ?? NO_GAPS,
      guests ?? NO_GAPS,
      emulated?.gaps ?? NO_GAPS,
      mdev ?? NO_GAPS,
      args.node === undefined ? offlineGaps(inventory) : NO_GAPS,
    );
    return {
      headline: headline(wanted, rows.length, devices.size, mappingsText(mappings, entries.length), guests?.data.length),
      sections: {
        pci: wanted.has('pci') && devices.size > 0 ? { rows, key: (row) => [row.node ?? '', row.address ?? ''] } : undefined,
        usb: usb?.data,
        mappings: wanted.has('mappings') ? mappingRows(entries, devices) : undefined,
        mdev: mdev?.data,
        guests: guests?.data,
        cpu_models: emulated?.results.map((r) => ({
          node: r.item,
          custom: r.data.cpuModels.filter((m) => m.custom).map((m) => m.name),
          built_in: r.data.cpuModels.filter((m) => !m.custom).map((m) => m.name),
        })),
        machines: emulated?.results.flatMap((r) =>
          r.data.machines.map((m) => ({ node: r.item, type: m.type, newest: m.ids.slice(0, MAX_MACHINES), count: m.ids.length })),
        ),
      },
      gaps,
      notes: [
        ...groupNotes(devices, wanted),
        ...(wanted.has('mdev') && !hasMdev ? ['mdev: the types of virtual devices are told from release 8.0 on.'] : []),
      ],
      next:
        wanted.has('guests') || entries.length === 0
          ? []
          : [
              `list_hardware sections=guests (which guests hold devices: reads ${claimants(inventory, args.node).length} configurations)`,
            ],
    };
  },
});

/** USB devices are asked for only where the token may see them: the right is the same for all nodes. */
async function readUsb(call: Call, nodes: readonly string[]) {
  const may = await attempt({}, () => call.rights.has('Sys.Modify', '/'));
  if (may.data !== true) {
    const hidden: Gaps = {
      ...NO_GAPS,
      coverage: 'partial',
      hidden: [{ what: 'USB devices', privilege: 'Sys.Modify', path: '/' }],
    };
    return { data: undefined, ...mergeGaps(may, hidden) };
  }
  const out = await fanOut(
    call,
    nodes,
    (n) => ({ node: n }),
    (n) => readUsbDevices(call, n),
  );
  const data = out.results.flatMap((r) =>
    r.data.map((d) => ({
      node: r.item,
      port: d.port,
      ids: d.ids,
      vendor: d.vendor,
      product: d.product,
      serial: d.serial,
      mbits: d.speed,
    })),
  );
  return { data, ...out.gaps };
}

function pciRows(
  devices: ReadonlyMap<string, readonly PciDevice[]>,
  entries: readonly MappingEntry[],
  wanted: string | undefined,
) {
  const part = wanted?.toLowerCase();
  return [...devices].flatMap(([name, list]) =>
    list
      .filter(
        (d) =>
          part === undefined ||
          [d.address, d.kind, d.vendor, d.device, d.ids].some((value) => value?.toLowerCase().includes(part) === true),
      )
      .map((d) => ({
        node: name,
        address: d.address,
        kind: d.kind,
        vendor: d.vendor,
        device: d.device,
        ids: d.ids,
        iommu_group: d.iommuGroup,
        mapping: mappingsOf(d, name, entries),
        mediated: d.mediated ? true : undefined,
      })),
  );
}

function mappingsOf(device: PciDevice, name: string, entries: readonly MappingEntry[]): readonly string[] | undefined {
  const ids = entries.filter((m) => m.node === name && checkPciMapping(m, [device]) === 'yes').map((m) => m.id);
  return ids.length === 0 ? undefined : [...new Set(ids)];
}

function mappingRows(entries: readonly MappingEntry[], devices: ReadonlyMap<string, readonly PciDevice[]>) {
  return entries.map((m) => ({
    kind: m.kind,
    id: m.id,
    node: m.node,
    path: m.path,
    ids: m.ids,
    present: checkPciMapping(m, devices.get(m.node)),
    about: m.about,
  }));
}

async function readMdev(call: Call, devices: ReadonlyMap<string, readonly PciDevice[]>) {
  const cards = [...devices].flatMap(([name, list]) => list.filter((d) => d.mediated).map((d) => ({ name, address: d.address })));
  const out = await fanOut(
    call,
    cards,
    (card) => ({ node: card.name }),
    (card) => readMediatedTypes(call, card.name, card.address),
  );
  const data = out.results.flatMap((r) =>
    r.data.map((t) => ({
      node: r.item.name,
      address: r.item.address,
      type: t.type,
      name: t.name,
      available: t.available,
      about: t.about,
    })),
  );
  return { data, ...out.gaps };
}

function claimants(inventory: Inventory, name: string | undefined) {
  return readableGuests(inventory).filter((g) => name === undefined || g.node === name);
}

interface Claim {
  readonly vmid: number;
  readonly name: string | undefined;
  readonly node: string;
  readonly key: string;
  readonly device: string;
}

/** Only the guests' own configurations tell who holds a device: one request a guest. */
async function readClaims(call: Call, inventory: Inventory, name: string | undefined): Promise<Reading<readonly Claim[]>> {
  const [scan, coverage] = await Promise.all([scanGuestConfigs(call, claimants(inventory, name)), guestCoverage(call)]);
  const unread: Gaps =
    scan.stoppedAfter === undefined
      ? NO_GAPS
      : { ...NO_GAPS, coverage: 'partial', why: `guests after ${scan.stoppedAfter} were not looked at in time` };
  const data = scan.configs.flatMap(({ guest, config }) =>
    claimedDevices(config).map((claim) => ({ vmid: guest.vmid, name: guest.name, node: guest.node, ...claim })),
  );
  return { data, ...mergeGaps(scan.gaps, coverage, unread) };
}

function headline(
  wanted: ReadonlySet<Section>,
  pci: number,
  nodes: number,
  mappings: string,
  claims: number | undefined,
): string {
  const parts: string[] = [];
  if (wanted.has('pci'))
    parts.push(
      nodes === 0 ? 'PCI devices could not be read' : `${pci} PCI devices on ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`,
    );
  if (wanted.has('mappings')) parts.push(mappings);
  if (claims !== undefined) parts.push(`${claims} devices of the host held by guests`);
  return parts.length === 0 ? `Hardware: ${[...wanted].join(', ')}` : parts.join('; ');
}

function mappingsText(reading: Reading<unknown> | undefined, count: number): string {
  if (reading?.data === undefined) return 'mappings could not be read';
  return `${count} ${visibleWord(reading)}mapping entries`;
}

function groupNotes(devices: ReadonlyMap<string, readonly PciDevice[]>, wanted: ReadonlySet<Section>): readonly string[] {
  if (!wanted.has('pci')) return [];
  const without = [...devices]
    .filter(([, list]) => list.length > 0 && list.every((d) => d.iommuGroup === undefined))
    .map(([n]) => n);
  return without.length === 0
    ? []
    : [`No IOMMU groups on ${without.join(', ')}: the IOMMU is off there, so nothing can be passed through.`];
}
