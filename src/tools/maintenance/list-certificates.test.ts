import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { tableOf } from '../../../test/support/read-answer.ts';

describe('list_certificates', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('first to expire first, the cluster authority once, days as the certificates say', async () => {
    const { text, stats } = await h.call('list_certificates');
    const world = worldOf(h.demo);
    const rows = tableOf(text);
    expect(rows.map((r) => [r['nodes'], r['file'], r['use']])).toEqual([
      ['pve2', 'pveproxy-ssl.pem', 'API and web interface'],
      ['pve1', 'pve-ssl.pem', 'API and web interface'],
      ['pve2', 'pve-ssl.pem', 'spare, own one is shown'],
      ['pve1, pve2', 'pve-root-ca.pem', 'cluster authority'],
    ]);
    const own = world.areas.maintenance.node('pve2').certificates.find((c) => c.filename === 'pveproxy-ssl.pem');
    expect(rows[0]).toMatchObject({ days_left: '9', fingerprint: own?.fingerprint, issuer: 'R11' });
    expect(text.split('\n')[0]).toBe('4 certificates on 2 nodes; 1 with less than 30 days left (pveproxy-ssl.pem on pve2: 9 d)');
    expect(text).not.toContain('BEGIN CERTIFICATE');
    expect(text).toContain('Problem: pve3 (node-unreachable)');
    expect(stats.requests).toBe(3);
  });

  test('an expired one is the first thing said', async () => {
    const late = await openHarness({ now: Date.now() - 12 * 86_400_000 });
    const { text } = await late.call('list_certificates');
    expect(text.split('\n')[0]).toContain('1 EXPIRED (pveproxy-ssl.pem on pve2)');
    expect(tableOf(text)[0]?.['days_left']).toMatch(/^-[34]$/);
    await late.close();
  });

  test('every user may read them', async () => {
    const { text } = await callAs(h.demo, 'noacl', 'list_certificates', { node: 'pve1' });
    expect(tableOf(text).map((r) => r['file'])).toEqual(['pve-ssl.pem', 'pve-root-ca.pem']);
    expect(text).not.toContain('Hidden');
  });

  test('structured: days as a number', async () => {
    const { structured } = await h.call('list_certificates', { node: 'pve2' }, { form: 'structured' });
    expect(JSON.stringify(structured)).toContain('"days_left":9');
  });
});
