import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../src/redact/secret.ts';
import { createRuntime, type Runtime } from '../../src/server/runtime.ts';
import { checkTokenAccess } from '../../src/tools/access/check-token-access.ts';
import { runTool } from '../../src/tools/run-tool.ts';
import { settingsFor } from '../support/harness.ts';
import { CANARY_FORMS } from './canaries.ts';
import type { RecordedRole } from './recording-set.ts';
import { type ReplayServer, startReplayServer } from './replay-server.ts';

let server: ReplayServer;
const runtimes: Runtime[] = [];

beforeAll(async () => {
  server = await startReplayServer();
});
afterAll(async () => {
  await Promise.all(runtimes.map((r) => r.close()));
  await server.close();
});

async function ask(role: RecordedRole): Promise<string> {
  const { id, secret } = server.token(role);
  const runtime = createRuntime(
    settingsFor({
      name: 'recorded',
      urls: [server.url],
      tokenId: id,
      tokenSecret: new Secret(secret),
      tls: { verify: true, caPem: server.ca, fingerprints: [] },
      timeoutMs: 10_000,
    }),
  );
  runtimes.push(runtime);
  const { text, isError } = await runTool(checkTokenAccess, {}, runtime.session(), { form: 'text', maxChars: 20_000 });
  expect(isError, text).toBe(false);
  for (const form of CANARY_FORMS) expect(text).not.toContain(form);
  return text;
}

const row = (text: string, area: string) =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${area}\t`))
    ?.split('\t') ?? [];

describe('check_token_access on recorded answers of a real 9.2.11', () => {
  it('an auditor sees all, though /nodes lists its rights as held and not inherited', async () => {
    const text = await ask('readonly');
    expect(text).toContain('mcp@pve!readonly sees all 11 areas of PVEAuditor; it holds audit privileges only and cannot write');
    expect(text).toContain('privilege_separated: yes');
    expect(row(text, 'nodes')[1]).toBe('all');
    // The user has another role on /mapping by its group; the token's line names only its own.
    expect(text).toContain("pveum acl modify / --tokens 'mcp@pve!readonly' --roles MCPLogView");
  });

  it('asks one thing that was not recorded, the rights of its user, and says that it got no answer', async () => {
    const text = await ask('readonly');
    expect(new Set(server.missing)).toEqual(new Set(['GET /access/permissions?userid=mcp@pve as readonly']));
    expect(text).toContain('Problem');
    expect(text).toContain('the --users line is needed unless mcp@pve holds the role there');
  });

  it('a token without rights sees nothing', async () => {
    const text = await ask('noacl');
    expect(text).toContain('it holds no privilege at all');
    expect(row(text, 'guests')[1]).toBe('none');
  });

  it('a token of root without separation can do everything', async () => {
    const text = await ask('full');
    expect(text).toContain('can_write: yes');
    expect(text).toContain('privilege_separated: no');
    expect(row(text, 'logs')[1]).toBe('all');
  });
});
