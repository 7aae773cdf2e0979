import type { Call } from '../api/call.ts';
import { boolOf, byText, commaList, intOf, isRaw, listOf, textOf, timeOf, vmidOf } from '../api/lenient.ts';
import { cleanText } from '../redact/plain-text.ts';
import { flatSettings } from './cluster-config.ts';
import { retentionText } from './storage.ts';

/** A scheduled backup job. */
export interface BackupJob {
  readonly id: string;
  readonly enabled: boolean;
  readonly schedule: string | undefined;
  /** Seconds since the epoch; not told by old releases and for disabled jobs. */
  readonly nextRun: number | undefined;
  readonly storage: string | undefined;
  readonly selection:
    | { readonly kind: 'all'; readonly exclude: readonly number[] }
    | { readonly kind: 'pool'; readonly pool: string }
    | { readonly kind: 'guests'; readonly vmids: readonly number[] };
  /** The job only looks at guests on this node. */
  readonly node: string | undefined;
  readonly mode: string;
  readonly compress: string | undefined;
  /** Retention of the job itself; without it the storage's applies. */
  readonly retention: string | undefined;
  readonly mailto: string | undefined;
  readonly comment: string | undefined;
  readonly repeatMissed: boolean;
}

/**
 * The backup jobs of the datacenter. Source: GET /cluster/backup (Sys.Audit on /).
 */
export async function readBackupJobs(call: Call): Promise<readonly BackupJob[]> {
  return parseBackupJobs((await call.get('/cluster/backup', {})).data);
}

export function parseBackupJobs(data: unknown): readonly BackupJob[] {
  return listOf(data, 'backup jobs')
    .flatMap((row) => {
      const id = textOf(row['id']);
      if (id === undefined) return [];
      const pool = textOf(row['pool']);
      const selection: BackupJob['selection'] =
        boolOf(row['all']) === true
          ? { kind: 'all', exclude: vmids(row['exclude']) }
          : pool !== undefined
            ? { kind: 'pool', pool }
            : { kind: 'guests', vmids: vmids(row['vmid']) };
      const comment = textOf(row['comment']);
      return [
        {
          id,
          enabled: boolOf(row['enabled']) ?? true,
          schedule: textOf(row['schedule']) ?? legacySchedule(row['dow'], row['starttime']),
          nextRun: timeOf(row['next-run']),
          storage: textOf(row['storage']),
          selection,
          node: textOf(row['node']),
          mode: textOf(row['mode']) ?? 'snapshot',
          compress: textOf(row['compress']),
          retention: retentionText(row['prune-backups']) ?? maxfiles(row['maxfiles']),
          mailto: Array.isArray(row['mailto']) ? commaList(row['mailto']).join(', ') : textOf(row['mailto']),
          comment: comment === undefined ? undefined : cleanText(comment),
          repeatMissed: boolOf(row['repeat-missed']) ?? false,
        },
      ];
    })
    .sort((a, b) => byText(a.id, b.id));
}

/**
 * What holds for backups on a node where neither job nor caller says otherwise, one line a setting.
 *
 * Source: GET /nodes/{node}/vzdump/defaults (any user).
 */
export async function readBackupDefaults(call: Call, node: string): Promise<ReadonlyMap<string, string>> {
  return flatSettings((await call.get('/nodes/{node}/vzdump/defaults', { node })).data);
}

function vmids(value: unknown): readonly number[] {
  return commaList(isRaw(value) ? undefined : value)
    .flatMap((v) => vmidOf(v) ?? [])
    .sort((a, b) => a - b);
}

/** Jobs from before 7.1 say weekdays and a time of day. */
function legacySchedule(dow: unknown, starttime: unknown): string | undefined {
  const time = textOf(starttime);
  if (time === undefined) return undefined;
  const days = textOf(dow);
  return days === undefined ? time : `${days} ${time}`;
}

function maxfiles(value: unknown): string | undefined {
  const n = intOf(value);
  return n === undefined ? undefined : `keep-last=${n}`;
}
