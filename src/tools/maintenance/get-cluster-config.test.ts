import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { worldOf } from '../../../test/support/demo-world.ts';
import { callAs, type Harness, openHarness } from '../../../test/support/harness.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';

describe('get_cluster_config', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('everything but notes, as the cluster has it', async () => {
    const { text, stats } = await h.call('get_cluster_config');
    const { config, access } = worldOf(h.demo).areas;
    expect(recordOf(text, 'options')).toMatchObject({ keyboard: 'de', migration: 'network=10.20.0.0/24,type=secure' });
    expect(recordOf(text, 'corosync')).toMatchObject({ links: '2', encrypted: 'yes', qdevice: 'none' });
    expect(tableOf(text, 'members').at(-1)).toMatchObject({ node: 'pve3', votes: '1', links: '0: 10.20.0.13' });
    expect(tableOf(text, 'targets').map((t) => t['target'])).toEqual(config.endpoints.map((e) => e.name).sort());
    expect(tableOf(text, 'matchers').find((m) => m['matcher'] === 'replication-quiet')).toMatchObject({
      enabled: 'no',
      when: 'not (field exact:type=replication)',
    });
    expect(tableOf(text, 'metric_servers').map((m) => m['id'])).toEqual(config.metricServers.map((m) => m.id).sort());
    expect(tableOf(text, 'realms').map((r) => r['realm'])).toEqual(access.realms.map((r) => r.realm).sort());
    expect(tableOf(text, 'realm_syncs')[0]).toMatchObject({ id: 'staff-sync', realm: 'corp-ldap' });
    expect(tableOf(text, 'mappings')).toHaveLength(6);
    expect(text).toContain('Hidden: ACME plugins: needs Sys.Modify on /');
    expect(text).not.toContain('## notes');
    // Seven of them for what the token may see, which serve for a minute.
    expect(stats.requests).toBeLessThanOrEqual(22);
    // What is known to be refused is not asked for.
    expect(h.demo.requests.filter((r) => r.status === 403)).toEqual([]);
  });

  test('a section that is asked for has more detail, and still no secret', async () => {
    const sections = ['notifications', 'metrics', 'notes', 'options'];
    for (const form of ['text', 'structured'] as const) {
      const { text, structured } = await h.call('get_cluster_config', { sections }, { form });
      for (const canary of h.demo.canaries) expect(text + JSON.stringify(structured ?? '')).not.toContain(canary);
    }
    const { text } = await h.call('get_cluster_config', { sections });
    expect(tableOf(text, 'targets').find((t) => t['target'] === 'mail-relay')?.['place']).toBe(
      'smtp.demo.example to ops@demo.example, root@pam',
    );
    expect(tableOf(text, 'targets').find((t) => t['target'] === 'chat')?.['place']).toContain('https://hooks.demo.example/');
    expect(tableOf(text, 'metric_servers').find((m) => m['id'] === 'otel')?.['details']).toContain('deployment.environment');
    expect(text).toContain('Harbour cluster.');
  });

  test('ACME plugins with the right, their credentials never', async () => {
    const { text } = await callAs(h.demo, 'full', 'get_cluster_config', { sections: ['acme'] });
    expect(recordOf(text, 'acme')['authorities']).toMatch(/https:/);
    expect(tableOf(text, 'acme_plugins').map((p) => [p['plugin'], p['api']])).toEqual([
      ['harbour-dns', 'cf'],
      ['standalone', ''],
    ]);
    for (const canary of h.demo.canaries) expect(text).not.toContain(canary);
  });

  test('without rights each hidden part is named', async () => {
    const { text, isError } = await callAs(h.demo, 'noacl', 'get_cluster_config');
    expect(isError).toBe(false);
    for (const what of [
      'most datacenter options',
      'corosync configuration',
      'notification targets and matchers',
      'metric servers',
      'realm syncs',
      'pci mappings',
    ])
      expect(text).toContain(`Hidden: ${what}: needs`);
    expect(tableOf(text, 'realms').length).toBeGreaterThan(0);
    expect(text).not.toContain('Problem');
  });

  test('a standalone node has no corosync configuration: a state, not a fault', async () => {
    const alone = await openHarness({ standalone: true });
    const { text } = await alone.call('get_cluster_config');
    expect(text).toContain('Note: This node stands alone');
    expect(text).not.toContain('Problem');
    expect(text).not.toContain('## corosync');
    await alone.close();
  });

  test.each(['7.4', '8.4'] as const)('on %s what the release does not have is not missing', async (release) => {
    const old = await openHarness({ release });
    const { text, isError } = await old.call('get_cluster_config');
    expect(isError).toBe(false);
    expect(text).not.toContain('Problem');
    if (release === '7.4') expect(text).not.toContain('## targets');
    await old.close();
  });

  test('one part that fails costs only itself', async () => {
    const off = h.demo.faults.add({ kind: 'status-500', match: '/cluster/metrics/server' });
    const { text } = await h.call('get_cluster_config');
    off();
    expect(text).toContain('Problem (upstream)');
    expect(text).not.toContain('## metric_servers');
    expect(text).toContain('## realms');
  });
});
