import type { Call } from '../api/call.ts';
import { byText, listOf, numberOf, textOf, timeOf, vmidOf } from '../api/lenient.ts';
import { type Gaps, type Hidden, mergeGaps, NO_GAPS, type Reading } from '../api/reading.ts';
import { cleanText, repairMojibake } from '../redact/plain-text.ts';
import { type Backup, type BackupQuery, readStorageBackups } from './backups.ts';

/** One volume on a storage; backups carry their particulars in `backup`. */
export interface Volume {
  readonly volid: string;
  /** `images`, `rootdir`, `iso`, `vztmpl`, `backup`, `snippets`, `import`. */
  readonly content: string;
  readonly vmid: number | undefined;
  /** Bytes. */
  readonly size: number | undefined;
  readonly used: number | undefined;
  readonly format: string | undefined;
  /** Seconds since the epoch. */
  readonly time: number | undefined;
  /** Volume it is cloned from. */
  readonly parent: string | undefined;
  readonly backup: Backup | undefined;
}

/**
 * What is on a storage. Disks, snippets and backups are left out silently by the API for a token without the
 * privilege; here each kind that may be incomplete is named as hidden, and backups are found another way.
 *
 * Source: GET /nodes/{node}/storage/{storage}/content, and see readStorageBackups.
 */
export async function readStorageContent(
  call: Call,
  query: BackupQuery & { readonly kinds: readonly string[]; readonly content: string | undefined },
): Promise<Reading<readonly Volume[]>> {
  const { node, storage, vmid, content, kinds } = query;
  // A kind that the storage is not configured for is never there; asked for backups all the same, the API fails.
  const wanted = content === undefined ? kinds : kinds.length > 0 && !kinds.includes(content) ? [] : [content];
  const others = wanted.filter((kind) => kind !== 'backup');
  const [plain, backups] = await Promise.all([
    others.length === 0 ? undefined : readPlain(call, { node, storage }, content, vmid),
    wanted.includes('backup') ? readStorageBackups(call, query) : undefined,
  ]);
  const volumes = [...(plain?.data ?? []).filter((v) => v.content !== 'backup'), ...(backups?.data ?? []).map(backupVolume)];
  return {
    data: volumes.sort(byKind),
    ...mergeGaps(plain ?? NO_GAPS, backups ?? NO_GAPS, await hiddenKinds(call, query, others)),
  };
}

async function readPlain(
  call: Call,
  where: { node: string; storage: string },
  content: string | undefined,
  vmid: number | undefined,
): Promise<Reading<readonly Volume[]>> {
  const { data } = await call.get('/nodes/{node}/storage/{storage}/content', where, { content, vmid });
  return { data: parseVolumes(data), ...NO_GAPS };
}

export function parseVolumes(data: unknown): readonly Volume[] {
  return listOf(data, 'volumes').flatMap((row) => {
    const volid = textOf(row['volid']);
    if (volid === undefined) return [];
    return [
      {
        volid: cleanText(repairMojibake(volid)),
        content: textOf(row['content']) ?? 'unknown',
        vmid: vmidOf(row['vmid']),
        size: numberOf(row['size']) ?? numberOf(row['approximate-size']),
        used: numberOf(row['used']),
        format: textOf(row['format']),
        time: timeOf(row['ctime']),
        parent: textOf(row['parent']),
        backup: undefined,
      },
    ];
  });
}

function backupVolume(b: Backup): Volume {
  return {
    volid: b.volid,
    content: 'backup',
    vmid: b.vmid,
    size: b.size,
    used: undefined,
    format: b.format,
    time: b.time,
    parent: undefined,
    backup: b,
  };
}

/** By kind, then newest first, then by name. */
function byKind(a: Volume, b: Volume): number {
  return byText(a.content, b.content) || (b.time ?? 0) - (a.time ?? 0) || byText(a.volid, b.volid);
}

/** Their volumes are LUNs that carry no guest id in their names, so that no right on a guest opens them. */
const WITHOUT_OWNER: ReadonlySet<string> = new Set(['iscsi', 'iscsidirect']);

async function hiddenKinds(call: Call, { storage, plugin, vmid }: BackupQuery, kinds: readonly string[]): Promise<Gaps> {
  const path = `/storage/${storage}`;
  const gaps: Gaps[] = [];
  const hidden = (what: string, privilege: string, at: string): Gaps => {
    const entry: Hidden = { what, privilege, path: at };
    return { problems: [], coverage: 'partial', hidden: [entry] };
  };
  const held = await call.rights.at(path);
  // With it every volume is listed, whoever owns it.
  if (held.has('Datastore.Allocate')) return NO_GAPS;
  if (WITHOUT_OWNER.has(plugin ?? '')) {
    if (kinds.includes('images')) gaps.push(hidden(`LUNs on ${storage}`, 'Datastore.Allocate', path));
  } else if (kinds.includes('images') || kinds.includes('rootdir')) {
    if (!held.has('Datastore.Audit')) gaps.push(hidden(`guest disks on ${storage}`, 'Datastore.Audit', path));
    if (vmid !== undefined) {
      if (!(await call.rights.has('VM.Config.Disk', `/vms/${vmid}`)))
        gaps.push(hidden(`disks of guest ${vmid}`, 'VM.Config.Disk', `/vms/${vmid}`));
    } else {
      const disks = await call.rights.over({ privilege: 'VM.Config.Disk', under: '/vms', what: `guest disks on ${storage}` });
      gaps.push(disks);
    }
  }
  if (kinds.includes('snippets')) gaps.push(hidden(`snippets on ${storage}`, 'Datastore.Allocate', path));
  return mergeGaps(NO_GAPS, ...gaps);
}
