import { expect, test } from 'vitest';
import {
  parseAcmePlugins,
  parseCustomCpuModels,
  parseDatacenterOptions,
  parseMetricServerDetails,
  parseMetricServers,
  parseRealmSyncs,
  parseRealms,
  parseTotem,
} from './cluster-config.ts';

test('options are one line each, whether they come as text, object or list; prose is kept apart', () => {
  const { values, notes } = parseDatacenterOptions({
    migration: { type: 'secure', network: '10.0.0.0/24' },
    'registered-tags': ['b', 'a'],
    keyboard: 'de',
    max_workers: 4,
    flag: true,
    empty: '',
    description: 'long\ntext',
    'consent-text': 'YWJj',
    digest: 'x',
  });
  expect([...values]).toEqual([
    ['flag', '1'],
    ['keyboard', 'de'],
    ['max_workers', '4'],
    ['migration', 'network=10.0.0.0/24,type=secure'],
    ['registered-tags', 'b, a'],
  ]);
  expect(notes).toBe('long\ntext');
  expect(parseDatacenterOptions(null).values.size).toBe(0);
});

test('totem: figures as text, links by number', () => {
  expect(parseTotem({ cluster_name: 'h', config_version: '7', secauth: 'on', interface: { '1': {}, '0': {} } })).toMatchObject({
    clusterName: 'h',
    configVersion: 7,
    encrypted: true,
    links: [0, 1],
  });
  expect(parseTotem({ secauth: 'off' }).encrypted).toBe(false);
  expect(parseTotem(undefined)).toMatchObject({ encrypted: undefined, links: [] });
});

test('metric servers, and details that leave out what the list says already', () => {
  expect(parseMetricServers([{ id: 'b', type: 'graphite', port: '2003', disable: '1' }, { id: 'a' }, {}])).toMatchObject([
    { id: 'a', type: 'unknown', enabled: true },
    { id: 'b', port: 2003, enabled: false },
  ]);
  const attributes = Buffer.from('{"env":"prod"}').toString('base64');
  expect(
    parseMetricServerDetails({
      type: 'opentelemetry',
      server: 'x',
      port: 1,
      'otel-path': '/v1',
      'otel-resource-attributes': attributes,
    }),
  ).toBe('otel-path=/v1, otel-resource-attributes={"env":"prod"}');
  expect(parseMetricServerDetails({ type: 'graphite' })).toBeUndefined();
});

test('realms, syncs, plugins and CPU models: rows without their id fall out', () => {
  expect(parseRealms([{ realm: 'pve', type: 'pve', default: 1 }, { type: 'x' }])).toEqual([
    { realm: 'pve', type: 'pve', isDefault: true, tfa: undefined, comment: undefined },
  ]);
  expect(parseRealmSyncs([{ id: 's', enabled: 0, 'last-run': null, 'next-run': '1796025600' }, 1])).toMatchObject([
    { id: 's', enabled: false, lastRun: undefined, nextRun: 1_796_025_600 },
  ]);
  // What else a plugin has is credentials.
  expect(parseAcmePlugins([{ plugin: 'dns', type: 'dns', api: 'cf', data: 'CF_Token=x' }, {}])).toEqual([
    { id: 'dns', type: 'dns', api: 'cf' },
  ]);
  expect(parseCustomCpuModels([{ cputype: 'custom-x', 'reported-model': 'kvm64', flags: '+aes' }, {}])).toEqual([
    { name: 'custom-x', basedOn: 'kvm64', flags: '+aes' },
  ]);
});
