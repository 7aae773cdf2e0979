import { plant } from './canaries.ts';
import { WEEKLY_GUESTS } from './jobs-data.ts';
import { localTime, night } from './nights.ts';
import { createRandom, type Random } from './random.ts';
import type { CanarySink, DemoTask, GuestType } from './types.ts';
import { DAY, HOUR, MINUTE } from './units.ts';

interface TaskSpec {
  readonly node: string;
  readonly type: string;
  readonly id?: string;
  readonly starttime: number;
  /** Seconds it took; undefined while it runs. */
  readonly seconds?: number;
  /** `user@realm` or `user@realm!token`. */
  readonly who?: string;
  readonly status?: string;
  /** Undefined: the usual log of its type; null: the file is gone. */
  readonly log?: (() => readonly string[]) | null;
}

function hex8(value: number): string {
  return value.toString(16).toUpperCase().padStart(8, '0');
}

/** Collects the tasks of one node; process ids are handed out in the order of creation. */
class TaskList {
  readonly tasks: DemoTask[] = [];
  readonly #node: string;
  #pid = 4000;

  constructor(node: string) {
    this.#node = node;
  }

  add(spec: Omit<TaskSpec, 'node'>): void {
    const pid = this.#pid++;
    const pstart = (pid * 100) % 0xffffffff;
    const id = spec.id ?? '';
    const who = spec.who ?? 'root@pam';
    const [user = who, tokenid] = who.split('!');
    const status = spec.seconds === undefined ? undefined : (spec.status ?? 'OK');
    const log = spec.log;
    this.tasks.push({
      upid: `UPID:${this.#node}:${hex8(pid)}:${hex8(pstart)}:${hex8(spec.starttime)}:${spec.type}:${id}:${who}:`,
      node: this.#node,
      pid,
      pstart,
      starttime: spec.starttime,
      ...(spec.seconds === undefined ? {} : { endtime: spec.starttime + spec.seconds }),
      type: spec.type,
      id,
      user,
      ...(tokenid === undefined ? {} : { tokenid }),
      ...(status === undefined ? {} : { status }),
      log: () => (log === null ? undefined : log ? log() : usualLog(spec.type, id, status)),
    });
  }

  /** Newest first, as the task index lists them. */
  sorted(): DemoTask[] {
    return [...this.tasks].sort((left, right) => right.starttime - left.starttime || right.pid - left.pid);
  }
}

/** The last line a worker writes. */
function lastLine(status: string): string {
  if (status === 'OK') return 'TASK OK';
  return status.startsWith('WARNINGS: ') ? `TASK ${status}` : `TASK ERROR: ${status}`;
}

function usualLog(type: string, id: string, status: string | undefined): string[] {
  const body: Record<string, string[]> = {
    qmstart: [],
    qmsnapshot: [`snapshotting 'drive-scsi0' (local-lvm:vm-${id}-disk-0)`],
    vzstart: [],
    qmigrate: [`starting migration of VM ${id} to node 'pve2' (10.20.0.12)`, 'starting VM on remote node'],
    aptupdate: ['starting apt-get update', 'Hit:1 http://deb.debian.org/debian trixie InRelease', 'Reading package lists...'],
    imgcopy: ['create full clone of drive scsi0'],
  };
  const lines = body[type] ?? [];
  return status === undefined ? [...lines, 'still at work'] : [...lines, lastLine(status)];
}

interface BackupOutcome {
  readonly vmid: number;
  readonly type: GuestType;
  readonly name: string;
  readonly seconds: number;
  /** Error text of a failed guest. */
  readonly error?: string;
}

