import { DemoHttpError, type HandlerRequest, type HandlerTable } from '../types.ts';
import type { Row } from '../world/area-types.ts';
import type { DemoWorld } from '../world/types.ts';
import { directory, isNine, nodeOf, parameter } from './answers.ts';
import { cpuFlags } from './cluster-config.ts';

/** Devices and capabilities of a node. */
export function hardwareHandlers(world: DemoWorld): HandlerTable {
  const { maintenance } = world.areas;
  const mediated =
    (name: string) =>
    (request: HandlerRequest): Row[] => {
      const device = deviceOf(world, request, parameter(request, name));
      if (device?.mdev !== 1) return [];
      return [
        { available: 4, description: 'num_heads=4, frl_config=60, framebuffer=1024M', name: 'GRID RTX-1Q', type: 'nvidia-63' },
        { available: 0, description: 'num_heads=4, frl_config=60, framebuffer=2048M', type: 'nvidia-64' },
      ];
    };
  return {
    '/nodes/{node}/hardware': directory('type', ['pci', 'usb']),
    '/nodes/{node}/hardware/pci': (request) => {
      // Memory controllers, bridges and processors are left out unless asked for.
      const hidden = (request.query['pci-class-blacklist'] ?? '05;06;0b').split(/[;,\s]+/).filter((entry) => entry !== '');
      const rows = maintenance
        .node(nodeOf(world, request).node)
        .pci.filter((row) => !hidden.some((entry) => String(row.class).startsWith(`0x${entry}`)));
      return request.query.verbose === '0' ? rows.map((row) => ({ id: row.id })) : rows;
    },
    '/nodes/{node}/hardware/pci/{pci-id-or-mapping}': () => [{ method: 'mdev' }],
    '/nodes/{node}/hardware/pci/{pciid}': () => [{ method: 'mdev' }],
    '/nodes/{node}/hardware/pci/{pci-id-or-mapping}/mdev': mediated('pci-id-or-mapping'),
    '/nodes/{node}/hardware/pci/{pciid}/mdev': mediated('pciid'),
    '/nodes/{node}/hardware/usb': (request) => maintenance.node(nodeOf(world, request).node).usb,

    '/nodes/{node}/capabilities': directory('name', ['qemu']),
    '/nodes/{node}/capabilities/qemu': (request) =>
      directory('name', [
        'cpu',
        ...(request.release === '9.2.11' ? ['cpu-flags'] : []),
        'machines',
        ...(isNine(request) ? ['migration'] : []),
      ])(request),
    '/nodes/{node}/capabilities/qemu/cpu': (request) => cpuModels(world, request),
    '/nodes/{node}/capabilities/qemu/cpu-flags': () => cpuFlags(world, false),
    '/nodes/{node}/capabilities/qemu/machines': (request) => machines(request),
    '/nodes/{node}/capabilities/qemu/migration': () => ({ 'has-dbus-vmstate': true }),
  };
}

/** The device with that address, or the one a mapping stands for on this node. */
function deviceOf(world: DemoWorld, request: HandlerRequest, wanted: string): Row | undefined {
  const { node } = nodeOf(world, request);
  const { pci } = world.areas.maintenance.node(node);
  const mapping = world.areas.config.mappings.pci.find((row) => row.id === wanted);
  if (mapping === undefined) return pci.find((row) => row.id === wanted || row.id === `0000:${wanted}`);
  const maps = Array.isArray(mapping.map) ? mapping.map.map(String) : [];
  const entry = maps.find((text) => text.split(',').includes(`node=${node}`));
  const address = entry
    ?.split(',')
    .find((part) => part.startsWith('path='))
    ?.slice('path='.length);
  if (address === undefined) throw new DemoHttpError(500, `no mapping of '${wanted}' for node '${node}'`);
  return pci.find((row) => String(row.id).startsWith(address));
}

const MODELS: readonly (readonly [name: string, vendor: string])[] = [
  ['EPYC', 'AuthenticAMD'],
  ['EPYC-Milan', 'AuthenticAMD'],
  ['Haswell', 'GenuineIntel'],
  ['Skylake-Server', 'GenuineIntel'],
  ['host', 'default'],
  ['kvm64', 'default'],
  ['max', 'default'],
  ['qemu64', 'default'],
  ['x86-64-v2-AES', 'default'],
  ['x86-64-v3', 'default'],
];

function cpuModels(world: DemoWorld, request: HandlerRequest): Row[] {
  const known = MODELS.filter(([name]) => request.release !== '7.4' || !name.startsWith('x86-64-v'));
  const custom = world.areas.config.cpuModels
    // What a model built by an administrator is based on decides its vendor; these are all generic.
    .filter(
      (model) =>
        request.may(`/mapping/cpu/${String(model.cputype).replace(/^custom-/, '')}`, 'Mapping.Audit', 'Mapping.Use') ||
        request.may('/nodes', 'Sys.Audit'),
    )
    .map((model) => ({ custom: 1, name: model.cputype, vendor: 'default' }));
  return [...known.map(([name, vendor]) => ({ custom: 0, name, vendor })), ...custom];
}

function machines(request: HandlerRequest): Row[] {
  const newest = { '7.4': '7.2', '8.4': '9.2+pve1', '9.0': '10.0+pve1', '9.2.11': '10.2' }[request.release];
  const versions = [newest, '7.1', '6.2'];
  return [...versions.map((version) => machine('i440fx', version)), ...versions.map((version) => machine('q35', version))];
}

function machine(type: 'i440fx' | 'q35', version: string): Row {
  const changes = version.endsWith('+pve1') ? { changes: 'Fixes live migration from older nodes.' } : {};
  return { ...changes, id: `pc-${type}-${version}`, type, version };
}
