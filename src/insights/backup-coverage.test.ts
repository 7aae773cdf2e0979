import { describe, expect, test } from 'vitest';
import { guestOf } from '../../test/support/guest-of.ts';
import { job as jobOf } from '../../test/support/health-facts.ts';
import type { BackupJob } from '../cluster/backup-jobs.ts';
import type { Backup } from '../cluster/backups.ts';
import type { Guest } from '../cluster/inventory.ts';
import { allowedAge, type CoverageFacts, coverageOf, coverageRank, flawOf, isOf, orphansOf } from './backup-coverage.ts';

const NOW = 2_000_000_000;
const H = 3_600;
const D = 86_400;

const guest = (extra: Partial<Guest> = {}): Guest => guestOf({ node: 'pve1', ...extra });

const job = (extra: Partial<BackupJob> = {}): BackupJob => jobOf('nightly', { storage: 'nas', ...extra });

function backup(ageSeconds: number, extra: Partial<Backup> = {}): Backup {
  return {
    volid: `nas:backup/${ageSeconds}`,
    storage: 'nas',
    vmid: 100,
    type: 'qemu',
    time: NOW - ageSeconds,
    size: 5e9,
    format: 'vma.zst',
    protected: false,
    encrypted: undefined,
    verification: undefined,
    notes: undefined,
    source: 'content',
    ...extra,
  };
}

function judge(extra: Partial<CoverageFacts>, maxAge?: number) {
  return coverageOf(
    {
      guest: guest(),
      jobs: [job()],
      backups: [],
      unread: [],
      volumes: undefined,
      retention: new Map(),
      nodeOnline: true,
      allRead: true,
      ...extra,
    },
    { now: NOW, maxAge },
  );
}

describe('state', () => {
  test.each<[string, Partial<CoverageFacts>, number | undefined, string]>([
    ['young enough for a daily job', { backups: [backup(35 * H)] }, undefined, 'covered'],
    ['too old for a daily job', { backups: [backup(37 * H)] }, undefined, 'stale'],
    [
      'young enough for a weekly job',
      { jobs: [job({ schedule: 'sun 01:00' })], backups: [backup(7.5 * D)] },
      undefined,
      'covered',
    ],
    ['too old for a weekly job', { jobs: [job({ schedule: 'sun 01:00' })], backups: [backup(8.5 * D)] }, undefined, 'stale'],
    ['the tightest job counts', { jobs: [job({ schedule: 'sun 01:00' }), job()], backups: [backup(3 * D)] }, undefined, 'stale'],
    [
      '8 days where the schedule is not understood',
      { jobs: [job({ schedule: 'now and then' })], backups: [backup(7 * D)] },
      undefined,
      'covered',
    ],
    ['as asked', { backups: [backup(37 * H)] }, 2 * D, 'covered'],
    ['as asked, tighter', { backups: [backup(3 * H)] }, 2 * H, 'stale'],
    ['no backup', {}, undefined, 'job-but-no-backup'],
    ['no job', { jobs: [], backups: [backup(H)] }, undefined, 'no-job'],
    ['jobs that may not be read', { jobs: undefined, backups: [backup(H)] }, undefined, 'hidden'],
    ['a hidden target', { unread: [{ storage: 'x', why: 'hidden', needs: undefined }] }, undefined, 'hidden'],
    [
      'a target that does not answer',
      { unread: [{ storage: 'x', why: 'unreachable', needs: undefined }], backups: [backup(9 * D)] },
      undefined,
      'unreachable',
    ],
    [
      'fresh elsewhere although one target is hidden',
      { unread: [{ storage: 'x', why: 'hidden', needs: undefined }], backups: [backup(H)] },
      undefined,
      'covered',
    ],
    [
      'a target that does not exist is no excuse',
      { unread: [{ storage: 'x', why: 'missing', needs: undefined }] },
      undefined,
      'job-but-no-backup',
    ],
    [
      'a failed verification does not count',
      { backups: [backup(H, { verification: 'failed' }), backup(9 * D)] },
      undefined,
      'stale',
    ],
    ['nor an empty archive', { backups: [backup(H, { size: 161 })] }, undefined, 'job-but-no-backup'],
    [
      'what can not be seen is not held against it',
      { backups: [backup(H, { size: undefined, source: 'dry-run' })] },
      undefined,
      'covered',
    ],
    ['a template', { guest: guest({ template: true }), jobs: [] }, undefined, 'template'],
  ])('%s', (_what, facts, maxAge, state) => {
    expect(judge(facts, maxAge).state).toBe(state);
  });
});

