import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, openHarness } from '../../../test/support/harness.ts';
import { startDemoCluster } from '../../demo/start-demo-cluster.ts';
import type { DemoCluster, DemoRole } from '../../demo/types.ts';

let demo: DemoCluster;
const open: Harness[] = [];

beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20 });
});
afterAll(async () => {
  await Promise.all(open.map((h) => h.close()));
  await demo.close();
});

async function as(role: DemoRole, at: DemoCluster = demo) {
  const harness = await openHarness({ role, demo: at });
  open.push(harness);
  const text = await harness.call('check_token_access');
  const structured = await harness.call('check_token_access', {}, { form: 'structured' });
  expect(text.isError).toBe(false);
  return { text: text.text, data: structured.structured, requests: text.stats.requests };
}

/** The row of an area: its cells. */
function row(text: string, area: string): readonly string[] {
  return (
    text
      .split('\n')
      .find((line) => line.startsWith(`${area}\t`))
      ?.split('\t') ?? []
  );
}

describe('check_token_access', () => {
  it('auditor: sees every area, holds nothing else, with the grants for more', async () => {
    const { text, data, requests } = await as('auditor');
    expect(text.split('\n')[0]).toBe(
      'mcp@pve!auditor sees all 11 areas of PVEAuditor; it holds audit privileges only and cannot write',
    );
    expect(text).toContain('can_write: no');
    expect(text).toContain('privilege_separated: yes');
    expect(row(text, 'guests').slice(0, 2)).toEqual(['guests', 'all']);
    expect(row(text, 'backups')).toContain('VM.Backup on /vms, Datastore.AllocateSpace on /storage');
    expect(text).toContain("logs\toptional\tpveum acl modify / --tokens 'mcp@pve!auditor' --roles LogReader");
    expect(text).not.toContain('## excess');
    expect(text).not.toContain('MCPUpdateView');
    expect(data).toMatchObject({ token: { can_write: false, owner_expires: 'never' } });
    expect(text.length).toBeLessThan(2_500);
    expect(requests).toBeLessThanOrEqual(7);
  });

  it('makes no more requests for a cluster a hundred times as large', async () => {
    const large = await startDemoCluster({ nodes: 8, guests: 2_000 });
    try {
      expect((await as('auditor', large)).requests).toBeLessThanOrEqual(7);
    } finally {
      await large.close();
    }
  });

  it('noacl: lacks every area, says so, and leads to one grant', async () => {
    const { text, requests } = await as('noacl');
    expect(text.split('\n')[0]).toBe('mcp@pve!noacl sees 0 of 11 areas of PVEAuditor whole; it holds no privilege at all');
    expect(row(text, 'guests')).toEqual(expect.arrayContaining(['guests', 'none', 'VM.Audit on /vms']));
    expect(text).toContain("everything of PVEAuditor\tcore\tpveum acl modify / --tokens 'mcp@pve!noacl' --roles PVEAuditor");
    expect(text).toContain("everything of PVEAuditor\tcore\tpveum acl modify / --users 'mcp@pve' --roles PVEAuditor");
    expect(text).toContain('Expiry and privilege separation of the token may not be read');
    expect(requests).toBeLessThanOrEqual(15);
  });

  it('scoped and blind-one: parts are told as parts', async () => {
    const scoped = (await as('scoped')).text;
    expect(row(scoped, 'guests')[1]).toBe('some');
    expect(scoped).toMatch(/only \/vms\/\d+, /);
    const closed = demo.world.acl.find((entry) => entry.ugid === 'mcp@pve!blind-one' && entry.roleid === 'NoAccess')?.path;
    const blind = (await as('blind-one')).text;
    expect(row(blind, 'guests')).toEqual(
      expect.arrayContaining(['guests', 'except', `VM.Audit on ${closed}`, `closed: ${closed}`]),
    );
  });

  it('full: names every privilege beyond reading', async () => {
    const { text, data } = await as('full');
    expect(text).toContain('can_write: yes');
    for (const privilege of demo.world.roles['Administrator'] ?? []) {
      if (!privilege.endsWith('.Audit')) expect(text).toContain(`\n${privilege}\t`);
    }
    expect(data).toMatchObject({ token: { can_write: true } });
  });

  it.each(['7.4', '8.4'] as const)('release %s: agents need VM.Monitor, which is not offered', async (release) => {
    const old = await startDemoCluster({ release });
    try {
      const { text } = await as('auditor', old);
      expect(row(text, 'guest agents').slice(0, 2)).toEqual(['guest agents', 'none']);
      expect(row(text, 'guest agents')).toContain('VM.Monitor on /vms');
      expect(text).not.toContain('MCPAgentView');
      expect(row(text, 'mappings').length > 0).toBe(release === '8.4');
      expect(text.split('\n')[0]).toContain(`sees all ${release === '8.4' ? 10 : 9} areas`);
    } finally {
      await old.close();
    }
  });

  it('still answers when roles and user cannot be read, and says what failed', async () => {
    const undo = demo.faults.add({ kind: 'status-500', match: /^\/access\/(roles|users\/)/ });
    try {
      const { text } = await as('auditor');
      expect(text).toContain('Problem');
      expect(row(text, 'guests')[1]).not.toBe('none');
    } finally {
      undo();
    }
  });

  it('tells no secret', async () => {
    for (const role of ['auditor', 'full', 'noacl'] as const) {
      const { text, data } = await as(role);
      const everything = text + JSON.stringify(data);
      for (const canary of demo.canaries) expect(everything).not.toContain(canary);
    }
  });

  it('refuses arguments it does not know', async () => {
    const { isError, text } = await (await openHarness({ demo })).call('check_token_access', { user: 'x' });
    expect(isError).toBe(true);
    expect(text).toContain('no arguments');
  });
});
