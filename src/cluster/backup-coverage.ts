import type { Call } from '../api/call.ts';
import { boolOf, byText, listOf, rawOf, rowsOf, textOf, vmidOf } from '../api/lenient.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, type Reading } from '../api/reading.ts';
import { cleanText } from '../redact/plain-text.ts';
import { cutGaps } from './attempts.ts';
import { type BackupJob, readBackupJobs } from './backup-jobs.ts';
import { type Backup, readDryRunOf, readStorageBackups } from './backups.ts';
import { fanOut } from './fan-out.ts';
import { backupPlaces } from './guest-backups.ts';
import { type Guest, type Inventory, onlineNodes } from './inventory.ts';

/** Jobs whose volumes are looked at, in one call. */
const MAX_JOBS = 20;

/** A volume of a guest that its backups leave out. */
export interface ExcludedVolume {
  /** `scsi1`, `mp0` */
  readonly key: string;
  readonly reason: string;
}

/** Everything about jobs: undefined where it may not or could not be read. */
export interface JobFacts {
  readonly jobs: readonly BackupJob[] | undefined;
  /** Volumes of guests and whether backups hold them; guests of jobs that were not opened are missing. */
  readonly volumes: ReadonlyMap<number, JobVolumes>;
}

/** Volumes of one guest, as a job sees them. */
export interface JobVolumes {
  /** What its backups leave out. */
  readonly excluded: readonly ExcludedVolume[];
  /** No data is left in: a backup holds the configuration, and at most EFI variables and TPM state. */
  readonly none: boolean;
}

/**
 * The jobs, and which volumes of the guests in them are left out: one request, and one for each enabled job.
 *
 * Source: GET /cluster/backup, /cluster/backup/{id}/included_volumes (Sys.Audit on /).
 */
export async function readJobFacts(call: Call): Promise<Reading<JobFacts>> {
  if (!(await call.rights.has('Sys.Audit', '/'))) {
    const hidden = [{ what: 'backup jobs and the volumes that they leave out', privilege: 'Sys.Audit', path: '/' }];
    return { data: { jobs: undefined, volumes: new Map() }, problems: [], coverage: 'partial', hidden };
  }
  const jobs = await attempt({}, () => readBackupJobs(call));
  const enabled = (jobs.data ?? []).filter((j) => j.enabled);
  const opened = await fanOut(
    call,
    enabled.slice(0, MAX_JOBS),
    () => ({}),
    async ({ id }) => parseIncludedVolumes((await call.get('/cluster/backup/{id}/included_volumes', { id })).data),
  );
  const volumes = new Map(opened.results.flatMap((r) => [...r.data]));
  const unopened = cutGaps(
    enabled.length > MAX_JOBS,
    `excluded disks were looked at in the first ${MAX_JOBS} of ${enabled.length} jobs only`,
  );
  return { data: { jobs: jobs.data, volumes }, ...mergeGaps(jobs, opened.gaps, unopened) };
}

/** The volumes that a job leaves out, by guest. Every guest of the job is in it, also those without any. */
export function parseIncludedVolumes(data: unknown): ReadonlyMap<number, JobVolumes> {
  const guests = new Map<number, JobVolumes>();
  for (const row of listOf(rawOf(data)['children'], 'volumes of the job')) {
    const vmid = vmidOf(row['id']);
    if (vmid === undefined) continue;
    const all = rowsOf(row['children']);
    const excluded = all.flatMap((volume): ExcludedVolume[] => {
      if (boolOf(volume['included']) !== false) return [];
      const id = textOf(volume['id']);
      const key = id?.split(':').at(-1);
      return key === undefined ? [] : [{ key: cleanText(key), reason: cleanText(textOf(volume['reason']) ?? 'not told') }];
    });
    guests.set(vmid, {
      excluded: excluded.sort((a, b) => byText(a.key, b.key)),
      none: excluded.length > 0 && all.every((v) => boolOf(v['included']) === false || isFirmware(textOf(v['id']))),
    });
  }
  return guests;
}

/** EFI variables and TPM state: nobody's data. */
function isFirmware(id: string | undefined): boolean {
  return /:(?:efidisk|tpmstate)\d+$/.test(id ?? '');
}

/** How well a place was read; `guests`: only guest by guest. */
export interface PlaceReading {
  readonly storage: string;
  /** Set for a local storage. */
  readonly node: string | undefined;
  readonly state: 'read' | 'guests' | 'hidden' | 'unreachable';
  readonly needs: string | undefined;
}

export interface BackupsEverywhere {
  readonly backups: readonly Backup[];
  readonly places: readonly PlaceReading[];
  /** Backup servers that this token can only ask guest by guest, with the nodes that reach them. */
  readonly byGuest: readonly { readonly storage: string; readonly nodes: readonly string[] }[];
  /** Size, verification and encryption of some backups can't be seen. */
  readonly bare: boolean;
}

