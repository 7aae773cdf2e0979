import { describe, expect, it } from 'vitest';
import { createAsker, NOW } from './area-request.fixture.ts';

const { ask, reply, rows, world } = createAsker();
const logs = { identity: world.areas.access.tokens.logs.id };

function lines(query: Record<string, string>): string[] {
  const data = ask('/nodes/pve2/journal', { query });
  return Array.isArray(data) ? data.map(String) : [];
}

describe('logs', () => {
  it('the cluster log shows own entries, all with Sys.Syslog', () => {
    expect(rows('/cluster/log')).toEqual([]);
    expect(rows('/cluster/log', logs).length).toBeGreaterThan(5);
    expect(rows('/cluster/log', { ...logs, query: { max: '2' } })).toHaveLength(2);
    expect(rows('/cluster/log', { identity: 'root@pam!terraform' })).toEqual(rows('/cluster/log', logs));
  });

  it('the journal lies between two cursors', () => {
    const last = lines({ lastentries: '3' });
    expect(last).toHaveLength(5);
    expect(last[0]).toMatch(/^s=[\da-f]{32};i=/);
    expect(last[1]).toMatch(/^Nov 30 \d\d:\d\d:\d\d pve2 /);
    const [from = ''] = last;
    expect(lines({ startcursor: from })).toHaveLength(5);
  });

  it('the journal can be cut by time, unit and level', () => {
    expect(lines({ since: String(NOW / 1000 - 8_000) }).length).toBeLessThan(lines({}).length);
    expect(lines({ unit: 'pve-ha-lrm.service' })).toHaveLength(3);
    expect(lines({ priority: '3' }).slice(1, -1)).toEqual([expect.stringContaining('watchdog active')]);
    expect(lines({ priority: '4..5' }).slice(1, -1).length).toBe(4);
    expect(lines({ unit: 'nope' })).toEqual([]);
  });

  it('the syslog is paged, with the total beside it', () => {
    const page = reply('/nodes/pve1/syslog', { query: { start: '1', limit: '2' } });
    expect(page.data).toMatchObject([{ n: 2 }, { n: 3 }]);
    expect(Number(page.extra.total)).toBeGreaterThan(100);
    expect(reply('/nodes/pve1/syslog', { query: { since: '2026-11-30 05:00', service: 'sshd' } }).extra.total).toBe(2);
    expect(reply('/nodes/pve1/syslog', { query: { since: '2027-01-01' } })).toMatchObject({
      data: [{ n: 1, t: 'no content' }],
      extra: { total: 1 },
    });
    expect(() => ask('/nodes/pve1/syslog', { query: { since: 'yesterday' } })).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('some text arrives encoded twice', () => {
    expect(JSON.stringify(rows('/cluster/log', logs))).toContain('BjÃ¶rn');
    expect(lines({}).join('\n')).toContain('naÃ¯ve');
  });
});
