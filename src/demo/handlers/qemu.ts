import { DemoHttpError, type HandlerRequest, type HandlerTable } from '../types.ts';
import type { DemoGuest, DemoWorld } from '../world/types.ts';
import { directory, isSet, nodeOf } from './answers.ts';
import { cloudinitDump, cloudinitRows } from './cloudinit.ts';
import { askedConfig, configDigest, mapConfig, pendingList, vmValues } from './guest-config.ts';
import { guestOf, unordered } from './guest-lookup.ts';
import { vmRow, vmStatus } from './guest-status.ts';
import { nodesOfStorage, type Row } from './resource-rows.ts';

const VM_DIRECTORY = [
  'config',
  'cloudinit',
  'pending',
  'status',
  'unlink',
  'vncproxy',
  'termproxy',
  'migrate',
  'resize',
  'move',
  'rrd',
  'rrddata',
  'monitor',
  'agent',
  'snapshot',
  'spiceproxy',
  'sendkey',
  'firewall',
  'mtunnel',
  'remote_migrate',
];

const DISK_KEY = /^(?:ide|sata|scsi|virtio|efidisk|tpmstate)\d+$/;
const LOCAL_DEVICE_KEY = /^(?:hostpci|usb|serial|parallel)\d+$/;
/** Storage kinds that can take snapshots of a raw volume. */
const SNAPSHOT_KINDS: ReadonlySet<string> = new Set(['lvmthin', 'zfspool', 'rbd', 'btrfs']);

/** /nodes/{node}/qemu and what lies below, without agent, snapshots, firewall and RRD. */
export function qemuHandlers(world: DemoWorld): HandlerTable {
  const guest = (request: HandlerRequest) => guestOf(world, request, 'qemu');
  return {
    '/nodes/{node}/qemu': (request) => {
      const { node } = nodeOf(world, request);
      const rows = world
        .guestsOn(node)
        .filter((row) => row.type === 'qemu' && request.may(`/vms/${row.vmid}`, 'VM.Audit'))
        .map((row) => vmRow(request, row, isSet(request, 'full')));
      return unordered(rows, 13);
    },
    '/nodes/{node}/qemu/{vmid}': directory('subdir', VM_DIRECTORY),
    '/nodes/{node}/qemu/{vmid}/config': (request) => {
      const found = guest(request);
      return { ...mapConfig(askedConfig(request, found), vmValues(request)), digest: configDigest(found) };
    },
    '/nodes/{node}/qemu/{vmid}/pending': (request) => pendingList(guest(request), vmValues(request), 19),
    '/nodes/{node}/qemu/{vmid}/cloudinit': (request) => unordered(cloudinitRows(request, guest(request)), 17),
    '/nodes/{node}/qemu/{vmid}/cloudinit/dump': (request) => cloudinitDump(request, guest(request)),
    '/nodes/{node}/qemu/{vmid}/status': directory('subdir', [
      'current',
      'start',
      'stop',
      'reset',
      'shutdown',
      'suspend',
      'reboot',
    ]),
    '/nodes/{node}/qemu/{vmid}/status/current': (request) => vmStatus(world, request, guest(request)),
    '/nodes/{node}/qemu/{vmid}/feature': (request) => feature(world, request, guest(request)),
    '/nodes/{node}/qemu/{vmid}/migrate': (request) => migrationCheck(world, guest(request)),
  };
}

/** Volumes of a VM as `[key, volume id]`, without empty drives. */
function volumesOf(guest: DemoGuest): [string, string][] {
  return Object.entries(guest.detail.config).flatMap(([key, value]): [string, string][] => {
    const volume = String(value).split(',')[0] ?? '';
    return DISK_KEY.test(key) && volume !== 'none' ? [[key, volume]] : [];
  });
}

function feature(world: DemoWorld, request: HandlerRequest, guest: DemoGuest): Row {
  let nodes = world.nodes.map((node) => node.node);
  let able = true;
  for (const [, volume] of volumesOf(guest)) {
    const name = volume.split(':')[0] ?? '';
    const storage = world.storages.find((candidate) => candidate.storage === name);
    if (volume.startsWith('/')) {
      able = false;
      continue;
    }
    if (storage === undefined) throw new DemoHttpError(500, `storage '${name}' does not exist`);
    const reachable = storage.shared ? nodesOfStorage(world, storage).map((node) => node.node) : [guest.node];
    nodes = nodes.filter((node) => reachable.includes(node));
    const snapshots = SNAPSHOT_KINDS.has(storage.type) || volume.endsWith('.qcow2');
    able &&= request.query.feature === 'clone' ? guest.template : snapshots;
  }
  return { hasFeature: able ? 1 : 0, nodes: unordered(nodes, guest.vmid) };
}

/** What stands in the way of moving a VM. */
function migrationCheck(world: DemoWorld, guest: DemoGuest): Row {
  const shared = new Set(world.storages.filter((storage) => storage.shared).map((storage) => storage.storage));
  const local = volumesOf(guest).filter(([, volume]) => !shared.has(volume.split(':')[0] ?? ''));
  const devices = Object.entries(guest.detail.config).filter(([key, value]) => LOCAL_DEVICE_KEY.test(key) && value !== 'socket');
  return {
    running: guest.pid === undefined ? 0 : 1,
    local_disks: local.map(([drivename, volid]) => ({ drivename, volid, cdrom: 0, is_unused: 0, size: 0 })),
    local_resources: devices.map(([key]) => key),
    'mapped-resources': devices.filter(([, value]) => String(value).includes('mapping=')).map(([key]) => key),
    allowed_nodes: world.nodes.filter((node) => node.online && node.node !== guest.node).map((node) => node.node),
    not_allowed_nodes: {},
  };
}
