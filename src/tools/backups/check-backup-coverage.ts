import { z } from 'zod';
import { bool, bytes, duration, int, list, type RowOf, type SortKey, table, text, time } from '../../answer/spec.ts';
import { formatDuration } from '../../answer/units.ts';
import type { Call } from '../../api/call.ts';
import { ApiError } from '../../api/errors.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, visibleWord } from '../../api/reading.ts';
import {
  type BackupsEverywhere,
  type JobFacts,
  readBackupsEverywhere,
  readJobFacts,
  readServerBackups,
  type ServerBackups,
} from '../../cluster/backup-coverage.ts';
import type { BackupJob } from '../../cluster/backup-jobs.ts';
import type { Backup } from '../../cluster/backups.ts';
import {
  type Guest,
  guestCoverage,
  type Inventory,
  isOnline,
  offlineGaps,
  readInventory,
  storageCoverage,
} from '../../cluster/inventory.ts';
import { existsUnseen, requireNode, resolveGuest } from '../../cluster/resolve.ts';
import { readStorageDefinitions, type StorageDefinition } from '../../cluster/storage.ts';
import {
  backupsByGuest,
  COVERAGE_STATES,
  coverageOf,
  coverageRank,
  type GuestCoverage,
  type OrphanGroup,
  orphansOf,
  type UnreadTarget,
} from '../../insights/backup-coverage.ts';
import { jobSelects } from '../../insights/job-coverage.ts';
import { defineTool } from '../define-tool.ts';
import { node, vmid } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';
import { parseTimeParam } from '../time-param.ts';

/** Requests to backup servers, guest by guest, in one call; each starts a program on a node. */
const MAX_SERVER_READS = 120;
/** Orphans whose number is looked up, to tell a hidden guest from one that is gone. */
const MAX_LOOKED_UP = 10;
/** First part of the keys of rows that come page by page while backup servers are asked guest by guest. */
const SCAN = 'scan';

const guestColumns = {
  vmid: int(),
  name: text(),
  node: text(),
  state: text(COVERAGE_STATES.join(', ')),
  last_backup: time('newest good one'),
  may_be: duration('how old it may be by the schedules'),
  storage: text('where the newest good one is'),
  size: bytes(),
  verified: text('ok, failed or none'),
  encrypted: bool(),
  backups: int(),
  protected: int(),
  jobs: list('enabled jobs that select it'),
  excluded: list('volumes that its backups leave out'),
  retention: text(),
  issues: list(),
};

