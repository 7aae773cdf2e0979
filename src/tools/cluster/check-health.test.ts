import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { worldOf } from '../../../test/support/demo-world.ts';
import { type Harness, openHarness, settingsFor } from '../../../test/support/harness.ts';
import { spyOn } from '../../../test/support/spy-session.ts';
import type { ClusterSettings, HealthSettings } from '../../config/settings.ts';
import { demoClusterSettings } from '../../demo/demo-settings.ts';
import { startDemoCluster } from '../../demo/start-demo-cluster.ts';
import type { DemoRole } from '../../demo/types.ts';
import { healthChecks } from '../../insights/health/catalog.ts';
import { createRuntime } from '../../server/runtime.ts';
import { runTool, type ToolOutcome } from '../run-tool.ts';
import { checkHealth } from './check-health.ts';

/**
 * What is wrong with the embedded cluster (see create-areas.ts and the data it names), as an auditor sees it with
 * deep=true: everything that is found, and nothing else.
 */
const AUDITOR: Readonly<Record<string, readonly string[]>> = {
  'PVE-Q02 critical': ['pve3'],
  'PVE-Q03 warning': ['cluster'],
  'PVE-Q07 warning': ['pve3'],
  'PVE-N01 warning': ['pve2'],
  'PVE-N02 warning': ['pve2'],
  'PVE-N05 warning': ['pve2'],
  'PVE-N08 critical': ['pve2'],
  'PVE-N10 warning': ['pve2'],
  'PVE-V01 warning': ['pve-manager'],
  'PVE-V02 info': ['pve-qemu-kvm'],
  'PVE-V03 warning': ['pve2'],
  'PVE-C01 warning': ['pve2'],
  'PVE-C05 critical': ['pve2'],
  'PVE-S01 critical': ['nas-media'],
  'PVE-S01 warning': ['old-esxi', 'pbs-offsite', 'san'],
  'PVE-S03 critical': ['nas-backup', 'pve2/local-lvm'],
  'PVE-S05 critical': ['pve1 pve/data'],
  'PVE-D01 critical': ['pve1 /dev/sdb'],
  'PVE-D02 critical': ['pve1 /dev/sdd'],
  'PVE-D03 critical': ['pve1 tank'],
  'PVE-H01 critical': ['ct:220'],
  'PVE-H02 critical': ['vm:130'],
  'PVE-H03 warning': ['vm:9901'],
  'PVE-H04 critical': ['pve2'],
  'PVE-H07 warning': ['rule replica-pinned', 'rule three-apart'],
  'PVE-H08 warning': ['rule web-again'],
  'PVE-R01 critical': ['112-0'],
  'PVE-R02 warning': ['203-0'],
  'PVE-R03 warning': ['205-0'],
  'PVE-R04 warning': ['131-0'],
  'PVE-B01 warning': ['102', '106', '117', '124', '125', '131', '205', '230'],
  'PVE-B03 info': ['backup-lab'],
  'PVE-B05 info': ['backup-two'],
  'PVE-B06 info': ['backup-dir'],
  'PVE-B09 warning': ['113', '121', '220'],
  'PVE-B10 critical': ['105', '110', '114', '202'],
  'PVE-B12 info': ['local', 'smb-archive'],
  'PVE-B13 info': ['100', '101'],
  'PVE-T01 warning': ['qmshutdown on pve1', 'vzdump on pve1', 'vzdump on pve2', 'vzstart on pve2'],
  'PVE-T02 info': ['qmshutdown on pve1'],
  'PVE-G01 warning': ['109', '110', '202'],
  'PVE-G02 warning': ['102', '114'],
  'PVE-G03 warning': ['203'],
  'PVE-G04 info': ['121'],
  'PVE-G04 warning': ['204'],
  'PVE-G05 info': ['113'],
  'PVE-G11 info': ['100', '104', '113', '205'],
  'PVE-G12 info': ['101', '109', '117', '200'],
  'PVE-G13 warning': ['109'],
  'PVE-G14 warning': ['113', '122'],
  'PVE-G15 info': ['101', '112', '115', '116', '121'],
  'PVE-G16 warning': ['101'],
  'PVE-G17 info': ['101'],
  'PVE-G18 warning': ['100', '101', '220'],
  'PVE-G19 info': ['111', '115'],
  'PVE-G20 warning': ['BC:24:11:20:01:04'],
  'PVE-G21 info': ['112', '115'],
  'PVE-G22 warning': ['112', '202'],
  'PVE-G23 info': ['115', '124'],
  'PVE-G24 critical': ['100', '106'],
  'PVE-G25 info': ['100', '117'],
  'PVE-G26 info': ['202', '204', '205'],
  'PVE-F02 warning': ['pve2'],
  'PVE-F03 warning': ['104'],
  'PVE-F04 warning': ['111'],
  'PVE-F05 warning': ['VNet labnet'],
  'PVE-F06 warning': ['120'],
  'PVE-F10 info': ['unused'],
  'PVE-F12 warning': ['122'],
  'PVE-F13 warning': ['101', '116'],
  'PVE-A01 warning': ['anna@pve'],
  'PVE-A02 warning': ['root@pam!terraform'],
  'PVE-A03 warning': ['anna@pve!deploy', 'root@pam!terraform'],
  'PVE-A04 warning': ['anna@pve!deploy', 'root@pam!terraform'],
  'PVE-A05 info': ['bjorn@pve!old'],
  'PVE-A06 warning': ['carla@pve'],
  'PVE-A07 info': ['dora@corp-ldap'],
  'PVE-A08 info': ['erik@pve'],
  'PVE-A09 info': ['frida@corp-ldap'],
  'PVE-A10 warning': ['gustav@corp-ldap'],
  'PVE-A13 info': ['retired'],
  'PVE-A14 info': ['mcp@pve!blind-one', 'visitor@pve'],
  'PVE-A15 info': ['dana@pve!panel', 'watchers'],
  'PVE-A16 info': ['bjorn@pve!ci', 'sam@sso'],
  'PVE-M01 warning': ['matcher backup-failures'],
  'PVE-M04 info': ['matcher replication-quiet'],
  'PVE-M05 info': ['graphite-old'],
  'PVE-U03 info': ['pve2'],
  'PVE-U04 info': ['pve2'],
  'PVE-U06 warning': ['pve2'],
  'PVE-E01 warning': ['Ceph'],
  'PVE-E02 warning': ['Ceph'],
  'PVE-E03 info': ['Ceph'],
  'PVE-E04 warning': ['Ceph'],
  'PVE-W01 info': ['pve1'],
  'PVE-W02 info': ['VNet office', 'VNet retired', 'VNet tenant1', 'zone campus', 'zone overlay'],
  'PVE-W03 warning': ['zone campus on pve2'],
  'PVE-W05 warning': ['pve1 bond0'],
};