/**
 * The backups on every storage: one request for each shared storage and one for each node of a local one, two where a
 * token sees some backups only. Backup servers are left for `readServerBackups` where the token lacks the backup privileges.
 *
 * Source: see readStorageBackups.
 */
export async function readBackupsEverywhere(call: Call, inventory: Inventory): Promise<Reading<BackupsEverywhere>> {
  const home = onlineNodes(inventory)[0] ?? '';
  const { places, unreachable } = backupPlaces(inventory, home, true);
  const out = await fanOut(
    call,
    places,
    ({ node, storage }) => ({ node, storage }),
    (place) => readStorageBackups(call, place),
  );
  const read = new Map(out.results.map((r) => [r.item, r.data]));
  const backups: Backup[] = [];
  const readings: PlaceReading[] = [];
  const gaps: Gaps[] = [out.gaps];
  const byGuest: { storage: string; nodes: readonly string[] }[] = [];
  for (const place of places) {
    const { storage, plugin, shared } = place;
    const at = { storage, node: shared ? undefined : place.node };
    const reading = read.get(place);
    backups.push(...(reading?.data ?? []));
    if (reading === undefined || reading.problems.length > 0) {
      if (reading !== undefined) gaps.push(reading);
      const forbidden = reading?.problems.find((p) => p.kind === 'forbidden');
      readings.push({ ...at, state: forbidden === undefined ? 'unreachable' : 'hidden', needs: forbidden?.needs });
    } else if (reading.hidden.length === 0) {
      readings.push({ ...at, state: 'read', needs: undefined });
    } else if (plugin === 'pbs') {
      readings.push({ ...at, state: 'guests', needs: undefined });
      byGuest.push({ storage, nodes: nodesOf(inventory, storage) });
    } else {
      gaps.push(reading);
      const [first] = reading.hidden;
      readings.push({ ...at, state: 'hidden', needs: first === undefined ? undefined : `${first.privilege} on ${first.path}` });
    }
  }
  for (const problem of unreachable) {
    const { storage, node } = problem.where;
    const isShared = inventory.storages.find((s) => s.storage === storage)?.shared ?? false;
    if (storage !== undefined)
      readings.push({ storage, node: isShared ? undefined : node, state: 'unreachable', needs: undefined });
  }
  const lost: Gaps = { problems: unreachable, coverage: unreachable.length === 0 ? 'complete' : 'partial', hidden: [] };
  const bare = byGuest.length > 0 || backups.some((b) => b.source === 'dry-run');
  return { data: { backups, places: readings, byGuest, bare }, ...mergeGaps(lost, ...gaps) };
}

function nodesOf(inventory: Inventory, storage: string): readonly string[] {
  const online = new Set(onlineNodes(inventory));
  return inventory.storages
    .filter((s) => s.storage === storage && s.status === 'available' && online.has(s.node))
    .map((s) => s.node);
}

export interface ServerBackups {
  readonly backups: readonly Backup[];
  /** Guests whose backups on some server could not be read, with the servers. */
  readonly failed: ReadonlyMap<number, readonly string[]>;
  /** The first guest that was not reached in time. */
  readonly firstLeft: number | undefined;
  readonly gaps: Gaps;
}

/**
 * Backups on servers, guest by guest: each request starts one client program on a node, so they are spread over the
 * nodes, and no more guests are asked for than the caller hands over.
 *
 * Source: GET /nodes/{node}/storage/{storage}/prunebackups?prune-backups=keep-all=1&vmid=N&type=T (a dry run: never deletes).
 */
export async function readServerBackups(
  call: Call,
  guests: readonly Guest[],
  servers: BackupsEverywhere['byGuest'],
): Promise<ServerBackups> {
  const items = guests.flatMap((guest, index) =>
    servers.flatMap(({ storage, nodes }) => {
      const node = nodes[index % Math.max(1, nodes.length)];
      return node === undefined ? [] : [{ guest, storage, node }];
    }),
  );
  const out = await fanOut(
    call,
    items,
    ({ node, storage, guest }) => ({ node, storage, vmid: guest.vmid }),
    ({ node, storage, guest }) => readDryRunOf(call, guest, { node, storage }),
  );
  const done = new Set(out.results.map((r) => r.item));
  const left = new Set(out.left);
  const failed = new Map<number, readonly string[]>();
  for (const item of items) {
    if (done.has(item) || left.has(item)) continue;
    failed.set(item.guest.vmid, [...(failed.get(item.guest.vmid) ?? []), item.storage]);
  }
  return {
    backups: out.results.flatMap((r) => r.data),
    failed,
    firstLeft: out.left.reduce<number | undefined>((least, { guest }) => Math.min(least ?? guest.vmid, guest.vmid), undefined),
    // That time ran out is told by the cursor.
    gaps: out.left.length > 0 && out.gaps.problems.length === 0 ? NO_GAPS : out.gaps,
  };
}
