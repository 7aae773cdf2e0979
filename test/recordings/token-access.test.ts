import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordedRole } from './recording-set.ts';
import { openReplaySessions, type ReplaySessions } from './replay-session.ts';

let sessions: ReplaySessions;
beforeAll(async () => {
  sessions = await openReplaySessions();
});
afterAll(() => sessions.close());

async function ask(role: RecordedRole): Promise<string> {
  const { text, isError } = await sessions.ask(role, 'check_token_access');
  expect(isError, text).toBe(false);
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
    expect(new Set(sessions.server.missing)).toEqual(new Set(['GET /access/permissions?userid=mcp@pve as readonly']));
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
