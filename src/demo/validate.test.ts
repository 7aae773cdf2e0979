import { describe, expect, test } from 'vitest';
import { compileEndpoints } from './endpoints.ts';
import { loadFacts } from './facts.ts';
import { parseForm } from './request-target.ts';
import { compileParameters } from './validate.ts';

const facts = await loadFacts('9.2.11');

function errorsOf(template: string, values: string) {
  const endpoint = facts[template];
  if (endpoint === undefined) throw new Error(`no facts for ${template}`);
  return compileParameters(endpoint.params)(parseForm(values));
}

test.each(['7.4', '8.4', '9.0', '9.2.11'] as const)(
  'the facts of %s compile: every permission and pattern is understood',
  async (release) => {
    const release_ = await loadFacts(release);
    expect(Object.keys(release_).length).toBeGreaterThan(270);
    expect(() => compileEndpoints(release_)).not.toThrow();
  },
);

describe('texts as the real API gives them', () => {
  test.each([
    ['/nodes', 'foo=bar', { foo: 'property is not defined in schema and the schema does not allow additional properties' }],
    [
      '/nodes/{node}/tasks',
      'node=pve1&limit=abc&errors=maybe&foo=1&userfilter=x',
      {
        foo: 'property is not defined in schema and the schema does not allow additional properties',
        limit: "type check ('integer') failed - got 'abc'",
        errors: "type check ('boolean') failed - got 'maybe'",
      },
    ],
    ['/nodes/{node}/rrddata', 'node=pve1', { timeframe: 'property is missing and it is not optional' }],
    [
      '/nodes/{node}/rrddata',
      'node=pve1&timeframe=century',
      { timeframe: "value 'century' does not have a value in the enumeration 'hour, day, week, month, year, decade'" },
    ],
    ['/nodes/{node}/qemu', 'node=pve1&full=true', { full: "type check ('boolean') failed - got 'true'" }],
    ['/nodes/{node}/tasks', 'node=pve1&limit=-1', { limit: 'value must have a minimum value of 0' }],
    ['/nodes/{node}/tasks', 'node=pve1&limit=1.5', { limit: "type check ('integer') failed - got '1.5'" }],
    ['/nodes/{node}/tasks', 'node=pve1&limit=1e3', { limit: "type check ('integer') failed - got '1e3'" }],
    ['/nodes/{node}/tasks', 'node=pve1&limit=1&limit=2', { limit: "type check ('integer') failed - got ARRAY" }],
    ['/nodes/{node}/tasks', 'node=pve1&vmid=', { vmid: "type check ('integer') failed - got ''" }],
    [
      '/nodes/{node}/qemu/{vmid}/config',
      'node=pve1&vmid=5',
      { vmid: 'invalid format - value does not look like a valid VM ID\n' },
    ],
    [
      '/cluster/resources',
      'type=network',
      { type: "value 'network' does not have a value in the enumeration 'vm, storage, node, sdn'" },
    ],
  ])('%s?%s', (template, values, expected) => {
    expect(errorsOf(template, values)).toEqual(expected);
  });
});

describe('what is right passes', () => {
  test.each([
    ['/nodes/{node}/tasks', 'node=pve1&limit=0&errors=1&typefilter=a+b;statusfilter=ok,error'],
    ['/nodes/{node}/storage/{storage}/prunebackups', 'node=pve1&storage=nfs-media&prune-backups=keep-all%3D1&vmid=100&type=qemu'],
    ['/nodes/{node}/storage/{storage}/content', 'node=pve1&storage=local&content=backup'],
    ['/access/permissions', 'userid=mcp%40pve%21readonly&path=/vms'],
    ['/nodes/{node}/qemu/{vmid}/agent/file-read', 'node=pve1&vmid=100&file=/etc/hostname&count=16777216'],
    ['/nodes/{node}/hardware/pci/{pci-id-or-mapping}', 'node=pve1&pci-id-or-mapping=0000:01:00.0'],
    ['/cluster/ha/resources/{sid}', 'sid=vm:100'],
    ['/pools', 'poolid=prod%2Fweb'],
  ])('%s?%s', (template, values) => {
    expect(errorsOf(template, values)).toBeUndefined();
  });
});

describe('what is wrong does not', () => {
  test.each([
    [
      '/nodes/{node}/storage/{storage}/prunebackups',
      'node=pve1&storage=nfs-media&prune-backups=keep-all%3D1,keep-last%3D1',
      'prune-backups',
    ],
    ['/nodes/{node}/storage/{storage}/prunebackups', 'node=pve1&storage=nfs-media&prune-backups=all', 'prune-backups'],
    ['/nodes/{node}/storage/{storage}/content', 'node=pve1&storage=local&content=backups', 'content'],
    ['/access/permissions', 'userid=mcp', 'userid'],
    ['/nodes/{node}/qemu/{vmid}/agent/file-read', 'node=pve1&vmid=100&file=/x&count=16777217', 'count'],
    ['/nodes/{node}/tasks', 'node=pve_1', 'node'],
    ['/nodes/{node}/storage/{storage}/status', 'node=pve1&storage=bad_', 'storage'],
    ['/nodes/{node}/qemu/{vmid}/config', 'node=pve1&vmid=100&snapshot=1bad', 'snapshot'],
    ['/nodes/{node}/qemu/{vmid}/config', `node=pve1&vmid=100&snapshot=${'a'.repeat(41)}`, 'snapshot'],
  ])('%s?%s', (template, values, name) => {
    expect(Object.keys(errorsOf(template, values) ?? {})).toEqual([name]);
  });
});
