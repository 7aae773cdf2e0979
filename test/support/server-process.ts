import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { DemoCluster, DemoRole } from '../../src/demo/types.ts';

/** The program as it ships; `npm run build` makes it. MCP_PROXMOX_BINARY names another one, such as an installed package's. */
export const BINARY = process.env['MCP_PROXMOX_BINARY'] ?? fileURLToPath(new URL('../../dist/mcp-proxmox.mjs', import.meta.url));

/** The protocol eras a server must speak: with a handshake, and without. */
export const ERAS = ['legacy', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

/** Environment for a server process at an embedded cluster: nothing of the caller's own but the path. */
export function serverEnv(
  demo: DemoCluster,
  role: DemoRole = 'auditor',
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { id, secret } = demo.token(role);
  const caFile = join(mkdtempSync(join(tmpdir(), 'mcp-proxmox-test-')), 'ca.pem');
  writeFileSync(caFile, demo.ca);
  return {
    PATH: process.env['PATH'] ?? '',
    PROXMOX_URL: demo.url,
    PROXMOX_TOKEN_ID: id,
    PROXMOX_TOKEN_SECRET: secret,
    PROXMOX_CA_FILE: caFile,
    PROXMOX_TOOLSETS: 'all',
    ...extra,
  };
}

export interface ConnectedClient {
  readonly client: Client;
  /** Everything that the server wrote to standard error so far. */
  stderr(): string;
  readonly pid: number;
  close(): Promise<void>;
}

/** The official client over standard input and output, to a server process of its own. */
export async function connectClient(
  env: Record<string, string>,
  args: readonly string[] = [],
  era: Era = 'legacy',
): Promise<ConnectedClient> {
  const transport = new StdioClientTransport({ command: process.execPath, args: [BINARY, ...args], env, stderr: 'pipe' });
  let errors = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  const mode = era === 'legacy' ? era : { pin: era };
  const client = new Client({ name: 'mcp-proxmox-test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    client,
    stderr: () => errors,
    pid: transport.pid ?? 0,
    close: () => client.close(),
  };
}

/** A server process spoken to by hand, line by line. */
export interface RawServer {
  send(message: unknown): void;
  /** The next message for which the test holds. */
  next(wanted: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  /** Everything written to standard output so far. */
  stdout(): string;
  stderr(): string;
  /** Ends standard input and waits for the process; gives exit code and milliseconds. */
  end(): Promise<{ readonly code: number | null; readonly tookMs: number }>;
  kill(): void;
}

export function spawnRaw(env: Record<string, string>, args: readonly string[] = []): RawServer {
  const child = spawn(process.execPath, [BINARY, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  let errors = '';
  let parsed = 0;
  const messages: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8');
    for (let end = out.indexOf('\n', parsed); end >= 0; end = out.indexOf('\n', parsed)) {
      const message: unknown = JSON.parse(out.slice(parsed, end));
      if (typeof message === 'object' && message !== null) messages.push({ ...message });
      parsed = end + 1;
    }
    wake();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  void exited.then(wake);
  return {
    send: (message) => {
      child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
    },
    async next(wanted) {
      for (;;) {
        const index = messages.findIndex(wanted);
        const [found] = index < 0 ? [] : messages.splice(index, 1);
        if (found !== undefined) return found;
        if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${errors}`);
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
    },
    stdout: () => out,
    stderr: () => errors,
    async end() {
      const started = performance.now();
      child.stdin.end();
      const code = await exited;
      return { code, tookMs: performance.now() - started };
    },
    kill: () => {
      child.kill();
    },
  };
}
