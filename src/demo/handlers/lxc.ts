import type { HandlerRequest, HandlerTable } from '../types.ts';
import type { DemoGuest, DemoWorld } from '../world/types.ts';
import { directory, isNine, nodeOf } from './answers.ts';
import { askedConfig, configDigest, containerValues, demandEnv, mapConfig, pendingList } from './guest-config.ts';
import { guestOf, unordered } from './guest-lookup.ts';
import { containerRow, containerStatus } from './guest-status.ts';
import type { Row } from './resource-rows.ts';

const CONTAINER_DIRECTORY = [
  'config',
  'pending',
  'status',
  'vncproxy',
  'termproxy',
  'vncwebsocket',
  'spiceproxy',
  'migrate',
  'clone',
  'rrd',
  'rrddata',
  'firewall',
  'snapshot',
  'resize',
  'interfaces',
];

/** /nodes/{node}/lxc and what lies below, without snapshots, firewall and RRD. */
export function lxcHandlers(world: DemoWorld): HandlerTable {
  const guest = (request: HandlerRequest) => guestOf(world, request, 'lxc');
  return {
    '/nodes/{node}/lxc': (request) => {
      const { node } = nodeOf(world, request);
      const rows = world
        .guestsOn(node)
        .filter((row) => row.type === 'lxc' && request.may(`/vms/${row.vmid}`, 'VM.Audit'))
        .map((row) => containerRow(request, row));
      return unordered(rows, 23);
    },
    '/nodes/{node}/lxc/{vmid}': directory('subdir', CONTAINER_DIRECTORY),
    '/nodes/{node}/lxc/{vmid}/config': (request) => containerConfig(request, guest(request)),
    '/nodes/{node}/lxc/{vmid}/pending': (request) => containerPending(request, guest(request)),
    '/nodes/{node}/lxc/{vmid}/status': directory('subdir', ['current', 'start', 'stop', 'shutdown', 'reboot', 'migrate']),
    '/nodes/{node}/lxc/{vmid}/status/current': (request) => containerStatus(request, guest(request)),
    '/nodes/{node}/lxc/{vmid}/interfaces': (request) => interfaces(request, guest(request)),
    '/nodes/{node}/lxc/{vmid}/feature': (request) => {
      const found = guest(request);
      return { hasFeature: request.query.feature === 'clone' && !found.template ? 0 : 1 };
    },
    '/nodes/{node}/lxc/{vmid}/migrate': (request) => ({
      running: guest(request).pid === undefined ? 0 : 1,
      'allowed-nodes': world.nodes.filter((node) => node.online && node.node !== request.params.node).map((node) => node.node),
      'not-allowed-nodes': {},
    }),
  };
}

function containerConfig(request: HandlerRequest, guest: DemoGuest): Row {
  const config = askedConfig(request, guest);
  demandEnv(request, guest, config);
  return { ...mapConfig(config, containerValues(request)), digest: configDigest(guest) };
}

function containerPending(request: HandlerRequest, guest: DemoGuest): Row[] {
  demandEnv(request, guest, guest.detail.config);
  return pendingList(guest, containerValues(request), 29);
}

/**
 * Network devices of a running container, null for a stopped one. `inet` and `inet6` hold one address each, the last
 * one wins; the full list came with 8.4.
 */
function interfaces(request: HandlerRequest, guest: DemoGuest): Row[] | null {
  if (guest.pid === undefined) return null;
  return guest.detail.interfaces.map((device) => {
    const last = (list: readonly string[], key: 'inet' | 'inet6'): Row => {
      const address = list.at(-1);
      return address === undefined ? {} : { [key]: address };
    };
    const rows = (list: readonly string[], type: 'inet' | 'inet6') =>
      list.map((cidr) => ({ 'ip-address': cidr.split('/')[0], 'ip-address-type': type, prefix: cidr.split('/')[1] }));
    const row: Row = { name: device.name, hwaddr: device.hwaddr, ...last(device.inet, 'inet'), ...last(device.inet6, 'inet6') };
    if (!isNine(request) && request.release !== '8.4') return row;
    return {
      ...row,
      'hardware-address': device.hwaddr,
      'ip-addresses': [...rows(device.inet, 'inet'), ...rows(device.inet6, 'inet6')],
    };
  });
}