function clock(seconds: number): string {
  const part = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${part(seconds / 3600)}:${part((seconds % 3600) / 60)}:${part(seconds % 60)}`;
}

/** Log of a vzdump run over several guests, as its per-guest outcome can only be read from there. */
function vzdumpLog(command: string, start: number, outcomes: readonly BackupOutcome[]): string[] {
  const lines = [`INFO: starting new backup job: vzdump ${command}`];
  let time = start;
  for (const outcome of outcomes) {
    lines.push(`INFO: Starting Backup of VM ${outcome.vmid} (${outcome.type})`);
    lines.push(`INFO: Backup started at ${localTime(time)}`);
    lines.push('INFO: status = running');
    lines.push(`INFO: ${outcome.type === 'qemu' ? 'VM' : 'CT'} Name: ${outcome.name}`);
    lines.push('INFO: backup mode: snapshot');
    time += outcome.seconds;
    if (outcome.error) {
      lines.push(`ERROR: Backup of VM ${outcome.vmid} failed - ${outcome.error}`);
      lines.push(`INFO: Failed at ${localTime(time)}`);
    } else {
      lines.push('INFO: 100% (32.0 GiB of 32.0 GiB) in 1m 4s, read: 512.0 MiB/s, write: 88.1 MiB/s');
      lines.push(`INFO: Finished Backup of VM ${outcome.vmid} (${clock(outcome.seconds)})`);
      lines.push(`INFO: Backup finished at ${localTime(time)}`);
    }
  }
  const failed = outcomes.some((outcome) => outcome.error !== undefined);
  lines.push(`INFO: Backup job finished ${failed ? 'with errors' : 'successfully'}`);
  lines.push(failed ? 'TASK ERROR: job errors' : 'TASK OK');
  return lines;
}

/** A vzdump run over several guests; one that failed makes the whole run fail. */
function addBackupRun(list: TaskList, starttime: number, command: string, outcomes: readonly BackupOutcome[]): void {
  list.add({
    type: 'vzdump',
    starttime,
    seconds: outcomes.reduce((sum, outcome) => sum + outcome.seconds, 5),
    status: outcomes.some((outcome) => outcome.error !== undefined) ? 'job errors' : 'OK',
    log: () => vzdumpLog(command, starttime, outcomes),
  });
}

const NIGHTLY = '--pool prod --storage pbs-main --mode snapshot --quiet 1';

/** Tasks of the hand-made cluster by node, newest first. `now` is epoch seconds. */
export function handMadeTasks(sink: CanarySink, now: number): Map<string, readonly DemoTask[]> {
  return new Map([
    ['pve1', pve1Tasks(sink, now)],
    ['pve2', pve2Tasks(sink, now)],
    ['pve3', []],
  ]);
}

function pve1Tasks(sink: CanarySink, now: number): DemoTask[] {
  const list = new TaskList('pve1');
  const random = createRandom('tasks/pve1');
  for (let day = 13; day >= 0; day--) nightlyOnPve1(list, now, day);
  for (let week = 1; week >= 0; week--) weeklyOnPve1(list, now, week);
  specialTasks(list, sink, now);
  routine(list, random, now, 58, [100, 104, 111, 112, 113, 115, 116], [200, 203, 204]);
  list.add({
    type: 'vzdump',
    id: '116',
    starttime: now - 11 * MINUTE,
    who: 'root@pam',
    log: () => [
      'INFO: starting new backup job: vzdump 116 --storage pbs-main',
      'INFO: Starting Backup of VM 116 (qemu)',
      `INFO: Backup started at ${localTime(now - 11 * MINUTE)}`,
      'INFO: status = running',
      'INFO:  41% (16.4 GiB of 40.0 GiB) in 9m 50s',
    ],
  });
  return list.sorted();
}

function nightlyOnPve1(list: TaskList, now: number, day: number): void {
  addBackupRun(list, night(now, day, 2, 0), NIGHTLY, [
    { vmid: 100, type: 'qemu', name: 'web-01', seconds: 310 },
    { vmid: 101, type: 'qemu', name: 'db-primary.demo.example', seconds: 1800 },
    { vmid: 111, type: 'qemu', name: 'win-legacy', seconds: 640 },
    {
      vmid: 116,
      type: 'qemu',
      name: 'mail-gw',
      seconds: 300,
      ...(day < 2 ? { error: "VM 116 qmp command 'backup' failed - got timeout" } : {}),
    },
    { vmid: 200, type: 'lxc', name: 'proxy.demo.example', seconds: 61 },
    { vmid: 203, type: 'lxc', name: 'pihole: Küche', seconds: 42 },
  ]);
}

function weeklyOnPve1(list: TaskList, now: number, week: number): void {
  const outcomes = WEEKLY_GUESTS.map(([vmid, type]) => ({ vmid, type, name: `guest-${vmid}`, seconds: 170 }));
  const command = '--all 1 --exclude 102,106,117,205 --node pve1 --storage nas-backup';
  addBackupRun(list, night(now, 3 + 7 * week, 1, 0), command, outcomes);
}

/** One task of every kind that is worth a look: long, secret, broken, interrupted, without log. */
function specialTasks(list: TaskList, sink: CanarySink, now: number): void {
  const signedUrl = plant(sink, '/nodes/pve1/tasks log of download', 'CANARYsigMy7sY1wGj9');
  const tokenInUrl = plant(sink, '/nodes/pve1/tasks log of download userinfo', 'CANARY-urluser-Nz3uZ8xHk5');
  const hookToken = plant(sink, '/nodes/pve1/tasks log of vzdump hook', '5f0dca9a-ca9a-4a11-8a11-0ca9a47ca9a4');
  const acmeKey = plant(sink, '/nodes/pve1/tasks log of acmenewcert', 'CANARY-acmelog-Ob8vA4yIl2');
  const statusSecret = plant(sink, '/nodes/pve1/tasks status', 'CANARY-status-Pc1wB9zJm6');
  const restoreSecret = plant(sink, '/nodes/pve1/tasks log of qmrestore', 'CANARY-restore-Qd5xC0aKn8');
  const ticket = plant(sink, '/nodes/pve1/tasks log of hookscript', 'PVE:root@pam:6A0CA9A4::CANARYticketRe7yD2bLo1');
  list.add({
    type: 'aptupdate',
    starttime: now - 5 * DAY,
    seconds: 40,
    log: () => [
      ...Array.from(
        { length: 1200 },
        (_unused, index) =>
          `Get:${index + 1} http://deb.debian.org/debian trixie/main amd64 package-${index + 1} [${900 + index} kB]`,
      ),
      'TASK OK',
    ],
  });
  list.add({
    type: 'imgdownload',
    id: 'debian-13-genericcloud-amd64.qcow2',
    starttime: now - 4 * DAY,
    seconds: 63,
    who: 'ops@pve!full',
    log: () => [
      `downloading https://deploy:${tokenInUrl}@images.demo.example/debian-13.qcow2?X-Amz-Credential=demo&X-Amz-Signature=${signedUrl}&X-Amz-Expires=900 to /var/lib/vz/import/debian-13.qcow2`,
      '--2026-01-02 10:00:00--  https://images.demo.example/debian-13.qcow2',
      'HTTP request sent, awaiting response... 200 OK',
      "download of 'https://images.demo.example/debian-13.qcow2' to '/var/lib/vz/import/debian-13.qcow2' finished",
      'TASK OK',
    ],
  });
  list.add({
    type: 'vzdump',
    id: '104',
    starttime: now - 2 * DAY - HOUR,
    seconds: 90,
    log: () => [
      'INFO: starting new backup job: vzdump 104 --storage local --script /usr/local/bin/hook.pl',
      'INFO: Starting Backup of VM 104 (qemu)',
      `INFO: HOOK: curl -H 'Authorization: PVEAPIToken=ops@pve!hook=${hookToken}' https://10.20.0.12:8006/`,
      'INFO: Finished Backup of VM 104 (00:01:20): Größe geprüft ✓',
      'INFO: Backup job finished successfully',
      'TASK OK',
    ],
  });
  list.add({
    type: 'acmenewcert',
    starttime: now - 7 * DAY,
    seconds: 35,
    log: () => [
      'Loading ACME account details',
      'Placing ACME order',
      `plugin output: CF_Token=${acmeKey}`,
      'All domains validated!',
      'TASK OK',
    ],
  });
  list.add({
    type: 'vzcreate',
    id: '204',
    starttime: now - 7 * DAY - 600,
    seconds: 120,
    who: 'ops@pve!full',
    status: 'WARNINGS: 2',
    log: () => [
      'extracting archive',
      'WARN: Systemd 257 detected. You may need to enable nesting.',
      'WARN: second',
      'TASK WARNINGS: 2',
    ],
  });
  list.add({
    type: 'qmigrate',
    id: '104',
    starttime: now - 6 * DAY,
    seconds: 300,
    who: 'erik@pve!script',
    status: "migration aborted – can't connect to host (exit code 255)",
    log: () => [
      "starting migration of VM 104 to node 'pve3' (10.20.0.13)",
      "can't connect to host",
      'TASK ERROR: migration aborted',
    ],
  });
  list.add({
    type: 'vncproxy',
    id: '100',
    starttime: now - 3 * DAY,
    seconds: 60,
    who: 'erik@pve',
    status: 'unexpected status',
    log: () => ['starting vnc proxy'],
  });
  list.add({ type: 'srvreload', id: 'networking', starttime: now - 3 * DAY + 500, seconds: 1, log: () => [] });
  list.add({
    type: 'qmclone',
    id: '103',
    starttime: now - 3 * DAY + 1000,
    seconds: 100,
    who: 'erik@pve',
    status: 'interrupted by signal',
    log: null,
  });
  list.add({
    type: 'qmrestore',
    id: '117',
    starttime: now - 8 * DAY,
    seconds: 12,
    status: `command 'proxmox-backup-client restore --repository pve@pbs:main --password=${statusSecret} vm/117' failed: exit code 255`,
    log: () => [
      'new volume ID is local-lvm:vm-117-disk-0',
      `Error: authentication failed, PBS_PASSWORD=${restoreSecret}`,
      `TASK ERROR: command 'proxmox-backup-client restore --repository pve@pbs:main --password=${statusSecret} vm/117' failed: exit code 255`,
    ],
  });
  list.add({ type: 'qmstart', id: '106', starttime: now - 2 * DAY, seconds: 1, status: "storage 'nosuchstore' does not exist" });
  list.add({
    type: 'qmstart',
    id: '107',
    starttime: now - 2 * DAY + 300,
    seconds: 31,
    status: 'start failed: QEMU exited with code 1',
    log: () => [
      'Resuming suspended VM',
      `hookscript said: PVEAuthCookie=${ticket}`,
      'kvm: -drive file=/var/lib/vz/images/107/vm-107-disk-0.qcow2: Could not open: No such file or directory',
      'TASK ERROR: start failed: QEMU exited with code 1',
    ],
  });
  list.add({ type: 'resize', id: '113', starttime: now - 30 * HOUR, seconds: 2, status: 'connection timed out' });
  list.add({ type: 'qmmove', id: '108', starttime: now - 29 * HOUR, seconds: 700, who: 'ops@pve', status: 'received interrupt' });
  list.add({
    type: 'qmsnapshot',
    id: '109',
    starttime: now - 9 * DAY,
    seconds: 600,
    status: 'unexpected status',
    log: () => ["snapshotting 'drive-scsi0' (tank:vm-109-disk-0)"],
  });
}

