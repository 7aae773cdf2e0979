import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Harness, openHarness } from '../../../test/support/harness.ts';
import { recordOf, tableOf } from '../../../test/support/read-answer.ts';

describe('get_firewall_rules', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await openHarness();
  });
  afterAll(() => h.close());

  test('the datacenter: rules in order, a switched-off rule is off, groups and sets opened', async () => {
    const { text } = await h.call('get_firewall_rules');
    const rules = tableOf(text, 'rules');
    expect(rules.map((r) => Number(r['pos']))).toEqual([...rules.keys()]);
    expect(rules.find((r) => r['macro'] === 'SSH' && r['source'] === '')?.['state']).toBe('off');
    expect(tableOf(text, 'groups').some((r) => r['group'] === 'webserver' && r['state'] === 'off')).toBe(true);
    expect(tableOf(text, 'ipsets').find((r) => r['name'] === 'management')?.['entries']).toContain('!');
    expect(recordOf(text, 'state')).toMatchObject({ enabled: 'on', policy_in: 'DROP' });
  });

  test('a guest: its own rules and only the groups that they name', async () => {
    const { text, stats } = await h.call('get_firewall_rules', { vmid: 100 });
    expect(new Set(tableOf(text, 'groups').map((r) => r['group']))).toEqual(new Set(['webserver']));
    expect(text).toContain('firewall=1');
    expect(stats.requests).toBeLessThanOrEqual(12);
  });

  test('rules of a guest whose firewall is off are said not to apply', async () => {
    const { text } = await h.call('get_firewall_rules', { vmid: 104, sections: ['rules'] });
    expect(text).toMatch(/off, so its rules do not apply; [1-9]\d* rules/);
    expect(text).not.toContain('## aliases');
  });

  test('macros only by name, with the ports they stand for', async () => {
    const { text } = await h.call('get_firewall_rules', { sections: ['macros'] }, { maxChars: 40_000 });
    const rows = tableOf(text, 'macros');
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.find((r) => r['macro'] === 'SSH')).toMatchObject({ ports: 'tcp/22' });
    expect(rows.find((r) => r['macro'] === 'HTTPS')?.['about']).not.toBe('');
    expect((await h.call('get_firewall_rules')).text).not.toContain('## macros');
  });

  test('node and VNet level', async () => {
    expect((await h.call('get_firewall_rules', { node: 'pve1' })).text).toContain('Firewall of node pve1: on');
    const vnet = await h.call('get_firewall_rules', { scope: 'vnet', vnet: 'labnet' });
    expect(vnet.isError).toBe(false);
    expect(vnet.text).toContain('VNet labnet');
    expect(vnet.text.split('\n')[0]).not.toMatch(/: on;/);
  });

  test.each([
    [{ scope: 'guest' }, 'Which guest?'],
    [{ scope: 'node' }, 'Which node?'],
    [{ scope: 'vnet' }, 'Which VNet?'],
    [{ vnet: 'nosuch' }, 'no VNet "nosuch"'],
    [{ vnet: 'tenant1' }, 'not applied yet'],
    [{ node: 'pve3' }, 'offline'],
    [{ node: 'pve4' }, 'Did you mean'],
    [{ vmid: 99_999 }, 'no guest 99999'],
    [{ name: 'web-1' }, 'Did you mean "web-01"?'],
  ])('%j is answered with what is wrong', async (args, said) => {
    const { isError, text } = await h.call('get_firewall_rules', args);
    expect(isError).toBe(true);
    expect(text).toContain(said);
  });

  test.each([
    [{ scope: 'cluster', vmid: 100 }, 'scope=cluster: vmid was not used.'],
    [{ scope: 'cluster', node: 'pve1', name: 'web-01' }, 'scope=cluster: node and name were not used.'],
    [{ scope: 'node', node: 'pve1', vmid: 100 }, 'scope=node: vmid was not used.'],
    [{ scope: 'vnet', vnet: 'labnet', vmid: 100 }, 'scope=vnet: vmid was not used.'],
  ])('%j says what it is not about', async (args, said) => {
    const { isError, text } = await h.call('get_firewall_rules', args);
    expect(isError).toBe(false);
    expect(text).toContain(said);
  });

  test('a release without VNet firewalls says so, and nothing of rules', async () => {
    const old = await openHarness({ release: '7.4' });
    const { isError, text } = await old.call('get_firewall_rules', { vnet: 'labnet' });
    expect(isError, text).toBe(true);
    expect(text).toContain('it came with 8.3');
    await old.close();
  });

  test('without rights it is unknown whether it is in force, not off', async () => {
    const blind = await openHarness({ demo: h.demo, role: 'noacl' });
    const { text } = await blind.call('get_firewall_rules');
    expect(text).toMatch(/unknown whether in force/);
    expect(text).toContain('needs Sys.Audit on /');
    const guest = await blind.call('get_firewall_rules', { vmid: 100 });
    expect(guest.isError).toBe(true);
    expect(guest.text).toContain('exists, but this token may not see it');
    await blind.close();
  });
});