/** What more rights change: the list of updates, the container with environment variables, and backups on the server. */
const { 'PVE-U03 info': _whole, ...SHARED } = AUDITOR;
const FULL: Readonly<Record<string, readonly string[]>> = {
  ...SHARED,
  'PVE-U01 warning': ['pve2'],
  'PVE-U02 info': ['pve1', 'pve2'],
  'PVE-B09 warning': ['113', '116', '121', '122', '130', '220'],
  'PVE-B11 warning': ['200', '220'],
  'PVE-B12 info': ['local', 'pbs-main', 'smb-archive'],
  'PVE-G11 info': ['100', '104', '113', '200', '205'],
  'PVE-G16 warning': ['101', '200'],
  'PVE-G18 warning': ['100', '101', '200', '220'],
  'PVE-G24 critical': ['100', '106', '200'],
  'PVE-G25 info': ['100', '117', '200'],
};

const Answer = z.looseObject({
  summary: z.string(),
  coverage: z.string(),
  findings: z
    .array(
      z.looseObject({
        severity: z.string(),
        id: z.string(),
        on: z.array(z.string()),
        what: z.string(),
        evidence: z.string(),
        why: z.string(),
      }),
    )
    .default([]),
  not_checked: z
    .array(z.looseObject({ checks: z.string(), nodes: z.array(z.string()).optional(), how: z.string(), why: z.string() }))
    .default([]),
  ignored: z.array(z.looseObject({ id: z.string(), on: z.array(z.string()), reason: z.string() })).optional(),
  hidden: z.array(z.looseObject({ what: z.string(), privilege: z.string() })),
});
type Answer = z.infer<typeof Answer>;

function parsed({ structured, text, isError }: ToolOutcome): Answer {
  expect(isError, text).toBe(false);
  return Answer.parse(structured);
}

function found(answer: Answer): Record<string, readonly string[]> {
  return Object.fromEntries(answer.findings.map((f) => [`${f.id} ${f.severity}`, f.on]));
}

