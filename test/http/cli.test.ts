import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { callTool } from '../support/http.ts';
import { runCli } from '../support/run-cli.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/mcp-proxmox.mjs', import.meta.url));

describe('serve --http as a process', () => {
  it.each<[string, string[], RegExp]>([
    ['no way to tell callers apart', ['serve', '--http', '--demo'], /--http: needs to know who may ask/],
    [
      '--no-auth beyond loopback',
      ['--http', '0.0.0.0:0', '--demo', '--no-auth', '--allowed-host', 'x'],
      /--no-auth: is accepted on this machine only/,
    ],
    ['a flag of HTTP without it', ['serve', '--demo', '--no-auth'], /--no-auth is of use with --http only/],
    ['no file of callers', ['serve', '--http', ':0', '--demo', '--auth-file', '/nowhere.json'], /does not exist/],
  ])('does not start with %s', async (_what, args, words) => {
    const { code, stdout, stderr } = await runCli(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
    expect(stdout).toBe('');
  });

  it('serves until SIGTERM, ends what is under way, and exits with 0', async () => {
    const child = spawn(
      process.execPath,
      [PROGRAM, 'serve', '--http', '127.0.0.1:0', '--demo', '--no-auth', '--metrics', '127.0.0.1:0'],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    const url = await new Promise<string>((resolve) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
        const found = /http:\/\/[^ ,]+\/mcp/.exec(stderr)?.[0];
        if (found !== undefined) resolve(found);
      });
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    // Several cluster requests: still under way when the signal comes.
    const call = callTool(url, 'list_recent_tasks', { limit: 20 });
    await callTool(url, 'list_nodes');
    child.kill('SIGTERM');
    expect(await call).toMatchObject({ status: 200, isError: false });
    expect(await ended).toBe(0);
    expect(stderr).toMatch(/SIGTERM: stopping/);
    // The audit log goes to standard error by default, one line a call.
    expect(
      stderr
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line).tool)
        .sort(),
    ).toEqual(['list_nodes', 'list_recent_tasks']);
    expect(stdout).toBe('');
  });

  it('ends at once at a second signal, whichever it is', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'serve', '--http', '127.0.0.1:0', '--demo', '--no-auth'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    const url = await new Promise<URL>((resolve) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
        const found = /http:\/\/[^ ,]+\/mcp/.exec(stderr)?.[0];
        if (found !== undefined) resolve(new URL(found));
      });
    });
    const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('close', (_code, signal) => resolve(signal)));
    // A request that is never sent to its end: without the second signal it would be waited for.
    const socket = connect(Number(url.port), url.hostname);
    socket.on('error', () => undefined);
    socket.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`);
    await sleep(300);
    child.kill('SIGTERM');
    while (!stderr.includes('SIGTERM: stopping')) await sleep(20);
    child.kill('SIGINT');
    expect(await ended).toBe('SIGINT');
    socket.destroy();
  });

  it.each([[[]], [['--http', '127.0.0.1:0', '--no-auth']]])('ends when its log cannot be opened: %j', async (flags) => {
    const path = join(tmpdir(), 'mcp-audit-none', 'x', 'audit.jsonl');
    const { code, stderr } = await runCli(['serve', '--demo', '--audit-log', path, ...flags]);
    expect(code).toBe(2);
    expect(stderr).toContain('--audit-log: cannot be used (ENOENT)');
  });

  it('keeps an audit log over stdio as well', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'mcp-audit-')), 'audit.jsonl');
    const child = spawn(process.execPath, [PROGRAM, '--demo', '--audit-log', file], { stdio: ['pipe', 'pipe', 'ignore'] });
    let stdout = '';
    const answered = new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
        if (stdout.includes('"id":2')) resolve();
      });
    });
    const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    say({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    });
    say({ method: 'notifications/initialized' });
    say({ id: 2, method: 'tools/call', params: { name: 'list_nodes', arguments: {} } });
    await answered;
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    child.stdin.end();
    expect(await ended).toBe(0);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ caller: 'local', tool: 'list_nodes', outcome: 'ok' });
  });
});
