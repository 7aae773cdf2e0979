import { expect } from 'vitest';
import { Secret } from '../../src/redact/secret.ts';
import { createRuntime, type Runtime } from '../../src/server/runtime.ts';
import { runTool, type ToolOutcome } from '../../src/tools/run-tool.ts';
import { settingsFor } from '../support/harness.ts';
import { toolNamed } from '../support/tool-named.ts';
import { CANARY_FORMS } from './canaries.ts';
import { RECORDED_ROLES, type RecordedRole } from './recording-set.ts';
import { type ReplayServer, startReplayServer } from './replay-server.ts';

/** The recorded cluster and a session at it for each of its tokens. */
export interface ReplaySessions {
  readonly server: ReplayServer;
  /** Calls a tool as that token; no answer may hold a planted secret in any form. */
  ask(role: RecordedRole, tool: string, args?: Readonly<Record<string, unknown>>): Promise<ToolOutcome>;
  close(): Promise<void>;
}

/** Starts the replay; `clock` is the program's, epoch milliseconds, by default the machine's. */
export async function openReplaySessions(clock?: () => number): Promise<ReplaySessions> {
  const server = await startReplayServer();
  const runtimes = new Map<RecordedRole, Runtime>();
  for (const role of RECORDED_ROLES) {
    const { id, secret } = server.token(role);
    const tls = { verify: true, caPem: server.ca, fingerprints: [] };
    const cluster = { name: role, urls: [server.url], tokenId: id, tokenSecret: new Secret(secret), tls, timeoutMs: 10_000 };
    runtimes.set(role, createRuntime(settingsFor(cluster), clock));
  }
  return {
    server,
    async ask(role, name, args = {}) {
      const session = runtimes.get(role)?.session();
      if (session === undefined) throw new Error(`no session as ${role}`);
      const outcome = await runTool(toolNamed(name), args, session, { form: 'text', maxChars: 40_000 });
      for (const form of CANARY_FORMS) expect(outcome.text, `${name} ${JSON.stringify(args)}`).not.toContain(form);
      return outcome;
    },
    async close() {
      await Promise.all([...runtimes.values()].map((runtime) => runtime.close()));
      await server.close();
    },
  };
}