const SEVERITIES = ['critical', 'warning', 'info'];
const WHOLE = { form: 'structured', maxChars: 40_000 } as const;
/** Some findings depend on the time of day: cluster and program both look at a clock that starts at this noon. */
const NOON = Date.UTC(2026, 10, 30, 12, 0, 0);
let started = 0;
const clock = (): number => NOON + Date.now() - started;

/** A harness whose program goes by the cluster's clock. */
async function open(role: DemoRole, cluster: Partial<ClusterSettings> = {}): Promise<Harness> {
  const harness = await openHarness({ demo: auditor?.demo ?? (await startDemoCluster({ now: NOON, authDelayMs: 20 })), role });
  const runtime = createRuntime(settingsFor({ ...demoClusterSettings(harness.demo, role), ...cluster }), clock);
  const session = runtime.session();
  return {
    ...harness,
    runtime,
    session,
    call: (_tool, args = {}, options = {}) => runTool(checkHealth, args, session, { form: 'text', maxChars: 10_000, ...options }),
    close: async () => {
      await runtime.close();
      await harness.close();
    },
  };
}

let auditor: Harness;
let full: Harness;

beforeAll(async () => {
  started = Date.now();
  auditor = await open('auditor');
  full = await open('full');
});
afterAll(async () => {
  await full.close();
  await auditor.close();
  await auditor.demo.close();
});

/** The row that says why a check was not made, or only in part. */
function left(answer: Answer, id: string): Answer['not_checked'][number] | undefined {
  return answer.not_checked.find((row) => row.checks.split(', ').includes(id));
}

async function ask(harness: Harness, args: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
  return parsed(await harness.call('check_health', args, WHOLE));
}

/** The whole of a deep check, page by page. */
async function everything(harness: Harness): Promise<Record<string, readonly string[]>> {
  const all: Record<string, readonly string[]> = {};
  for (let cursor: string | undefined, page = 0; page < 6; page += 1) {
    const outcome = await harness.call('check_health', { deep: true, ...(cursor === undefined ? {} : { cursor }) }, WHOLE);
    Object.assign(all, found(parsed(outcome)));
    cursor = z.looseObject({ cursor: z.string().optional() }).parse(outcome.structured).cursor;
    if (cursor === undefined) break;
  }
  return all;
}

describe('the embedded cluster', () => {
  test('as auditor: every planted fault, and nothing else', async () => {
    expect(await everything(auditor)).toEqual(AUDITOR);
  });

  test('with all rights: every planted fault, and nothing else', async () => {
    expect(await everything(full)).toEqual(FULL);
  });

  test('without deep it says no more than with it, in at most 40 requests', async () => {
    auditor.session.forget();
    const outcome = await auditor.call('check_health', {}, WHOLE);
    expect(outcome.stats.requests).toBeLessThanOrEqual(40);
    const shallow = found(parsed(outcome));
    expect(Object.keys(shallow).length).toBeGreaterThan(40);
    for (const [key, on] of Object.entries(shallow)) expect(AUDITOR[key], key).toEqual(on);
  });

  test('reads like an administrator would write it: gravest first, within 10,000 characters, deep announced with its price', async () => {
    const { text } = await auditor.call('check_health');
    expect(text.length).toBeLessThanOrEqual(10_000);
    expect(text.split('\n')[0]).toMatch(
      /^\d+ critical, \d+ warning, \d+ info findings; \d+ of \d+ checks made, \d+ of them only in part/,
    );
    const severities = [...text.matchAll(/^(critical|warning|info)\tPVE-/gm)].map((m) => m[1]);
    expect(severities).toEqual([...severities].sort((a = '', b = '') => SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b)));
    expect(text).toContain('ssh pve1 smartctl -a /dev/sdb');
    expect(text).toMatch(/Note: deep=true makes up to 5 requests for each of 29 guests \(145 in all\)/);
    expect(text).not.toMatch(/undefined|NaN|\[object/);
  });

  test('no secret of the data set is in it', async () => {
    for (const args of [{}, { deep: true }]) {
      const { text } = await full.call('check_health', args, { maxChars: 40_000 });
      expect(auditor.demo.canaries.filter((canary) => text.includes(canary))).toEqual([]);
    }
  });
});