export const checkBackupCoverage = defineTool({
  name: 'check_backup_coverage',
  title: 'Check backup coverage',
  toolset: 'backups',
  description:
    'Guests by backup state: covered, stale, in no job, unknowable; age of the last good backup, left-out disks, retention; backups without a guest. Worst first.',
  params: {
    state: z.enum(COVERAGE_STATES).optional(),
    node: node.optional(),
    pool: z.string().min(1).max(200).optional(),
    vmid: vmid.optional(),
    max_age: z.string().min(2).max(12).describe('Such as 36h; default: by schedule').optional(),
  },
  paged: true,
  output: {
    guests: table(guestColumns),
    orphans: table(
      {
        vmid: int(),
        type: text(),
        storage: text(),
        backups: int(),
        newest: time(),
        size: bytes(),
        protected: int(),
        guest: text(),
      },
      'backups of no visible guest',
    ),
  },
  reads: [
    '/cluster/resources',
    '/cluster/backup',
    '/cluster/backup/{id}/included_volumes',
    '/cluster/nextid',
    '/storage',
    '/nodes/{node}/storage/{storage}/content',
    '/nodes/{node}/storage/{storage}/prunebackups',
    ...RIGHTS_READS,
  ],
  async run(args, call, page) {
    const maxAge = args.max_age === undefined ? undefined : ageOf(args.max_age);
    const inventory = await readInventory(call);
    if (args.node !== undefined) requireNode(inventory, args.node);
    if (args.vmid !== undefined) await resolveGuest(call, { vmid: args.vmid });
    const chosen = inventory.guests.filter((g) => matches(g, args));
    const judged = chosen.filter((g) => !g.template);
    const [jobs, everywhere, definitions, guests, storages] = await Promise.all([
      readJobFacts(call),
      readBackupsEverywhere(call, inventory),
      attempt({}, () => readStorageDefinitions(call)),
      guestCoverage(call),
      storageCoverage(call),
    ]);
    const scan = await readServers(call, judged, everywhere.data, page.after, page.limit);
    const facts: Facts = {
      jobs: jobs.data,
      everywhere: everywhere.data,
      backupsOf: backupsByGuest([...everywhere.data.backups, ...scan.server.backups]),
      definitions: definitions.data?.data ?? [],
      retention: new Map(definitions.data?.data.map((d) => [d.storage, d.retention])),
      storagesComplete: storages.coverage === 'complete',
      server: scan.server,
      inventory,
    };
    const wanted = args.state === 'template' || args.vmid !== undefined ? chosen : judged;
    const covered = wanted.filter((g) => scan.looksAt(g.vmid)).map((g) => judge(g, facts, { now: page.asked, maxAge }));
    const shown = covered.filter((c) => args.state === undefined || c.state === args.state);
    const filtered = args.state !== undefined || args.node !== undefined || args.pool !== undefined || args.vmid !== undefined;
    const orphans =
      filtered || scan.continued ? [] : await labelled(call, orphansOf(everywhere.data.backups, inventory.guests), guests);
    const templates = chosen.length - judged.length;
    return {
      headline: headlineOf(covered, visibleWord(guests), scan.unfinished !== undefined || scan.continued, orphans.length),
      sections: {
        guests: {
          rows: shown.map(guestRow),
          key: scan.byNumber ? (row) => [SCAN, row.vmid ?? 0] : worstFirst(shown),
          ...(scan.unfinished === undefined ? {} : { unfinished: scan.unfinished }),
        },
        orphans: orphans.length === 0 ? undefined : orphans.map(orphanRow),
      },
      gaps: mergeGaps(
        jobs,
        everywhere,
        definitions,
        guests,
        storages,
        scan.server.gaps,
        offlineGaps(inventory, new Set(chosen.map((g) => g.node))),
        await bareGaps(call, everywhere.data, scan.server),
      ),
      notes: notesOf({ templates, everywhere: everywhere.data, scan, orphans, guests, maxAge }),
    };
  },
});

interface Filters {
  readonly node?: string | undefined;
  readonly pool?: string | undefined;
  readonly vmid?: number | undefined;
}

function matches(guest: Guest, filters: Filters): boolean {
  return (
    (filters.node === undefined || guest.node === filters.node) &&
    (filters.pool === undefined || guest.pool === filters.pool || guest.pool?.startsWith(`${filters.pool}/`) === true) &&
    (filters.vmid === undefined || guest.vmid === filters.vmid)
  );
}

/** Seconds. */
function ageOf(given: string): number {
  if (!/^\d+(?:\.\d+)?\s*(?:m|min|h|d|w)$/i.test(given.trim()))
    throw new ApiError('bad-argument', `max_age: ${JSON.stringify(given)} is no age.`, { hint: 'Such as 36h, 2d or 1w.' });
  return -parseTimeParam('max_age', given, 0);
}

/** What one page looked at on backup servers, where these answer guest by guest only. */
interface Scan {
  readonly server: ServerBackups;
  /** Rows come in the order of their numbers, because more than one page is needed. */
  readonly byNumber: boolean;
  readonly continued: boolean;
  readonly unfinished: { readonly after: SortKey; readonly why: string } | undefined;
  looksAt(vmid: number): boolean;
}

const NO_SERVER: ServerBackups = { backups: [], failed: new Map(), firstLeft: undefined, gaps: NO_GAPS };

async function readServers(
  call: Call,
  guests: readonly Guest[],
  everywhere: BackupsEverywhere,
  after: SortKey | undefined,
  limit: number | undefined,
): Promise<Scan> {
  const servers = everywhere.byGuest;
  const whole: Scan = { server: NO_SERVER, byNumber: false, continued: false, unfinished: undefined, looksAt: () => true };
  if (servers.length === 0) return whole;
  const continued = after?.[0] === SCAN;
  const from = continued ? Number(after?.[1] ?? 0) : 0;
  const rest = guests.filter((g) => g.vmid > from);
  const most = Math.max(1, Math.floor(MAX_SERVER_READS / servers.length));
  // Small clusters are read at once, so that the worst comes first whatever the limit.
  const several = continued || rest.length > most;
  const asked = several ? rest.slice(0, Math.min(most, limit ?? most)) : rest;
  const server = await readServerBackups(call, asked, servers);
  const end = server.firstLeft === undefined ? asked.at(-1)?.vmid : asked.findLast((g) => g.vmid < (server.firstLeft ?? 0))?.vmid;
  const stopped = server.firstLeft !== undefined || asked.length < rest.length;
  const why = `${servers.map((s) => s.storage).join(', ')} can only be asked guest by guest`;
  const reached = end ?? from;
  return {
    server,
    byNumber: several || stopped,
    continued,
    unfinished: stopped ? { after: [SCAN, reached], why } : undefined,
    looksAt: (vmid) => (several || stopped ? vmid > from && vmid <= (stopped ? reached : Number.POSITIVE_INFINITY) : true),
  };
}

