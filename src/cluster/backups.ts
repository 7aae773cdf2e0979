import type { Call } from '../api/call.ts';
import { boolOf, byText, isRaw, listOf, numberOf, textOf, timeOf, vmidOf } from '../api/lenient.ts';
import { attempt, type Gaps, type Hidden, mergeGaps, NO_GAPS, type Reading } from '../api/reading.ts';
import { cleanText } from '../redact/plain-text.ts';
import { scrubFreeText } from '../redact/scrub-text.ts';
import type { Guest, GuestType } from './inventory.ts';

/** One backup on a storage. */
export interface Backup {
  readonly volid: string;
  readonly storage: string;
  /** The guest it is of; may be gone, and on a shared PBS datastore may even be another cluster's. */
  readonly vmid: number | undefined;
  readonly type: GuestType | undefined;
  /** Seconds since the epoch. */
  readonly time: number | undefined;
  /** Bytes; only with the backup privileges. */
  readonly size: number | undefined;
  readonly format: string | undefined;
  readonly protected: boolean | undefined;
  readonly encrypted: boolean | undefined;
  /** `ok`, `failed` or `none`, on PBS; undefined where it can't be seen. */
  readonly verification: string | undefined;
  /** First line of the notes. */
  readonly notes: string | undefined;
  /** `content`: everything is known; `dry-run`: only that it is there, its age and protection. */
  readonly source: 'content' | 'dry-run';
}

export interface BackupQuery {
  readonly node: string;
  readonly storage: string;
  /** Plugin of the storage: on `pbs` the dry run is only possible guest by guest. */
  readonly plugin: string | undefined;
  readonly vmid?: number | undefined;
  readonly type?: GuestType | undefined;
}

/**
 * The backups on one storage, and whether these are all. The content list leaves out silently what the token may not
 * see: a PVEAuditor sees no backup at all there, and without Datastore.Allocate nobody sees one that was renamed. The
 * prune dry run needs only Datastore.Audit and lists every backup, so what one lacks is filled from the other; if neither
 * can tell, the answer says "hidden".
 *
 * Source: GET /nodes/{node}/storage/{storage}/content and .../prunebackups?prune-backups=keep-all=1 (a dry run: the
 * GET never deletes).
 */
export async function readStorageBackups(call: Call, query: BackupQuery): Promise<Reading<readonly Backup[]>> {
  const { node, storage, vmid } = query;
  const where = { node, storage };
  const rights = await backupRights(call, storage, vmid);
  const listed = rights.some
    ? await attempt(where, async () =>
        parseContentBackups(
          (await call.get('/nodes/{node}/storage/{storage}/content', where, { content: 'backup', vmid })).data,
          storage,
        ),
      )
    : undefined;
  const fromContent = listed?.data ?? [];
  if (rights.listedAll) return { ...(listed ?? NO_GAPS), data: sorted(fromContent) };
  // A storage that does not answer will not answer the dry run either.
  if (listed !== undefined && listed.data === undefined) return { ...listed, data: [] };

  const narrowed = vmid !== undefined && query.type !== undefined;
  if (query.plugin === 'pbs' && !narrowed) {
    // The names there always tell the guest.
    if (rights.missing.length === 0) return { ...(listed ?? NO_GAPS), data: sorted(fromContent) };
    // Without a guest the dry run would start one client program for each backup group on the node.
    return { data: sorted(fromContent), problems: [], coverage: 'partial', hidden: rights.missing };
  }
  const dryRun = await attempt(where, () => readDryRun(call, where, { vmid, type: vmid === undefined ? undefined : query.type }));
  if (dryRun.data === undefined)
    return { data: sorted(fromContent), ...mergeGaps(dryRun, { ...NO_GAPS, coverage: 'partial', hidden: rights.missing }) };
  return { data: sorted(mergeByVolid(fromContent, dryRun.data)), ...NO_GAPS };
}

/** What the prune dry run lists: of all guests, or of one. The GET never deletes, and it needs Datastore.Audit only. */
async function readDryRun(
  call: Call,
  where: { readonly node: string; readonly storage: string },
  guest: { readonly vmid: number | undefined; readonly type: GuestType | undefined },
): Promise<readonly Backup[]> {
  const query = { 'prune-backups': 'keep-all=1', ...guest };
  return parseDryRun((await call.get('/nodes/{node}/storage/{storage}/prunebackups', where, query)).data, where.storage);
}

/** A guest's backups by the dry run: number, age and protection of each, in one request. */
export async function readDryRunOf(
  call: Call,
  { vmid, type }: Pick<Guest, 'vmid' | 'type'>,
  where: { readonly node: string; readonly storage: string },
): Promise<readonly Backup[]> {
  return ofGuest(await readDryRun(call, where, { vmid, type }), { vmid, type });
}

/** Of one guest, should a release not know the filter. */
export function ofGuest(backups: readonly Backup[], guest: Pick<Guest, 'vmid' | 'type'>): readonly Backup[] {
  return backups.filter(
    (b) => (b.vmid === undefined || b.vmid === guest.vmid) && (b.type === undefined || b.type === guest.type),
  );
}

