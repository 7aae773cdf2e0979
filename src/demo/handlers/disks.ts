import { DemoHttpError, type HandlerRequest, type HandlerTable } from '../types.ts';
import type { DemoDisk, DemoWorld } from '../world/types.ts';
import { directory, isSet, nodeOf, parameter } from './answers.ts';
import { unordered } from './guest-lookup.ts';
import type { Row } from './resource-rows.ts';

/** /nodes/{node}/disks and what lies below. */
export function disksHandlers(world: DemoWorld): HandlerTable {
  const disks = (request: HandlerRequest) => world.disks(nodeOf(world, request).node);
  const root = '/nodes/{node}/disks';
  return {
    [root]: directory('name', ['list', 'initgpt', 'smart', 'lvm', 'lvmthin', 'directory', 'wipedisk', 'zfs']),
    [`${root}/list`]: (request) => diskList(disks(request).disks, request),
    [`${root}/smart`]: (request) => smart(disks(request).disks, request),
    [`${root}/lvm`]: (request) => disks(request).lvm,
    [`${root}/lvmthin`]: (request) => disks(request).lvmthin,
    [`${root}/directory`]: (request) => disks(request).directories,
    [`${root}/zfs`]: (request) => disks(request).zfs.map((pool) => pool.row),
    [`${root}/zfs/{name}`]: (request) => {
      const name = parameter(request, 'name');
      const pool = disks(request).zfs.find((candidate) => candidate.row.name === name);
      if (pool) return pool.detail;
      throw new DemoHttpError(500, `command 'zpool status -P ${name}' failed: exit code 1`);
    },
  };
}

/** Disks, partitions only when asked for; without SMART there is neither health nor wear. */
function diskList(disks: readonly DemoDisk[], request: HandlerRequest): Row[] {
  const withSmart = !isSet(request, 'skipsmart');
  const rows = disks
    .filter((disk) => disk.parent === undefined || isSet(request, 'include-partitions'))
    .filter((disk) => request.query.type !== 'unused' || disk.used === undefined)
    .map(
      (disk): Row => ({
        devpath: disk.devpath,
        size: disk.size,
        model: disk.model,
        serial: disk.serial,
        vendor: disk.vendor,
        wwn: disk.wwn,
        type: disk.type,
        rpm: disk.type === 'hdd' ? disk.rpm : disk.type === 'usb' ? -1 : 0,
        health: withSmart ? disk.health : 'UNKNOWN',
        wearout: withSmart ? disk.wearout : 'N/A',
        gpt: disk.gpt ? 1 : 0,
        mounted: disk.used === 'ext4' ? 1 : 0,
        osdid: disk.osdid,
        'osdid-list': disk.osdid === -1 ? null : [disk.osdid],
        ...(disk.used === undefined ? {} : { used: disk.used }),
        ...(disk.parent === undefined ? {} : { parent: disk.parent }),
        ...(disk.byIdLink === undefined ? {} : { by_id_link: disk.byIdLink }),
      }),
    );
  return unordered(rows, 43);
}

function smart(disks: readonly DemoDisk[], request: HandlerRequest): Row {
  const path = parameter(request, 'disk');
  const disk = disks.find((candidate) => candidate.devpath === path);
  if (disk === undefined) return { health: 'UNKNOWN' };
  if (isSet(request, 'healthonly')) return { health: disk.health };
  const { type, attributes, text } = disk.smart;
  return {
    health: disk.health,
    type,
    ...(attributes === undefined ? {} : { attributes }),
    ...(text === undefined ? {} : { text }),
    ...(disk.wearout === 'N/A' ? {} : { wearout: disk.wearout }),
  };
}
