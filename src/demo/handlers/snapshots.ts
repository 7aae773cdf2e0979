import type { HandlerRequest, HandlerTable } from '../types.ts';
import type { DemoGuest, DemoWorld, GuestType } from '../world/types.ts';
import { directory, parameter } from './answers.ts';
import { configDigest, containerValues, mapConfig, snapshotOf, snapshotSection } from './guest-config.ts';
import { guestOf, unordered } from './guest-lookup.ts';
import type { Row } from './resource-rows.ts';

/** Snapshots of VMs and containers. */
export function snapshotsHandlers(world: DemoWorld): HandlerTable {
  const below = (type: GuestType): HandlerTable => {
    const root = `/nodes/{node}/${type}/{vmid}/snapshot`;
    return {
      [root]: (request) => snapshotList(guestOf(world, request, type)),
      [`${root}/{snapname}`]: directory('cmd', ['rollback', 'config']),
      [`${root}/{snapname}/config`]: (request) => snapshotConfig(guestOf(world, request, type), request),
    };
  };
  return { ...below('qemu'), ...below('lxc') };
}

/** Snapshots in no order, then the pseudo-snapshot that stands for the present. */
function snapshotList(guest: DemoGuest): Row[] {
  const { snapshots, config } = guest.detail;
  const rows = snapshots.map(
    (snapshot): Row => ({
      name: snapshot.name,
      snaptime: snapshot.snaptime,
      description: snapshot.description ?? '',
      ...(snapshot.parent === undefined ? {} : { parent: snapshot.parent }),
      ...(guest.type === 'qemu' ? { vmstate: snapshot.vmstate ?? 0 } : {}),
      ...(snapshot.snapstate === undefined ? {} : { snapstate: snapshot.snapstate }),
    }),
  );
  const current: Row = {
    name: 'current',
    description: 'You are here!',
    digest: configDigest(guest),
    running: guest.pid === undefined ? 0 : 1,
    ...(config.parent === undefined ? {} : { parent: config.parent }),
  };
  return [...unordered(rows, guest.vmid), current];
}

/**
 * The raw section of a snapshot. It masks nothing: cloud-init passwords, `args` and a container's `env` come in clear
 * to anybody with VM.Audit; only the list of raw LXC lines is left out.
 */
function snapshotConfig(guest: DemoGuest, request: HandlerRequest): Row {
  const { lxc: _lines, ...section } = snapshotSection(snapshotOf(guest, parameter(request, 'snapname')));
  return guest.type === 'lxc' ? mapConfig(section, containerValues(request)) : section;
}
