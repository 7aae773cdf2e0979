import { describe, expect, it } from 'vitest';
import { endpointsOf, matchTemplate, pathParamNames, RELEASES, validateRequest } from './facts.ts';

describe('facts of the releases', () => {
  it.each(RELEASES)('%s parses and has the endpoints everything rests on', (release) => {
    const facts = endpointsOf(release);
    expect(facts.size).toBeGreaterThan(250);
    for (const template of ['/version', '/nodes', '/cluster/resources', '/nodes/{node}/tasks', '/access/permissions', '/storage'])
      expect(facts.has(template), `${template} in ${release}`).toBe(true);
  });

  it.each(RELEASES)('%s declares every path parameter, and only patterns that compile', (release) => {
    for (const [template, { params }] of endpointsOf(release)) {
      for (const name of pathParamNames(template)) expect(params, template).toHaveProperty(name);
      for (const name of Object.keys(params)) expect(() => validateRequest(release, template, { [name]: 'x' })).not.toThrow();
    }
  });
});

describe('validateRequest', () => {
  const latest = (template: string, query: Record<string, string>, pathParams: Record<string, string> = {}) =>
    validateRequest('9.2.11', template, query, pathParams);

  it('takes valid requests', () => {
    expect(latest('/cluster/resources', { type: 'vm' })).toEqual([]);
    expect(
      latest('/nodes/{node}/tasks', { limit: '0', errors: '1', source: 'all', vmid: '100', statusfilter: 'error,warning' }),
    ).toEqual([]);
    expect(latest('/nodes/{node}/storage/{storage}/prunebackups', { 'prune-backups': 'keep-all=1' })).toEqual([]);
    expect(latest('/nodes/{node}/syslog', { since: '2026-11-30 07:00:00' })).toEqual([]);
    expect(latest('/access/permissions', { userid: 'mcp@pve!readonly', path: '/vms/100' })).toEqual([]);
    expect(latest('/pools', { poolid: 'prod/web' })).toEqual([]);
  });

  it('refuses what the real API answered 400', () => {
    expect(latest('/nodes', { foo: 'bar' })).toEqual(['foo: unknown parameter']);
    expect(latest('/cluster/tasks', { limit: '5' })).toEqual(['limit: unknown parameter']);
    expect(latest('/nodes/{node}/rrddata', {})).toEqual(['timeframe: required parameter is missing']);
    expect(latest('/nodes/{node}/rrddata', { timeframe: 'century' })[0]).toContain("'century' is not one of hour, day");
    expect(latest('/cluster/resources', { type: 'network' })).toHaveLength(1);
    expect(latest('/nodes/{node}/tasks', { limit: '-1' })).toEqual(['limit: below the minimum of 0']);
    expect(latest('/nodes/{node}/tasks', { limit: '1.5' })).toEqual(["limit: not an integer: '1.5'"]);
    expect(latest('/nodes/{node}/tasks', { limit: '1e3' })).toHaveLength(1);
    expect(latest('/nodes/{node}/tasks', { vmid: '' })).toHaveLength(1);
    expect(latest('/nodes/{node}/tasks', { vmid: '99' })).toEqual(['vmid: below the minimum of 100']);
    expect(latest('/nodes/{node}/tasks', { vmid: '1000000000' })).toEqual(['vmid: above the maximum of 999999999']);
    for (const value of ['true', 'yes', 'on', 'maybe', ''])
      expect(latest('/nodes/{node}/qemu', { full: value })).toEqual([`full: not a boolean (0 or 1): '${value}'`]);
    expect(latest('/nodes/{node}/tasks', { statusfilter: 'failed' })).toHaveLength(1);
    expect(latest('/nodes/{node}/storage/{storage}/content', { content: 'backup,iso' })).toHaveLength(1);
    expect(latest('/nodes/{node}/qemu/{vmid}/config', { snapshot: 'a'.repeat(41) })).toHaveLength(1);
  });

  it('names every wrong parameter at once', () => {
    expect(latest('/nodes/{node}/tasks', { limit: 'abc', errors: 'maybe', foo: '1', userfilter: 'x' })).toHaveLength(3);
  });

  it('checks path parameters when they are given, and refuses a query key that repeats one', () => {
    expect(latest('/nodes/{node}/qemu/{vmid}/config', {}, { node: 'pve1', vmid: '100' })).toEqual([]);
    expect(latest('/nodes/{node}/qemu/{vmid}/config', {}, { node: 'pve1', vmid: 'abc' })).toEqual([
      "vmid: not an integer: 'abc'",
    ]);
    expect(latest('/nodes/{node}/status', {}, { node: 'bad_node!' })).toHaveLength(1);
    expect(latest('/nodes/{node}/qemu/{vmid}/config', { vmid: '101' }, { node: 'pve1', vmid: '100' })).toEqual([
      'vmid: is already given by the path',
    ]);
    expect(latest('/nodes/{node}/status', { node: 'pve2' })).toHaveLength(1);
  });

  it('knows what a release does not have', () => {
    expect(validateRequest('7.4', '/cluster/ha/rules', {})).toEqual(['/cluster/ha/rules: unknown endpoint in 7.4']);
    expect(validateRequest('8.4', '/cluster/ha/rules', {})).toHaveLength(1);
    expect(validateRequest('9.0', '/cluster/ha/rules', {})).toEqual([]);
    expect(validateRequest('7.4', '/pools', { poolid: 'prod' })).toEqual(['poolid: unknown parameter']);
    expect(validateRequest('8.4', '/pools', { poolid: 'prod' })).toEqual([]);
    expect(validateRequest('8.4', '/nodes/{node}/rrddata', { timeframe: 'decade' })).toHaveLength(1);
  });
});

describe('matchTemplate', () => {
  it('prefers literal segments', () => {
    expect(matchTemplate('9.2.11', '/cluster/sdn/fabrics/all')?.template).toBe('/cluster/sdn/fabrics/all');
    expect(matchTemplate('9.2.11', '/nodes/pve1/qemu/100/status/current')).toEqual({
      template: '/nodes/{node}/qemu/{vmid}/status/current',
      params: { node: 'pve1', vmid: '100' },
    });
  });

  it('takes the rest of the path for values that may hold slashes', () => {
    expect(matchTemplate('9.2.11', '/nodes/pve1/storage/local/content/local:iso/x.iso')?.params.volume).toBe('local:iso/x.iso');
    expect(matchTemplate('9.2.11', '/cluster/firewall/ipset/lan/10.0.0.0/24')?.params.cidr).toBe('10.0.0.0/24');
    // Nested pools have to be asked for with /pools?poolid=.
    expect(matchTemplate('9.2.11', '/pools/prod/web')).toBeUndefined();
  });

  it('finds nothing for paths that do not exist', () => {
    expect(matchTemplate('9.2.11', '/nope')).toBeUndefined();
    expect(matchTemplate('9.2.11', '/nodes/pve1/nope')).toBeUndefined();
    expect(matchTemplate('9.2.11', '/version/x')).toBeUndefined();
  });
});