interface Facts {
  readonly jobs: JobFacts;
  readonly everywhere: BackupsEverywhere;
  readonly backupsOf: (guest: Guest) => readonly Backup[];
  readonly definitions: readonly StorageDefinition[];
  /** Of storages, by name. */
  readonly retention: ReadonlyMap<string, string | undefined>;
  readonly storagesComplete: boolean;
  readonly server: ServerBackups;
  readonly inventory: Inventory;
}

function judge(guest: Guest, facts: Facts, options: { now: number; maxAge: number | undefined }): GuestCoverage {
  const jobs = facts.jobs.jobs?.filter((job) => job.enabled && jobSelects(job, guest));
  return coverageOf(
    {
      guest,
      jobs,
      backups: facts.backupsOf(guest),
      unread: (jobs ?? []).flatMap((job) => unreadTarget(job, guest, facts) ?? []),
      volumes: facts.jobs.volumes.get(guest.vmid),
      retention: facts.retention,
      allRead:
        facts.storagesComplete &&
        !facts.server.failed.has(guest.vmid) &&
        facts.everywhere.places.every(
          (p) => p.state === 'read' || p.state === 'guests' || (p.node !== undefined && p.node !== guest.node),
        ),
      nodeOnline: isOnline(facts.inventory.nodes, guest.node),
    },
    options,
  );
}

/** Why the backups that a job makes of a guest were not seen; undefined when they were. */
function unreadTarget(job: BackupJob, guest: Guest, facts: Facts): UnreadTarget | undefined {
  const { storage } = job;
  // Without a storage the node's own default applies, which can't be read: whatever was found counts.
  if (storage === undefined) return undefined;
  if (facts.server.failed.get(guest.vmid)?.includes(storage) === true) return { storage, why: 'unreachable', needs: undefined };
  const place = facts.everywhere.places.find((p) => p.storage === storage && (p.node === undefined || p.node === guest.node));
  if (place === undefined) {
    const definition = facts.definitions.find((d) => d.storage === storage);
    if (definition?.enabled === false) return { storage, why: 'disabled', needs: undefined };
    if (facts.storagesComplete || definition !== undefined) return { storage, why: 'missing', needs: undefined };
    return { storage, why: 'hidden', needs: `Datastore.Audit on /storage/${storage}` };
  }
  if (place.state === 'read' || place.state === 'guests') return undefined;
  return { storage, why: place.state, needs: place.needs };
}

/** Particulars of backups that only the dry run told. */
async function bareGaps(call: Call, everywhere: BackupsEverywhere, server: ServerBackups): Promise<Gaps> {
  if (!everywhere.bare && server.backups.length === 0) return NO_GAPS;
  const storages = [...everywhere.backups, ...server.backups].filter((b) => b.source === 'dry-run').map((b) => b.storage);
  const what = 'size, verification and encryption of backups';
  const hidden = [];
  for (const storage of [...new Set(storages)].sort()) {
    const path = `/storage/${storage}`;
    if (!(await call.rights.has('Datastore.AllocateSpace', path)))
      hidden.push({ what, privilege: 'Datastore.AllocateSpace', path });
  }
  const guests = await call.rights.over({ privilege: 'VM.Backup', under: '/vms', what });
  // Nothing of a guest is missing for that: the coverage of the answer stays what it is.
  return { problems: [], coverage: 'complete', hidden: [...hidden, ...guests.hidden] };
}

interface LabelledOrphan extends OrphanGroup {
  readonly label: string;
}

/** Tells hidden guests from those that are gone, for a few: a number that is taken belongs to a guest that can't be seen. */
async function labelled(call: Call, orphans: readonly OrphanGroup[], guests: Gaps): Promise<readonly LabelledOrphan[]> {
  const numbers = [...new Set(orphans.filter((o) => !o.numberReused).flatMap((o) => o.vmid ?? []))];
  const looked = guests.coverage === 'complete' ? [] : numbers.slice(0, MAX_LOOKED_UP);
  const taken = new Map(await Promise.all(looked.map(async (number) => [number, await existsUnseen(call, number)] as const)));
  return orphans.map((orphan) => ({ ...orphan, label: labelOf(orphan, taken, guests.coverage === 'complete') }));
}