describe('what cannot be known', () => {
  test('each check that was not made, or only in part, is listed with the reason', async () => {
    const answer = await ask(auditor, { deep: true });
    const why = (words: RegExp) => answer.not_checked.find((row) => words.test(row.why));
    expect(why(/^needs Sys\.Modify on/)).toMatchObject({ checks: 'U01, U02', nodes: ['pve1', 'pve2'], how: 'not at all' });
    expect(why(/^pve3 is offline/)?.how).toBe('partly');
    expect(why(/^guest 200: needs VM\.Config\.Options/)?.checks).toContain('G11');
    expect(why(/^guest 200: needs VM\.Config\.Options/)?.checks).not.toMatch(/G12|F12/);
    expect(why(/pbs-main can only be asked guest by guest/)?.checks).toContain('B09');
    expect(answer.coverage).toBe('partial');
  });

  test('as a token without rights: nothing is claimed, everything is said to be hidden', async () => {
    const harness = await open('noacl');
    const answer = await ask(harness, { deep: true });
    await harness.close();
    // Any valid token sees membership, certificates and physical networks; the rest is not known.
    expect(answer.findings.map((f) => f.id).sort()).toEqual(['PVE-C01', 'PVE-Q02', 'PVE-U04', 'PVE-W01', 'PVE-W05']);
    expect(answer.summary).toMatch(/; \d+ of \d+ checks made/);
    const whole = answer.not_checked
      .filter((row) => row.how === 'not at all')
      .map((row) => row.checks)
      .join(', ');
    for (const id of ['Q01', 'H01-H10', 'B01-B10', 'T01-T03', 'M01-M04', 'A01-A16', 'E01-E08']) expect(whole).toContain(id);
    expect(new Set(answer.hidden.map((h) => h.privilege))).toEqual(
      new Set(['Sys.Audit', 'VM.Audit', 'Datastore.Audit', 'Mapping.Audit', 'SDN.Audit', 'Sys.Modify', 'VM.GuestAgent.Audit']),
    );
  });

  test('as a scoped token: only what it sees, and each affected area says what is hidden', async () => {
    const harness = await open('scoped');
    const answer = await ask(harness, { deep: true });
    await harness.close();
    const world = worldOf(auditor.demo);
    const visible = new Set(
      [...world.guests.values()].filter((g) => g.pool?.startsWith('prod') === true).map((g) => String(g.vmid)),
    );
    for (const f of answer.findings.filter((row) => /^PVE-[GF]/.test(row.id)))
      for (const on of f.on) expect(visible.has(on), `${f.id} ${on}`).toBe(true);
    for (const [key, on] of Object.entries(found(answer)))
      for (const name of on) expect(key.startsWith('PVE-S') ? [name] : AUDITOR[key], `${key} ${name}`).toContain(name);
    // Absence is never concluded from a filtered list.
    expect(answer.findings.map((f) => f.id)).not.toEqual(expect.arrayContaining(['PVE-B01']));
    expect(answer.findings.find((f) => f.id === 'PVE-G24')).toBeUndefined();
    for (const privilege of ['VM.Audit', 'Datastore.Audit', 'Sys.Audit'])
      expect(answer.hidden.map((h) => h.privilege)).toContain(privilege);
  });

  test('a guest that is closed to the token: nothing that needs all guests is concluded', async () => {
    const harness = await open('blind-one');
    const answer = await ask(harness, { deep: true });
    await harness.close();
    const blind = answer.not_checked.find((row) => row.how === 'not at all' && /\/vms\/104/.test(row.why));
    expect(blind?.checks).toBe('B05, B08, B12, F10');
    expect(answer.findings.find((f) => f.id === 'PVE-F10')).toBeUndefined();
  });

  test('entries for objects that are gone: what may be hidden is not looked for, and that is said', async () => {
    const harness = await open('blind-one');
    const before = harness.demo.requests.length;
    const answer = await ask(harness, { area: ['access'] });
    const read = harness.demo.requests.slice(before).map(({ path }) => path);
    await harness.close();
    const partly = answer.not_checked.filter((row) => row.how === 'partly' && row.checks.includes('A11'));
    expect(partly.map((row) => row.why)).toEqual([expect.stringContaining('/vms/104')]);
    // Storages that are switched off stand in the definitions only.
    expect(read).toContain('/storage');
    const whole = await ask(auditor, { area: ['access'] });
    expect(whole.not_checked.filter((row) => row.checks.includes('A11'))).toEqual([]);
  });
});

