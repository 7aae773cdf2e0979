import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster, DemoRole } from '../../src/demo/types.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';

let demo: DemoCluster;
let folder: string;
let caFile: string;
/** Everything that any run of this file printed. */
const printed: string[] = [];

beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 50 });
  folder = await mkdtemp(join(tmpdir(), 'mcp-proxmox-test-'));
  caFile = join(folder, 'ca.pem');
  await writeFile(caFile, demo.ca);
});

afterAll(async () => {
  await demo.close();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => {
  demo.requests.length = 0;
  demo.faults.clear();
});

function envOf(role: DemoRole, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { id, secret } = demo.token(role);
  return { PROXMOX_URL: demo.url, PROXMOX_TOKEN_ID: id, PROXMOX_TOKEN_SECRET: secret, PROXMOX_CA_FILE: caFile, ...more };
}

async function check(env: Readonly<Record<string, string>>, ...args: string[]): Promise<CliResult> {
  const result = await runCli(['check', ...args], env);
  printed.push(result.stdout, result.stderr);
  return result;
}

/** The line of an area under "Sees", with the lines that continue it, on one line. */
function area(stdout: string, name: string): string {
  const lines = stdout.slice(stdout.indexOf('\nSees')).split('\n');
  const start = lines.findIndex((line) => line.startsWith(`  ${name} `));
  expect(start, `area ${name}`).toBeGreaterThan(0);
  const end = lines.findIndex((line, i) => i > start && !line.startsWith('          '));
  return lines
    .slice(start, end)
    .map((line) => line.trim())
    .join(' ')
    .replace(/\s+/g, ' ');
}

describe('check, as each token of the embedded cluster', () => {
  it('auditor: all good, and only GET is sent', async () => {
    const { code, stdout, stderr } = await check(envOf('auditor'));
    expect(stderr).not.toMatch(/warning/i);
    expect(stdout).toContain('Proxmox VE 9.2.11 (repoid ');
    expect(stdout).toMatch(/nodes +2 of 3 online \(pve3 offline\)/);
    expect(stdout).toContain('TLS: verified by PROXMOX_CA_FILE');
    expect(stdout).toContain(demo.fingerprint);
    expect(stdout).toContain('clock    agrees');
    expect(stdout).toMatch(/separated +yes/);
    expect(stdout).toMatch(/expires +\d{4}-\d\d-\d\dT/);
    for (const name of [
      'guests',
      'guest agents',
      'nodes',
      'tasks',
      'access',
      'pools',
      'SDN',
      'mappings',
      'HA/firewall/cluster',
    ]) {
      expect(area(stdout, name)).toBe(`${name} all`);
    }
    expect(area(stdout, 'backups')).toContain('all optional: VM.Backup on /vms and Datastore.AllocateSpace on /storage');
    expect(area(stdout, 'logs')).toContain('none optional: Sys.Syslog on /nodes');
    expect(stdout).toContain('No: it holds audit privileges only.');
    expect(stdout).toContain("pveum acl modify / --tokens 'mcp@pve!auditor' --roles LogReader");
    // The cluster has a role of these two privileges already; the entry on /vms names PVEAuditor again.
    expect(stdout).toContain("pveum acl modify /vms --tokens 'mcp@pve!auditor' --roles PVEAuditor,BackupReader");
    for (const path of [
      '/version',
      '/access/permissions',
      '/cluster/resources',
      '/cluster/status',
      '/storage',
      '/cluster/tasks',
    ]) {
      expect(stdout).toMatch(new RegExp(`\\d+ ms +${path.replaceAll('/', '\\/')} +ok`));
    }
    expect(stdout.trimEnd().endsWith('All good.')).toBe(true);
    expect(code).toBe(0);
    expect(new Set(demo.requests.map((r) => r.method))).toEqual(new Set(['GET']));
    expect(demo.requests.length).toBeLessThan(25);
  });

  it('noacl: nothing is seen, and both lines that open it are there', async () => {
    const { code, stdout } = await check(envOf('noacl'));
    expect(code).toBe(1);
    expect(area(stdout, 'guests')).toBe('guests none needs VM.Audit on /vms');
    expect(area(stdout, 'nodes')).toBe('nodes none needs Sys.Audit on /nodes, Sys.Audit on /');
    expect(area(stdout, 'pools')).toBe('pools none needs Pool.Audit on /pool');
    expect(stdout).toMatch(/\/cluster\/status +not allowed: needs Sys\.Audit on \//);
    expect(stdout).toContain('No: it holds no privilege at all.');
    expect(stdout).toContain(
      "pveum acl modify / --tokens 'mcp@pve!noacl' --roles PVEAuditor\n    pveum acl modify / --users 'mcp@pve' --roles PVEAuditor",
    );
    expect(stdout).toMatch(/separated +may not be read/);
    expect(stdout).toContain('Not all good: not seen whole: guests, ');
  });

  it('scoped: parts are named as parts', async () => {
    const { code, stdout } = await check(envOf('scoped'));
    expect(code).toBe(1);
    expect(area(stdout, 'guests')).toMatch(/^guests some only \/vms\/\d+.* needs VM\.Audit on \/vms$/);
    expect(area(stdout, 'storage')).toMatch(/^storage some only \/storage\/.* needs Datastore\.Audit on \/storage/);
    expect(area(stdout, 'nodes')).toMatch(/^nodes none/);
  });

  it('full: every privilege beyond reading is named', async () => {
    const { code, stdout } = await check(envOf('full'));
    expect(code).toBe(1);
    expect(stdout).toContain('Yes. This program never does');
    for (const privilege of demo.world.roles['Administrator'] ?? []) {
      if (!privilege.endsWith('.Audit')) expect(stdout).toContain(privilege);
    }
    expect(stdout).toContain('Not all good: 33 privileges are held that nothing here justifies.');
  });

  it('backup-one: excess with its paths, and what it opens', async () => {
    const { code, stdout } = await check(envOf('backup-one'));
    expect(area(stdout, 'backups')).toMatch(/^backups all only \/vms\/\d+; only \/storage\/\S+; optional: VM\.Backup/);
    expect(stdout).toMatch(/changes +on \/storage\/\S+, \/vms\/\d+ +Datastore\.AllocateSpace, VM\.Backup \(opens/);
    expect(code).toBe(0);
  });

  it('logs: the optional areas are open', async () => {
    const { code, stdout } = await check(envOf('logs'));
    expect(area(stdout, 'logs')).toBe('logs all');
    expect(area(stdout, 'backups')).toBe('backups all');
    expect(stdout).not.toContain('MCPLogView');
    expect(stdout).toMatch(/reads +on \/ +Sys\.Syslog \(opens/);
    expect(code).toBe(0);
  });

  it('blind-one: the closed guest is named, with the entry that closes it', async () => {
    const { code, stdout } = await check(envOf('blind-one'));
    const closed = demo.world.acl.find((row) => row.ugid === 'mcp@pve!blind-one' && row.roleid === 'NoAccess')?.path;
    expect(area(stdout, 'guests')).toBe(`guests except closed: ${closed}; needs VM.Audit on ${closed}`);
    expect(stdout).toContain(`pveum acl delete ${closed} --tokens 'mcp@pve!blind-one' --roles NoAccess`);
    expect(code).toBe(1);
  });
});

describe('check --check-write-denied', () => {
  it('proves an auditor to be denied with ten requests that could do nothing', async () => {
    const { code, stdout } = await check(envOf('auditor'), '--check-write-denied');
    const writes = demo.requests.filter((r) => r.method !== 'GET');
    expect(writes).toHaveLength(10);
    for (const { query, status } of writes) {
      expect(query).toEqual({ 'mcp-proxmox-probe': '1' });
      expect(status).toBe(403);
    }
    expect(stdout).toContain('10 of 10 denied.');
    expect(code).toBe(0);
  });

  it('finds the holes of a full token', async () => {
    const { code, stdout } = await check(envOf('full'), '--check-write-denied');
    expect(demo.requests.filter((r) => r.method !== 'GET').map((r) => r.status)).toEqual(Array(10).fill(400));
    expect(stdout.match(/400 +WOULD BE ALLOWED/g)).toHaveLength(10);
    expect(stdout).toContain('10 writes would be allowed');
    expect(code).toBe(1);
  });

  it('asks nothing where the token sees nothing to aim at, and says so', async () => {
    const { stdout } = await check(envOf('noacl'), '--check-write-denied');
    expect(demo.requests.filter((r) => r.method !== 'GET')).toHaveLength(7);
    expect(stdout).toContain('7 of 10 denied, 3 not asked.');
  });

  it('calls anything else inconclusive, and fails', async () => {
    demo.faults.add({ kind: 'status-500', match: /^\/pools$/ });
    const { code, stdout } = await check(envOf('auditor'), '--check-write-denied');
    expect(stdout).toMatch(/500 +inconclusive +POST +\/pools/);
    expect(stdout).toContain('1 write probe brought no clear answer');
    expect(code).toBe(1);
  });

  it('is never sent unasked', async () => {
    await check(envOf('full'), '--json');
    expect(demo.requests.every((r) => r.method === 'GET')).toBe(true);
  });
});

describe('check, when it cannot ask', () => {
  it('a wrong secret: exit 3, and it is not shown', async () => {
    const { code, stdout } = await check(envOf('auditor', { PROXMOX_TOKEN_SECRET: '0badc0de-0000-4000-8000-00000badc0de' }));
    expect(code).toBe(3);
    expect(stdout).toContain('Proxmox refused the token');
    expect(stdout).not.toContain('0badc0de');
  });

  it('no CA: exit 3, with the fingerprint found and both ways to trust it', async () => {
    const { PROXMOX_CA_FILE: _, ...env } = envOf('auditor');
    const { code, stdout } = await check(env);
    expect(code).toBe(3);
    expect(stdout).toContain('TLS: not trusted: no certificate authority known to this machine has signed it');
    expect(stdout).toContain(`SHA-256      ${demo.fingerprint}`);
    expect(stdout).toContain('PROXMOX_TLS_FINGERPRINT=');
    expect(stdout).toContain('PROXMOX_CA_FILE=');
    expect(stdout).not.toMatch(/PROXMOX_VERIFY_TLS|NODE_TLS/);
    // The handshake was all: no token went to an untrusted server.
    expect(demo.requests).toEqual([]);
  });

  it('a wrong fingerprint: exit 3, with the one found', async () => {
    const { PROXMOX_CA_FILE: _, ...env } = envOf('auditor', { PROXMOX_TLS_FINGERPRINT: Array(32).fill('AB').join(':') });
    const { code, stdout } = await check(env);
    expect(code).toBe(3);
    expect(stdout).toContain('TLS: not trusted: it is not one of those in PROXMOX_TLS_FINGERPRINT');
    expect(stdout).toContain(`SHA-256      ${demo.fingerprint}`);
    expect(demo.requests).toEqual([]);
  });

  it('the right fingerprint: pinned, and all good', async () => {
    const { PROXMOX_CA_FILE: _, ...env } = envOf('auditor', { PROXMOX_TLS_FINGERPRINT: demo.fingerprint.toLowerCase() });
    const { code, stdout } = await check(env);
    expect(stdout).toContain('TLS: pinned by PROXMOX_TLS_FINGERPRINT');
    expect(code).toBe(0);
  });

  it('verification off: it works, and says what that means', async () => {
    const { PROXMOX_CA_FILE: _, ...env } = envOf('auditor', { PROXMOX_VERIFY_TLS: 'false' });
    const { stdout } = await check(env);
    expect(stdout).toContain('TLS: NOT verified');
    expect(stdout).toContain(demo.fingerprint);
    expect(stdout).toContain('PROXMOX_CA_FILE=');
  });

  it('an entry node that is down: the other one answers, and the report names the one that does not', async () => {
    const { code, stdout } = await check(envOf('auditor', { PROXMOX_URL: `https://127.0.0.1:9,${demo.url}` }));
    expect(stdout).toMatch(/https:\/\/127\.0\.0\.1:9 +no answer\n.*connection refused/);
    expect(area(stdout, 'guests')).toBe('guests all');
    expect(stdout).toContain('Not all good: 127.0.0.1:9 does not answer.');
    expect(code).toBe(1);
  });

  it('no entry node at all: exit 3', async () => {
    const { code, stdout } = await check(envOf('auditor', { PROXMOX_URL: 'https://127.0.0.1:9' }));
    expect(stdout).toContain('connection refused');
    expect(code).toBe(3);
  });

  it('a misspelt variable: exit 2, and nothing is asked', async () => {
    const { code, stdout, stderr } = await check(envOf('auditor', { PROXMOX_VERFIY_TLS: 'true' }));
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('PROXMOX_VERFIY_TLS');
    expect(stderr).toContain('PROXMOX_VERIFY_TLS');
    expect(demo.requests).toEqual([]);
  });

  it.each([
    ['an unknown flag', ['--nope']],
    ['an unknown token of the embedded cluster', ['--demo', 'nobody']],
    ['a cluster that is not configured', ['--cluster', 'other']],
  ])('%s: exit 2', async (_, args) => {
    const { code, stdout } = await check(envOf('auditor'), ...args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
  });

  it('an unknown command: exit 2', async () => {
    expect((await runCli(['chekc'])).code).toBe(2);
  });
});

describe('check, further', () => {
  it('--json is one JSON document with the same truth', async () => {
    const { code, stdout } = await check(envOf('scoped'), '--json');
    const report = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(report.exit_code).toBe(1);
    const [cluster] = report.clusters;
    expect(cluster).toMatchObject({ token: 'mcp@pve!scoped', release: '9.2.11', can_write: false });
    expect(cluster.targets[0].tls).toMatchObject({ state: 'verified', by: 'ca', certificate: { fingerprint: demo.fingerprint } });
    expect(cluster.areas.find((a: { area: string }) => a.area === 'nodes')).toMatchObject({
      sees: 'none',
      missing: ['Sys.Audit on /nodes', 'Sys.Audit on /'],
    });
  });

  it('takes an env file, and mcp-proxmox-check is the same command', async () => {
    const file = join(folder, 'settings.env');
    await writeFile(
      file,
      Object.entries(envOf('auditor'))
        .map(([key, value]) => `${key}=${value}\n`)
        .join(''),
      { mode: 0o600 },
    );
    const result = await runCli(['--env-file', file], {}, 'mcp-proxmox-check.mjs');
    printed.push(result.stdout, result.stderr);
    expect(result.stdout).toContain('default: mcp@pve!auditor');
    expect(result.code).toBe(0);
  });

  it('--demo needs no settings', async () => {
    const { code, stdout } = await check({}, '--demo', 'noacl');
    expect(stdout).toContain('demo: mcp@pve!noacl');
    expect(code).toBe(1);
  });

  it('a request that fails is told and fails the check', async () => {
    demo.faults.add({ kind: 'broken-json', match: /^\/cluster\/tasks$/ });
    const { code, stdout } = await check(envOf('auditor'));
    expect(stdout).toMatch(/\/cluster\/tasks +The answer is not what Proxmox VE sends/);
    expect(stdout).toContain('/cluster/tasks failed');
    expect(code).toBe(1);
  });

  it('a clock that is off is told', async () => {
    const late = await startDemoCluster({ now: Date.now() - 3_600_000 });
    try {
      const file = join(folder, 'late.pem');
      await writeFile(file, late.ca);
      const { id, secret } = late.token('auditor');
      const { stdout } = await check({
        PROXMOX_URL: late.url,
        PROXMOX_TOKEN_ID: id,
        PROXMOX_TOKEN_SECRET: secret,
        PROXMOX_CA_FILE: file,
      });
      expect(stdout).toMatch(/the node's clock is 1 h behind this machine's/);
    } finally {
      await late.close();
    }
  });
});

// Last on purpose: it looks at everything printed above.
it('no run printed a secret', () => {
  const everything = printed.join('\n');
  expect(everything.length).toBeGreaterThan(10_000);
  for (const role of ['auditor', 'noacl', 'scoped', 'full', 'backup-one', 'blind-one', 'logs'] as const) {
    expect(everything).not.toContain(demo.token(role).secret);
  }
  for (const canary of demo.canaries) expect(everything).not.toContain(canary);
});
