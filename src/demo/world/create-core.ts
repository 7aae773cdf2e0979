import type { DemoOptions } from '../types.ts';
import { generatedBackups, handMadeBackups, handMadeVolumes } from './backups-data.ts';
import { plant } from './canaries.ts';
import { generatedDisks, handMadeDisks } from './disks-data.ts';
import { FIRST_GENERATED_VMID, generatedGuest, generatedPoolNames } from './generate-guests.ts';
import { buildGuest, type GuestSpec } from './guest-builder.ts';
import { handMadeBackupJobs, handMadePools } from './jobs-data.ts';
import { lxcGuestSpecs } from './lxc-guests-data.ts';
import { generatedNode, handMadeNodes, standaloneNode } from './nodes-data.ts';
import { qemuGuestSpecs } from './qemu-guests-data.ts';
import { generatedStorages, handMadeStorages } from './storages-data.ts';
import { generatedTasks, handMadeTasks } from './tasks-data.ts';
import type {
  CanarySink,
  DemoBackup,
  DemoBackupJob,
  DemoGuest,
  DemoNode,
  DemoPool,
  DemoStorage,
  DemoTask,
  DemoVolume,
  WorldCore,
} from './types.ts';

const SEED = 'demo';

/** The part of the data set that the areas are built on. */
export function createCore(options: DemoOptions): WorldCore {
  const nowMs = options.now ?? Date.now();
  const now = Math.floor(nowMs / 1000);
  const sink: CanarySink = { canaries: [] };
  const standalone = options.standalone === true;
  const generated = !standalone && (options.nodes !== undefined || options.guests !== undefined);
  const nodes = createNodes(sink, now, options, standalone);
  const guests = createGuests(sink, now, options, nodes, standalone);
  const guestsByNode = groupBy(guests.values(), (guest) => guest.node);
  const storages = [...handMadeStorages(sink), ...(generated ? generatedStorages() : [])];
  const pools = [
    ...handMadePools(),
    ...(generated ? generatedPoolNames().map((poolid): DemoPool => ({ poolid, storages: [] })) : []),
  ];
  return {
    canaries: sink.canaries,
    now: nowMs,
    release: options.release ?? '9.2.11',
    standalone,
    generated,
    clusterName: 'demo',
    nodes,
    guests,
    storages,
    pools,
    backupJobs: createJobs(generated, standalone),
    agentOutput: {
      file: `root_password=${plant(sink, '/nodes/pve1/qemu/100/agent/file-read content', 'CANARY-agentfile-Tg0aF7dNq4')}\n`,
      command: `token=${plant(sink, '/nodes/pve1/qemu/100/agent/exec-status out-data', 'CANARY-agentexec-Uh1bG8eOr5')}\n`,
    },
    tasks: createTasks(sink, now, nodes, guestsByNode),
    volumes: volumeIndex(storages, handMadeVolumes(now)),
    backups: backupIndex(storages, handMadeBackups(sink, now), guests, now),
    disks: (node) => (['pve1', 'pve2', 'pve3'].includes(node) ? handMadeDisks(node) : generatedDisks(node)),
    guestsOn: (node) => guestsByNode.get(node) ?? [],
    poolOf: (vmid) => guests.get(vmid)?.pool,
    poolsOfStorage: (storage) => pools.filter((pool) => pool.storages.includes(storage)).map((pool) => pool.poolid),
  };
}

function createNodes(sink: CanarySink, now: number, options: DemoOptions, standalone: boolean): DemoNode[] {
  const handMade = handMadeNodes(sink, now);
  if (standalone) return handMade.slice(0, 1).map(standaloneNode);
  const count = Math.max(1, options.nodes ?? handMade.length);
  const nodes = handMade.slice(0, count);
  for (let index = nodes.length + 1; index <= count; index++) nodes.push(generatedNode(index, SEED, now));
  return nodes;
}