describe('filters', () => {
  test('area reads all about it and nothing else', async () => {
    const answer = await ask(auditor, { area: ['access', 'updates'] });
    expect(new Set(answer.findings.map((f) => f.id.charAt(4)))).toEqual(new Set(['A', 'U']));
    expect(answer.not_checked.every((row) => !row.why.startsWith('left out'))).toBe(true);
  });

  test('severity hides what is less grave, and says so', async () => {
    const answer = await ask(auditor, { severity: 'critical' });
    expect(new Set(answer.findings.map((f) => f.severity))).toEqual(new Set(['critical']));
    expect(answer.summary).toMatch(/^\d+ critical findings;/);
    const none = await ask(auditor, { severity: 'critical', area: ['access'] });
    expect(none.summary).toMatch(/^Nothing critical or graver found; 16 of 16 checks made/);
  });

  test('node: only what is on it, from it only', async () => {
    auditor.session.forget();
    const from = auditor.demo.requests.length;
    const answer = await ask(auditor, { node: 'pve2' });
    const asked = auditor.demo.requests
      .slice(from)
      .map((r) => r.path)
      .filter((path) => path.startsWith('/nodes/'));
    expect(asked.filter((path) => !path.startsWith('/nodes/pve2/'))).toEqual([]);
    expect(answer.findings.map((f) => f.id)).toEqual(expect.arrayContaining(['PVE-C05', 'PVE-N08', 'PVE-H01']));
    expect(answer.findings.map((f) => f.id)).not.toContain('PVE-D01');
  });

  test('vmid: everything about one guest, looked into without being asked to', async () => {
    const answer = await ask(auditor, { vmid: 109 });
    expect(found(answer)).toEqual({ 'PVE-G01 warning': ['109'], 'PVE-G12 info': ['109'], 'PVE-G13 warning': ['109'] });
  });

  test.each([
    [{ vmid: 999 }, /no guest 999/],
    [{ node: 'PVE2' }, /Did you mean pve2/],
    [{ area: ['nonsense'] }, /area/],
    [{ severity: 'bad' }, /severity/],
  ])('%j is refused with a way out', async (args, words) => {
    const { isError, text } = await auditor.call('check_health', args);
    expect(isError).toBe(true);
    expect(text).toMatch(words);
  });
});

describe("the administrator's own settings", () => {
  async function withHealth(health: HealthSettings, args: Readonly<Record<string, unknown>>): Promise<ToolOutcome> {
    const runtime = createRuntime({ ...settingsFor(demoClusterSettings(auditor.demo)), health }, clock);
    try {
      return await runTool(checkHealth, args, runtime.session(), WHOLE);
    } finally {
      await runtime.close();
    }
  }

  const ignore = [
    { id: 'PVE-S01', on: 'old-esxi', reason: 'switched off in June' },
    { id: 'PVE-M05', reason: 'kept for the archive' },
    { id: 'PVE-Z99', reason: 'misspelt' },
  ];

  test('accepted findings are counted, and shown with their reason when asked for', async () => {
    const hidden = parsed(await withHealth({ ignore, thresholds: {} }, {}));
    expect(found(hidden)['PVE-S01 warning']).toEqual(['pbs-offsite', 'san']);
    expect(hidden.summary).toContain('2 accepted and not shown');
    expect(hidden.ignored).toBeUndefined();
    const shown = await withHealth({ ignore, thresholds: {} }, { ignored: true });
    expect(parsed(shown).ignored).toEqual([
      { id: 'PVE-S01', on: ['old-esxi'], what: 'Storage not reachable', reason: 'switched off in June' },
      { id: 'PVE-M05', on: ['graphite-old'], what: 'Metric server disabled', reason: 'kept for the archive' },
    ]);
    expect(shown.text).toContain('PVE-Z99, which is no check');
  });

  test('thresholds reach the checks', async () => {
    const answer = parsed(
      await withHealth({ ignore: [], thresholds: { 'storage-warning': 30, 'storage-critical': 99 } }, { area: ['storage'] }),
    );
    expect(found(answer)['PVE-S03 critical']).toBeUndefined();
    expect(found(answer)['PVE-S03 warning']?.length).toBeGreaterThan(4);
  });
});