/** Everyday tasks over the last eleven days. */
function routine(
  list: TaskList,
  random: Random,
  now: number,
  count: number,
  vms: readonly number[],
  cts: readonly number[],
): void {
  const users: readonly [string, ...string[]] = ['root@pam', 'ops@pve', 'erik@pve', 'erik@pve!script', 'root@pam'];
  const kinds: readonly [string, ...string[]] = [
    'qmstart',
    'qmshutdown',
    'qmsnapshot',
    'qmdelsnapshot',
    'vzstart',
    'vncproxy',
    'aptupdate',
    'qmconfig',
  ];
  for (let index = 0; index < count; index++) {
    const type = random.pick(kinds);
    const pool = type.startsWith('vz') ? cts : vms;
    const guest = pool[random.int(0, pool.length - 1)];
    const chance = random.next();
    list.add({
      type,
      id: type === 'aptupdate' || guest === undefined ? '' : String(guest),
      starttime: now - random.int(2 * HOUR, 11 * DAY),
      seconds: random.int(1, 95),
      who: random.pick(users),
      ...(chance < 0.06
        ? { status: 'timeout waiting on systemd' }
        : chance < 0.1
          ? { status: 'WARNINGS: 1', log: () => ['WARN: device is still in use', 'TASK WARNINGS: 1'] }
          : {}),
    });
  }
}