interface BackupRights {
  /** Every backup is in the content list, renamed ones included. */
  readonly listedAll: boolean;
  /** At least some may be. */
  readonly some: boolean;
  readonly missing: readonly Hidden[];
}

async function backupRights(call: Call, storage: string, vmid: number | undefined): Promise<BackupRights> {
  const path = `/storage/${storage}`;
  const [held, guests] = await Promise.all([call.rights.at(path), backupOfGuests(call, vmid)]);
  if (held.has('Datastore.Allocate')) return { listedAll: true, some: true, missing: [] };
  const space = held.has('Datastore.AllocateSpace');
  const missing: Hidden[] = [];
  const what = vmid === undefined ? `backups on ${storage}` : `backups of guest ${vmid} on ${storage}`;
  if (!space) missing.push({ what, privilege: 'Datastore.AllocateSpace', path });
  if (guests.coverage !== 'complete')
    missing.push({ what, privilege: 'VM.Backup', path: vmid === undefined ? '/vms' : `/vms/${vmid}` });
  // A backup that was renamed has no guest in its name, and then no right on a guest opens it.
  return { listedAll: missing.length === 0 && vmid !== undefined, some: space, missing };
}

async function backupOfGuests(call: Call, vmid: number | undefined): Promise<Gaps> {
  if (vmid === undefined) return call.rights.over({ privilege: 'VM.Backup', under: '/vms', what: 'backups' });
  return (await call.rights.has('VM.Backup', `/vms/${vmid}`)) ? NO_GAPS : { ...NO_GAPS, coverage: 'partial' };
}

/** Rows of the content list that are backups. */
export function parseContentBackups(data: unknown, storage: string): readonly Backup[] {
  return listOf(data, `backups on ${storage}`).flatMap((row) => {
    const volid = textOf(row['volid']);
    const content = textOf(row['content']);
    if (volid === undefined || (content !== undefined && content !== 'backup')) return [];
    const verification = isRaw(row['verification']) ? textOf(row['verification']['state']) : undefined;
    const notes = textOf(row['notes'])?.split('\n')[0];
    const pbs = textOf(row['format'])?.startsWith('pbs-') ?? false;
    return [
      {
        volid: cleanText(volid),
        storage,
        vmid: vmidOf(row['vmid']) ?? fromVolid(volid).vmid,
        type: typeOf(row['subtype']) ?? fromVolid(volid).type,
        time: timeOf(row['ctime']),
        size: numberOf(row['size']) ?? numberOf(row['approximate-size']),
        format: textOf(row['format']),
        protected: boolOf(row['protected']) ?? false,
        encrypted: row['encrypted'] === undefined ? (pbs ? false : undefined) : boolOf(row['encrypted']) !== false,
        verification: verification ?? (pbs ? 'none' : undefined),
        notes: notes === undefined ? undefined : scrubFreeText(cleanText(notes)).text,
        source: 'content' as const,
      },
    ];
  });
}

/** Rows of the prune dry run: every backup that the storage holds, without its particulars. */
export function parseDryRun(data: unknown, storage: string): readonly Backup[] {
  return listOf(data, `backups on ${storage}`).flatMap((row) => {
    const volid = textOf(row['volid']);
    if (volid === undefined) return [];
    return [
      {
        volid: cleanText(volid),
        storage,
        vmid: vmidOf(row['vmid']) ?? fromVolid(volid).vmid,
        type: typeOf(row['type']) ?? fromVolid(volid).type,
        time: timeOf(row['ctime']),
        size: undefined,
        format: undefined,
        protected: textOf(row['mark']) === 'protected',
        encrypted: undefined,
        verification: undefined,
        notes: undefined,
        source: 'dry-run' as const,
      },
    ];
  });
}

function typeOf(value: unknown): GuestType | undefined {
  const text = textOf(value);
  if (text === 'qemu' || text === 'vm') return 'qemu';
  return text === 'lxc' || text === 'ct' ? 'lxc' : undefined;
}

function fromVolid(volid: string): { vmid: number | undefined; type: GuestType | undefined } {
  const match = /vzdump-(qemu|lxc)-(\d+)-/.exec(volid) ?? /backup\/(vm|ct)\/(\d+)\//.exec(volid);
  return { vmid: vmidOf(match?.[2]), type: typeOf(match?.[1]) };
}

function mergeByVolid(full: readonly Backup[], bare: readonly Backup[]): readonly Backup[] {
  const byVolid = new Map(bare.map((b) => [b.volid, b]));
  for (const b of full) byVolid.set(b.volid, b);
  return [...byVolid.values()];
}

/** Newest first; the volid decides between equals. */
function sorted(backups: readonly Backup[]): readonly Backup[] {
  return [...backups].sort((a, b) => (b.time ?? 0) - (a.time ?? 0) || byText(a.volid, b.volid));
}