describe('what else is told', () => {
  test('a failed newest backup, and the last good one', () => {
    const c = judge({ backups: [backup(H, { verification: 'failed', storage: 'pbs' }), backup(5 * H)] });
    expect(c).toMatchObject({ state: 'covered', count: 2, issues: ['newest backup failed verification (pbs)'] });
    expect(c.last?.time).toBe(NOW - 5 * H);
  });

  test('retention of the job, else of its storage', () => {
    expect(judge({ jobs: [job({ retention: 'keep-last=3' })] }).retention).toBe('keep-last=3');
    expect(judge({ retention: new Map([['nas', 'keep-daily=7']]) }).retention).toBe('keep-daily=7');
    expect(judge({}).retention).toBeUndefined();
  });

  test('nothing found is not zero while something was not read', () => {
    expect(judge({ allRead: false }).count).toBeUndefined();
    expect(judge({ allRead: true }).count).toBe(0);
    expect(judge({ allRead: false, backups: [backup(H)] }).count).toBe(1);
  });

  test('job targets that are gone or off, and a node that is down', () => {
    const unread = [
      { storage: 'a', why: 'disabled', needs: undefined },
      { storage: 'b', why: 'missing', needs: undefined },
      { storage: 'c', why: 'hidden', needs: 'Datastore.Audit on /storage/c' },
    ] as const;
    expect(judge({ unread, nodeOnline: false }).issues).toEqual([
      'job target a is disabled',
      'job target b does not exist',
      'backups on c not visible: needs Datastore.Audit on /storage/c',
      'its node is not online, so no job runs',
    ]);
  });

  test('fresh backups without any disk in them are said to be that', () => {
    const out = { key: 'scsi0', reason: 'backup=no' };
    const words = 'no volume of it is in its backups, only its configuration';
    expect(judge({ backups: [backup(H)], volumes: { excluded: [out], none: true } }).issues).toEqual([words]);
    expect(judge({ backups: [backup(H)], volumes: { excluded: [out], none: false } }).issues).toEqual([]);
    expect(judge({ backups: [backup(H)], volumes: { excluded: [], none: false } }).issues).toEqual([]);
  });

  test('the worst first', () => {
    const order = [
      judge({ jobs: [] }),
      judge({}),
      judge({ jobs: [], backups: [backup(H)] }),
      judge({ backups: [backup(9 * D)] }),
      judge({ unread: [{ storage: 'x', why: 'unreachable', needs: undefined }] }),
      judge({ jobs: undefined }),
      judge({ backups: [backup(H)], volumes: { excluded: [{ key: 'scsi1', reason: 'backup=no' }], none: false } }),
      judge({ backups: [backup(H)] }),
      judge({ guest: guest({ template: true }) }),
    ].map(coverageRank);
    expect(order.slice(2)).toEqual([...order.slice(2)].sort((a, b) => a - b));
    expect(Math.max(order[0] ?? 0, order[1] ?? 0)).toBeLessThan(order[2] ?? 0);
  });
});

test('allowance: half the pause again, between 2 h and a day', () => {
  expect(allowedAge({ schedule: '02:00' })).toBe(36 * H);
  expect(allowedAge({ schedule: 'hourly' })).toBe(3 * H);
  expect(allowedAge({ schedule: 'sat 03:30' })).toBe(8 * D);
  expect(allowedAge({ schedule: undefined })).toBe(8 * D);
});

test('flaws', () => {
  expect(flawOf(backup(1))).toBeUndefined();
  expect(flawOf(backup(1, { verification: 'none' }))).toBeUndefined();
  expect(flawOf(backup(1, { verification: 'failed' }))).toBe('failed verification');
});

describe('orphans', () => {
  test('grouped by guest and storage; a reused number is not the guest', () => {
    const rows = [
      backup(H),
      backup(2 * H, { vmid: 777 }),
      backup(H, { vmid: 777 }),
      backup(H, { vmid: 777, storage: 'pbs' }),
      backup(H, { vmid: 100, type: 'lxc' }),
      backup(H, { vmid: undefined, type: undefined }),
    ];
    expect(orphansOf(rows, [guest()]).map((o) => [o.vmid, o.type, o.storage, o.count, o.numberReused])).toEqual([
      [undefined, undefined, 'nas', 1, false],
      [100, 'lxc', 'nas', 1, true],
      [777, 'qemu', 'nas', 2, false],
      [777, 'qemu', 'pbs', 1, false],
    ]);
  });

  test('a backup without a kind is matched by its number', () => {
    expect(isOf(backup(H, { type: undefined }), guest())).toBe(true);
    expect(isOf(backup(H, { type: 'lxc' }), guest())).toBe(false);
    expect(orphansOf([backup(H, { type: undefined })], [guest()])).toEqual([]);
  });
});
