import type { DemoBackup } from '../world/types.ts';

/** Numbers of `keep-*` options; `keep-all` as 1. */
export type Retention = ReadonlyMap<string, number>;

/** Parses `keep-daily=7,keep-last=3`. */
export function parseRetention(text: string): Retention {
  const options = new Map<string, number>();
  for (const part of text.split(',')) {
    const [key = '', value = ''] = part.split('=');
    if (/^keep-(?:all|last|hourly|daily|weekly|monthly|yearly)$/.test(key.trim())) options.set(key.trim(), Number(value));
  }
  return options;
}

/** Thursday of the backup's week names the ISO week. */
function isoWeek(date: Date): string {
  const thursday = new Date(date);
  thursday.setUTCDate(date.getUTCDate() + 3 - ((date.getUTCDay() + 6) % 7));
  return `${thursday.getUTCFullYear()}-${Math.floor((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / 604_800_000)}`;
}

/** The rules after `keep-last`, each with the period it keeps one backup of. */
const PERIODS: readonly [string, (date: Date) => string][] = [
  ['keep-hourly', (date) => date.toISOString().slice(0, 13)],
  ['keep-daily', (date) => date.toISOString().slice(0, 10)],
  ['keep-weekly', isoWeek],
  ['keep-monthly', (date) => date.toISOString().slice(0, 7)],
  ['keep-yearly', (date) => date.toISOString().slice(0, 4)],
];

/** What a prune run would do to each backup of one guest. */
function markGroup(group: readonly DemoBackup[], options: Retention): Map<DemoBackup, string> {
  const marks = new Map<DemoBackup, string>();
  const sorted = [...group].sort((left, right) => right.ctime - left.ctime);
  const open = sorted.filter((backup) => {
    if (backup.protected) marks.set(backup, 'protected');
    return !backup.protected;
  });
  if (options.get('keep-all') === 1) {
    for (const backup of open) marks.set(backup, 'keep');
    return marks;
  }
  for (const backup of open.slice(0, options.get('keep-last') ?? 0)) marks.set(backup, 'keep');
  for (const [option, period] of PERIODS) {
    const kept = new Set(
      [...marks].filter(([, mark]) => mark === 'keep').map(([backup]) => period(new Date(backup.ctime * 1000))),
    );
    const taken = new Set<string>();
    for (const backup of open) {
      const name = period(new Date(backup.ctime * 1000));
      if (taken.size >= (options.get(option) ?? 0)) break;
      if (marks.has(backup) || kept.has(name) || taken.has(name)) continue;
      taken.add(name);
      marks.set(backup, 'keep');
    }
  }
  for (const backup of open) if (!marks.has(backup)) marks.set(backup, 'remove');
  return marks;
}

/** Marks of all backups; each guest's are judged by themselves. */
export function markBackups(backups: readonly DemoBackup[], options: Retention): Map<DemoBackup, string> {
  const groups = new Map<string, DemoBackup[]>();
  for (const backup of backups) {
    const key = `${backup.subtype}/${backup.vmid}`;
    const group = groups.get(key);
    if (group) group.push(backup);
    else groups.set(key, [backup]);
  }
  return new Map([...groups.values()].flatMap((group) => [...markGroup(group, options)]));
}