describe('faults', () => {
  test('a node that hangs costs its own facts, and is named', async () => {
    const off = auditor.demo.faults.add({ kind: 'hang', match: '/nodes/pve2/' });
    const harness = await open('auditor', { timeoutMs: 700 });
    try {
      const started = Date.now();
      const answer = await ask(harness, { deep: true });
      expect(Date.now() - started).toBeLessThan(20_000);
      expect(answer.findings.find((f) => f.id === 'PVE-D01')?.on).toEqual(['pve1 /dev/sdb']);
      expect(answer.findings.map((f) => f.id)).not.toContain('PVE-N08');
      expect(
        answer.not_checked.some(
          (row) => row.nodes?.includes('pve2') === true && /did not answer|not asked again|no answer/.test(row.why),
        ),
      ).toBe(true);
    } finally {
      off();
      await harness.close();
    }
  }, 30_000);

  test.each([
    { fails: '/nodes/pve1/qemu/100/firewall/options', slow: '/nodes/pve1/qemu/100/firewall/rules' },
    { fails: '/nodes/pve1/qemu/100/firewall/rules', slow: '/nodes/pve1/qemu/100/firewall/options' },
    { fails: '/nodes/pve1/firewall/options', slow: '/nodes/pve1/firewall/rules' },
    { fails: '/cluster/firewall/rules', slow: '/cluster/firewall/options' },
  ])('a read that fails leaves none under way: $fails', async ({ fails, slow }) => {
    const { faults } = auditor.demo;
    const offs = [faults.add({ kind: 'slow', match: slow, delayMs: 600 }), faults.add({ kind: 'status-500', match: fails })];
    try {
      const spy = spyOn(auditor.session);
      await runTool(
        checkHealth,
        fails.includes('/qemu/') ? { vmid: 100, area: ['firewall'] } : { area: ['firewall'] },
        spy,
        WHOLE,
      );
      expect(spy.reads.filter(({ done }) => !done).map(({ path }) => path)).toEqual([]);
    } finally {
      for (const off of offs) off();
    }
  });

  test('a part that fails costs its checks only', async () => {
    const off = auditor.demo.faults.add({ kind: 'status-500', match: '/cluster/ha/status/current' });
    try {
      auditor.session.forget();
      const answer = await ask(auditor, { area: ['ha', 'cluster'] });
      expect(answer.findings.map((f) => f.id)).toEqual(['PVE-Q02', 'PVE-Q03', 'PVE-Q07']);
      expect(answer.not_checked.find((row) => row.how === 'not at all')?.checks).toContain('H01-H10');
    } finally {
      off();
    }
  });
});

describe('a large cluster', () => {
  let large: Harness;
  beforeAll(async () => {
    large = await openHarness({ nodes: 5, guests: 500 });
  }, 30_000);
  afterAll(() => large.close());

  test('5 nodes and 500 guests: at most 40 requests', async () => {
    const { stats, text, isError } = await large.call('check_health');
    expect(isError).toBe(false);
    expect(stats.requests).toBeLessThanOrEqual(40);
    expect(text.length).toBeLessThanOrEqual(10_000);
    expect(text).toMatch(/deep=true makes up to 5 requests for each of 396 guests \(1980 in all\)/);
  });

  test('a deep check that runs out of time hands a cursor, and the pages together say it all', async () => {
    const args = { deep: true, area: ['guests'], severity: 'info' };
    const guests = new Map<string, Set<string>>();
    let cursor: string | undefined;
    let pages = 0;
    do {
      const outcome = await large.call(
        'check_health',
        { ...args, ...(cursor === undefined ? {} : { cursor }) },
        { ...WHOLE, budgetMs: 1_670 },
      );
      const answer = parsed(outcome);
      for (const f of answer.findings) guests.set(f.id, new Set([...(guests.get(f.id) ?? []), ...f.on]));
      cursor = z.looseObject({ cursor: z.string().optional() }).parse(outcome.structured).cursor;
      pages += 1;
      if (cursor !== undefined) expect(answer.summary).toMatch(/^On this page: /);
    } while (cursor !== undefined && pages < 20);
    expect(cursor).toBeUndefined();
    expect(pages).toBeGreaterThan(1);
    const world = worldOf(large.demo);
    const online = new Set(world.nodes.filter((n) => n.online).map((n) => n.node));
    const withChanges = [...world.guests.values()].filter(
      (g) => !g.template && online.has(g.node) && g.detail.changes.size > 0 && g.vmid !== 200,
    );
    expect([...(guests.get('PVE-G11') ?? [])].sort()).toEqual(withChanges.map((g) => String(g.vmid)).sort());
  }, 120_000);
});

/** Of each answer: a deep check can't read all guests within the time that a call has here. */
const LATENCY_MS = 40;