function labelOf(orphan: OrphanGroup, taken: ReadonlyMap<number, boolean | undefined>, allGuestsSeen: boolean): string {
  if (orphan.numberReused) return 'number is now another guest';
  if (allGuestsSeen) return 'gone';
  const found = orphan.vmid === undefined ? undefined : taken.get(orphan.vmid);
  if (found === undefined) return 'gone or hidden';
  return found ? 'exists, not visible to this token' : 'gone';
}

function headlineOf(covered: readonly GuestCoverage[], visible: string, soFar: boolean, orphans: number): string {
  const judged = covered.filter((c) => c.state !== 'template');
  const counts = COVERAGE_STATES.filter((s) => s !== 'template')
    .map((state) => ({ state, count: judged.filter((c) => c.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${state}`);
  const excluded = judged.filter((c) => c.excluded.length > 0 && (c.jobs?.length ?? 0) > 0).length;
  const disks = excluded === 0 ? '' : `; ${excluded} with volumes left out`;
  const left = orphans === 0 ? '' : `; backups of ${orphans} without a visible guest`;
  const states = counts.length === 0 ? ' to judge' : `: ${counts.join(', ')}`;
  return `${soFar ? 'On this page: ' : ''}${judged.length} ${visible}guests${states}${disks}${left}`;
}

function guestRow(c: GuestCoverage): RowOf<typeof guestColumns> {
  const { guest, last } = c;
  return {
    vmid: guest.vmid,
    name: guest.name,
    node: guest.node,
    state: c.state,
    last_backup: last?.time,
    may_be: c.allowed,
    storage: last?.storage,
    size: last?.size,
    verified: last?.verification,
    encrypted: last?.encrypted,
    backups: c.count,
    protected: c.protectedCount === 0 ? undefined : c.protectedCount,
    jobs: c.jobs === undefined || c.jobs.length === 0 ? undefined : c.jobs,
    excluded: c.excluded.length === 0 ? undefined : c.excluded,
    retention: c.retention,
    issues: c.issues.length === 0 ? undefined : c.issues,
  };
}

function worstFirst(covered: readonly GuestCoverage[]): (row: RowOf<typeof guestColumns>) => SortKey {
  const ranks = new Map(covered.map((c) => [c.guest.vmid, coverageRank(c)]));
  return (row) => [ranks.get(row.vmid ?? 0) ?? 0, row.last_backup ?? 0, row.vmid ?? 0];
}

function orphanRow(o: LabelledOrphan) {
  return {
    vmid: o.vmid,
    type: o.type,
    storage: o.storage,
    backups: o.count,
    newest: o.newest.time,
    size: o.size,
    protected: o.protectedCount === 0 ? undefined : o.protectedCount,
    guest: o.label,
  };
}

interface NoteFacts {
  readonly templates: number;
  readonly everywhere: BackupsEverywhere;
  readonly scan: Scan;
  readonly orphans: readonly LabelledOrphan[];
  readonly guests: Gaps;
  readonly maxAge: number | undefined;
}

function notesOf({ templates, everywhere, scan, orphans, guests, maxAge }: NoteFacts): readonly string[] {
  const notes: string[] = [];
  if (maxAge !== undefined) notes.push(`Stale means older than ${formatDuration(maxAge)}, as asked.`);
  if (templates > 0) notes.push(`${templates} templates are not judged (state=template lists them).`);
  const servers = everywhere.byGuest.map((s) => s.storage).join(', ');
  if (everywhere.bare) notes.push('Where size and verification are hidden, a backup counts as good by being there.');
  if (scan.byNumber) notes.push('Rows come by number, not worst first: the whole takes several pages.');
  if (servers !== '' && !scan.continued)
    notes.push(
      `${servers} tells this token nothing but the backups of visible guests: those without a guest there are not known.`,
    );
  const shared = orphans.some((o) => everywhere.places.some((p) => p.storage === o.storage && p.node === undefined));
  if (shared) notes.push("Backups without a guest on a shared storage may be another cluster's.");
  if (orphans.length > 0 && guests.coverage !== 'complete')
    notes.push('Guests that this token does not see look like guests that are gone.');
  return notes;
}