function pve2Tasks(sink: CanarySink, now: number): DemoTask[] {
  const list = new TaskList('pve2');
  const random = createRandom('tasks/pve2');
  const cifs = plant(sink, '/nodes/pve2/tasks log of vzdump', 'CANARY-cifslog-Sf9zE6cMp3');
  for (let day = 13; day >= 0; day--) {
    addBackupRun(list, night(now, day, 2, 0), NIGHTLY, [
      { vmid: 120, type: 'qemu', name: 'nextcloud', seconds: 900 },
      {
        vmid: 122,
        type: 'qemu',
        name: 'dc01',
        seconds: 200,
        ...(day < 12 ? { error: 'VM 122 not running after guest-agent freeze, job aborted' } : {}),
      },
      { vmid: 221, type: 'lxc', name: 'cache01', seconds: 80 },
    ]);
  }
  list.add({
    type: 'vzdump',
    id: '121',
    starttime: now - 4 * DAY - 3 * HOUR,
    seconds: 8,
    status: "unable to open backup directory '/mnt/backup/dump'",
    log: () => [
      'INFO: starting new backup job: vzdump 121 --storage backup-dir',
      `INFO: mount -o username=svc,password=${cifs} //filer/Backups`,
      "TASK ERROR: unable to open backup directory '/mnt/backup/dump'",
    ],
  });
  list.add({ type: 'startall', starttime: now - 203 * DAY + 60, seconds: 180 });
  list.add({ type: 'vzstart', id: '220', starttime: now - 22 * HOUR, seconds: 4, status: "startup for container '220' failed" });
  routine(list, random, now, 44, [120, 121, 122, 124], [220, 221]);
  list.add({
    type: 'qmclone',
    id: '123',
    starttime: now - 4 * MINUTE,
    who: 'ops@pve!full',
    log: () => ['create full clone of drive scsi0 (ceph-rbd:base-123-disk-0)', 'transferred 3.1 GiB of 10.0 GiB (31.00%)'],
  });
  return list.sorted();
}

/** Nightly runs and everyday tasks of one node of a generated cluster. */
export function generatedTasks(
  node: string,
  vms: readonly number[],
  cts: readonly number[],
  now: number,
  seed: string,
): DemoTask[] {
  const list = new TaskList(node);
  const random = createRandom(`${seed}/tasks/${node}`);
  for (let day = 6; day >= 0; day--) {
    const outcomes = [
      ...vms.slice(0, 6).map((vmid): BackupOutcome => ({ vmid, type: 'qemu', name: `vm-${vmid}`, seconds: 95 })),
      ...cts.slice(0, 2).map((vmid): BackupOutcome => ({ vmid, type: 'lxc', name: `ct-${vmid}`, seconds: 30 })),
    ];
    addBackupRun(list, night(now, day, 4, 0), '--all 1 --storage pbs-bulk --mode snapshot', outcomes);
  }
  routine(list, random, now, 40, vms, cts);
  return list.sorted();
}