describe('what compares all guests, on 5 nodes with 500 guests that take their time', () => {
  let slow: Harness;
  beforeAll(async () => {
    slow = await openHarness({ nodes: 5, guests: 500, latencyMs: LATENCY_MS });
  }, 30_000);
  afterAll(() => slow.close());
  const READABLE = 396;

  test.each([
    // The inventory and rights, the storages and thin pools of each node.
    { check: ['S07', 'pve-g20'], perGuest: 1, besides: 6 + 1 + 5, finds: ['PVE-G20'] },
    // Firewalls of the datacenter, of nodes and VNets, and the groups.
    { check: ['F10'], perGuest: 2, besides: 6 + 2 + 10 + 25 + 31, finds: ['PVE-F10'] },
  ])(
    'check=$check reads only what it needs, and fits into one call',
    async ({ check, perGuest, besides, finds }) => {
      slow.session.forget();
      const outcome = await slow.call('check_health', { check }, WHOLE);
      const answer = parsed(outcome);
      expect(outcome.stats.requests).toBeGreaterThan(READABLE * perGuest);
      expect(outcome.stats.requests).toBeLessThanOrEqual(READABLE * perGuest + besides);
      expect(answer.summary).toContain(`${check.length} of ${check.length} checks made`);
      expect([...new Set(answer.findings.map((f) => f.id))]).toEqual(finds);
      expect(answer.not_checked.filter((row) => row.how === 'not at all')).toEqual([]);
      expect(outcome.structured).not.toHaveProperty('cursor');
    },
    60_000,
  );

  test('a deep check that runs out of time says how to get them, on every page', async () => {
    const args = { deep: true, area: ['storage', 'guests', 'firewall'], severity: 'critical' };
    const first = await slow.call('check_health', args, { ...WHOLE, budgetMs: 3_890 });
    expect(left(parsed(first), 'S07')).toMatchObject({ checks: 'S07, G20', how: 'not at all' });
    expect(left(parsed(first), 'S07')?.why).toMatch(
      /^only \d+ of 396 guests could be read in one go: ask for check=S07,G20 \(1 request a guest\)$/,
    );
    expect(left(parsed(first), 'F10')?.why).toMatch(/: ask for check=F01,F10 \(2 requests a guest\)$/);
    expect(parsed(first).coverage).toBe('partial');
    const { cursor } = z.looseObject({ cursor: z.string() }).parse(first.structured);
    const second = await slow.call('check_health', { ...args, cursor }, { budgetMs: 3_890 });
    expect(second.text).toContain(
      'S07,G20,F01,F10 need all guests in one go, which that page did not hold: check=S07,G20 (1 request a guest) or check=F01,F10 (2 requests a guest).',
    );
  }, 60_000);

  test('where even that is too much for one call, it says so and hands no cursor that would never end', async () => {
    slow.session.forget();
    const short = { ...WHOLE, budgetMs: 1_220 };
    const outcome = await slow.call('check_health', { check: ['S07', 'G20'] }, short);
    expect(outcome.structured).not.toHaveProperty('cursor');
    expect(parsed(outcome).summary).toMatch(/^Nothing found; 0 of 2 checks made/);
    expect(left(parsed(outcome), 'G20')?.why).toMatch(
      /^only \d+ of 396 guests could be read in one go: the cluster is too large for one call; node= compares/,
    );
    const rules = parsed(await slow.call('check_health', { check: ['F10'] }, short));
    expect(left(rules, 'F10')?.why).toMatch(/too large for one call; .* on a node: grep -rl 'GROUP NAME'/);
    // With some guests only it may find something, and never says that there is nothing.
    slow.session.forget();
    const off = parsed(await slow.call('check_health', { check: ['F01'] }, short));
    expect(off.summary).toContain('1 of 1 checks made, 1 of them only in part');
    expect(off.not_checked.some((row) => row.how === 'partly' && /^only \d+ of 396 guests/.test(row.why))).toBe(true);
  }, 60_000);

  test('node= compares the guests of one node, and says that the others are not among them', async () => {
    const node = [...worldOf(slow.demo).guests.values()].find((g) => g.vmid === 101)?.node ?? '';
    const answer = parsed(await slow.call('check_health', { check: ['S07', 'G20', 'F10'], node }, WHOLE));
    expect(answer.summary).toContain('2 of 3 checks made');
    expect(answer.not_checked).toEqual(
      expect.arrayContaining([
        { checks: 'G20', how: 'partly', why: `only ${node} was asked: without node and vmid it is compared with the others` },
        { checks: 'F10', how: 'not at all', why: 'needs the rules of all guests: without node and vmid' },
      ]),
    );
    // A pool belongs to its node: nothing is missing but what is closed to the token.
    const lacks = answer.not_checked.filter((row) => row.checks.includes('S07')).map((row) => row.why);
    expect(lacks.filter((why) => !why.startsWith('guest 200: needs'))).toEqual([]);
  }, 60_000);
});