function createGuests(
  sink: CanarySink,
  now: number,
  options: DemoOptions,
  nodes: readonly DemoNode[],
  standalone: boolean,
): ReadonlyMap<number, DemoGuest> {
  const cpus = new Map(nodes.map((node) => [node.node, node.maxcpu]));
  const build = (type: DemoGuest['type'], specs: readonly GuestSpec[]): DemoGuest[] =>
    specs.flatMap((spec) => {
      const hostCpus = cpus.get(spec.node);
      if (hostCpus === undefined) return [];
      const { hastate: _left, ...alone } = spec;
      return [buildGuest(type, standalone ? alone : spec, now, hostCpus)];
    });
  const special = [...build('qemu', qemuGuestSpecs(sink, now)), ...build('lxc', lxcGuestSpecs(sink, now))];
  special.sort((left, right) => left.vmid - right.vmid);
  const wanted = standalone ? special.length : (options.guests ?? special.length);
  const guests = new Map(special.slice(0, wanted).map((guest) => [guest.vmid, guest]));
  for (let index = 0; guests.size < wanted; index++) {
    const vmid = FIRST_GENERATED_VMID + index;
    const node = nodes[(index * 7 + 3) % nodes.length];
    if (node) guests.set(vmid, generatedGuest(vmid, node.node, SEED, now));
  }
  return guests;
}

function createJobs(generated: boolean, standalone: boolean): DemoBackupJob[] {
  const jobs = handMadeBackupJobs();
  if (!generated || standalone) return jobs;
  const bulk = generatedPoolNames()
    .slice(0, 8)
    .map(
      (pool): DemoBackupJob => ({
        id: `backup-${pool}`,
        enabled: true,
        schedule: '04:00',
        all: false,
        vmids: [],
        exclude: [],
        pool,
        storage: 'pbs-bulk',
        options: { mode: 'snapshot' },
      }),
    );
  return [...jobs, ...bulk];
}

function createTasks(
  sink: CanarySink,
  now: number,
  nodes: readonly DemoNode[],
  guestsByNode: ReadonlyMap<string, readonly DemoGuest[]>,
): ReadonlyMap<string, readonly DemoTask[]> {
  const known = handMadeTasks(sink, now);
  return new Map(
    nodes.map((node): [string, readonly DemoTask[]] => {
      const handMade = known.get(node.node);
      if (handMade) return [node.node, handMade];
      const guests = guestsByNode.get(node.node) ?? [];
      const ids = (type: DemoGuest['type']) => guests.filter((guest) => guest.type === type).map((guest) => guest.vmid);
      return [node.node, generatedTasks(node.node, ids('qemu'), ids('lxc'), now, SEED)];
    }),
  );
}

function groupBy<T>(rows: Iterable<T>, key: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const name = key(row);
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  return groups;
}

/** Rows of a shared storage are the same on every node; those of a local one belong to their node. */
function seenFrom<T extends { storage: string; node?: string }>(rows: readonly T[], node: string): readonly T[] {
  return rows.filter((row) => row.node === undefined || row.node === node);
}

function volumeIndex(storages: readonly DemoStorage[], volumes: readonly DemoVolume[]): WorldCore['volumes'] {
  const byStorage = groupBy(volumes, (volume) => volume.storage);
  const names = new Set(storages.map((storage) => storage.storage));
  return (storage, node) => (names.has(storage) ? seenFrom(byStorage.get(storage) ?? [], node) : []);
}

/** Backups of generated guests are made up when the large backup server is first asked. */
function backupIndex(
  storages: readonly DemoStorage[],
  handMade: readonly DemoBackup[],
  guests: ReadonlyMap<number, DemoGuest>,
  now: number,
): WorldCore['backups'] {
  const byStorage = groupBy(handMade, (backup) => backup.storage);
  const hasBulk = storages.some((storage) => storage.storage === 'pbs-bulk');
  let bulk: readonly DemoBackup[] | undefined;
  return (storage, node) => {
    if (storage === 'pbs-bulk' && hasBulk) {
      bulk ??= generatedBackups(
        [...guests.values()].filter((guest) => guest.vmid >= FIRST_GENERATED_VMID),
        now,
        SEED,
      );
      return bulk;
    }
    return seenFrom(byStorage.get(storage) ?? [], node);
  };
}