describe('single checks', () => {
  test('everything that they need is read, and nothing else is judged', async () => {
    const answer = await ask(auditor, { check: ['PVE-G12', 'n05'] });
    expect(found(answer)).toEqual({ 'PVE-N05 warning': AUDITOR['PVE-N05 warning'], 'PVE-G12 info': AUDITOR['PVE-G12 info'] });
    expect(answer.summary).toContain('2 of 2 checks made');
  });

  test.each([
    [{ check: ['G99'] }, /no check "G99".*Such as PVE-G/s],
    [{ check: ['G20'], area: ['guests'] }, /Give one of them/],
  ])('%j is refused with a way out', async (args, words) => {
    const { isError, text } = await auditor.call('check_health', args);
    expect(isError).toBe(true);
    expect(text).toMatch(words);
  });
});

test('what compares nodes is not made with one node, and not counted as made', async () => {
  const answer = await ask(auditor, { node: 'pve2', area: ['versions', 'certificates'] });
  expect(left(answer, 'V01')).toEqual({
    checks: 'V01, V02, V05, C06, C08',
    how: 'not at all',
    why: 'only pve2 was asked: without node and vmid it is compared with the others',
  });
  expect(answer.summary).toContain('9 of 14 checks made');
  const all = await ask(auditor, { area: ['versions', 'certificates'] });
  expect(all.summary).toContain('14 of 14 checks made');
});

test('a node that stands alone has no others to be compared with', async () => {
  const alone = await openHarness({ nodes: 1, guests: 5 });
  try {
    const [node] = worldOf(alone.demo).nodes;
    const answer = parsed(await alone.call('check_health', { node: node?.node, area: ['versions'] }, WHOLE));
    expect(answer.summary).toContain('5 of 5 checks made');
  } finally {
    await alone.close();
  }
});

test('an answer about one node or guest says what is not in it', async () => {
  const but =
    /^Note: Only findings about (\S+ ?\d*): those of the cluster as a whole, and what compares nodes or guests, are in/m;
  expect(but.exec((await auditor.call('check_health', { node: 'pve2' })).text)?.[1]).toBe('pve2');
  expect(but.exec((await auditor.call('check_health', { vmid: 100 })).text)?.[1]).toBe('guest 100');
  expect((await auditor.call('check_health', {})).text).not.toMatch(but);
});

test('rows that were cut on a page that ran out of time go on with the same guests: nothing is lost', async () => {
  let late = 0;
  const harness = await openHarness({ nodes: 2, guests: 60, clock: () => Date.now() + late });
  try {
    const args = { deep: true, area: ['guests', 'firewall'] };
    const pages: Record<string, Set<string>> = {};
    let cursor: string | undefined;
    let count = 0;
    do {
      const outcome = await harness.call(
        'check_health',
        { ...args, limit: 8, ...(cursor === undefined ? {} : { cursor }) },
        // Time runs out for the first page when it has looked at some guests; the others have enough.
        {
          ...WHOLE,
          budgetMs: 60_000,
          progress: (done, _, what) => (late = what.startsWith('guests') && count === 0 && done >= 24 ? 58_500 : late),
        },
      );
      for (const [id, on] of Object.entries(found(parsed(outcome)))) pages[id] = new Set([...(pages[id] ?? []), ...on]);
      if (count === 0) {
        expect(parsed(outcome).summary).toMatch(/^On this page: /);
        expect(left(parsed(outcome), 'G20')?.why).toMatch(/in one go: ask for check=G20 \(1 request a guest\)$/);
        expect(left(parsed(outcome), 'F10')?.why).toMatch(/in one go: ask for check=F01,F10 \(2 requests a guest\)$/);
      }
      cursor = z.looseObject({ cursor: z.string().optional() }).parse(outcome.structured).cursor;
      count += 1;
    } while (cursor !== undefined && count < 30);
    expect(cursor).toBeUndefined();
    const all = found(parsed(await harness.call('check_health', args, { ...WHOLE, budgetMs: 60_000 })));
    expect(Object.keys(all).length).toBeGreaterThan(20);
    for (const [id, on] of Object.entries(all)) {
      // What compares all guests needs them in one go, and the answer says so.
      if (/^PVE-(?:G20|F10) /.test(id)) {
        expect(pages[id]).toBeUndefined();
        continue;
      }
      expect([...(pages[id] ?? [])].sort(), id).toEqual([...on].sort());
    }
  } finally {
    await harness.close();
  }
}, 60_000);

test('what it reads is what it declares, and every check is reachable', () => {
  expect(new Set(checkHealth.reads).size).toBe(checkHealth.reads.length);
  expect(healthChecks.length).toBeGreaterThan(100);
});
