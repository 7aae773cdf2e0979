import { describe, expect, test } from 'vitest';
import { configJsonSchema } from './config-schema.ts';
import { failure, filesOf, load, makeCertificates, RIGHT, SECRET } from './test-support.ts';
import type { Environment } from './variables.ts';

const OTHER_SECRET = 'deadbeef-1234-4abc-8def-5ec2e75ec2e7';
const PIN = Array(32).fill('AB').join(':');
const CLUSTER = { urls: ['https://pve1.example.com'], tokenId: 'mcp@pve!assistant', tokenSecretEnv: 'MAIN_SECRET' };
const ENV: Environment = { MAIN_SECRET: SECRET };

function withConfig(config: unknown, files: Record<string, string> = {}, env: Environment = ENV) {
  const text = typeof config === 'string' ? config : JSON.stringify(config);
  return { env, flags: { config: 'etc/config.json' }, readFile: filesOf({ '/home/me/etc/config.json': text, ...files }) };
}

describe('a right file', () => {
  test('of two clusters, with everything in it', async () => {
    const { ca } = await makeCertificates();
    const settings = await load(
      withConfig(
        {
          $schema: './schema.json',
          clusters: {
            main: {
              ...CLUSTER,
              urls: ['https://a', 'https://b', 'https://a:8006'],
              caFile: 'ca.pem',
              servername: 'pve.lan',
              timeoutSeconds: 2.5,
            },
            'lab-2': {
              urls: ['https://[::1]:443'],
              tokenId: 'mcp@pam!lab',
              tokenSecretFile: '../lab.secret',
              fingerprints: [PIN],
              verifyTls: true,
              toolsets: ['default', 'logs'],
            },
          },
          toolsets: ['nodes', 'guests'],
          output: 'structured',
          maxAnswerChars: 2000,
          health: {
            ignore: [
              { id: 'PVE-Q01', on: 'pve1', reason: 'known' },
              { id: 'PVE-S12', reason: 'later' },
            ],
            thresholds: { 'storage-warning': 90 },
          },
        },
        { '/home/me/etc/ca.pem': ca, '/home/me/lab.secret': `${OTHER_SECRET}\n` },
      ),
    );
    expect([...settings.clusters.keys()]).toEqual(['main', 'lab-2']);
    expect(settings.clusters.get('main')).toMatchObject({
      name: 'main',
      urls: ['https://a:8006', 'https://b:8006'],
      tls: { verify: true, fingerprints: [], servername: 'pve.lan', caPem: expect.stringContaining('BEGIN') },
      timeoutMs: 2_500,
    });
    expect(settings.clusters.get('main')).not.toHaveProperty('toolsets');
    expect(settings.clusters.get('lab-2')).toMatchObject({
      tls: { fingerprints: [PIN] },
      timeoutMs: 10_000,
      toolsets: expect.arrayContaining(['logs']),
    });
    expect(settings.clusters.get('main')?.tokenSecret.reveal()).toBe(SECRET);
    expect(settings.clusters.get('lab-2')?.tokenSecret.reveal()).toBe(OTHER_SECRET);
    expect(settings).toMatchObject({
      toolsets: ['nodes', 'guests'],
      output: 'structured',
      maxAnswerChars: 2_000,
      health: {
        ignore: [
          { id: 'PVE-Q01', on: 'pve1', reason: 'known' },
          { id: 'PVE-S12', reason: 'later' },
        ],
        thresholds: { 'storage-warning': 90 },
      },
      warnings: [],
    });
  });

  test('the environment and flags win over it; PROXMOX_TIMEOUT is for clusters that name none', async () => {
    const options = withConfig(
      {
        clusters: { a: CLUSTER, b: { ...CLUSTER, timeoutSeconds: 3 } },
        toolsets: ['nodes'],
        output: 'text',
        maxAnswerChars: 2000,
      },
      {},
      { ...ENV, PROXMOX_TOOLSETS: 'ha', PROXMOX_OUTPUT: 'structured', PROXMOX_TIMEOUT: '20' },
    );
    const settings = await load(options);
    expect(settings).toMatchObject({ toolsets: ['ha'], output: 'structured', maxAnswerChars: 2000 });
    expect([...settings.clusters.values()].map((cluster) => cluster.timeoutMs)).toEqual([20_000, 3_000]);
  });

  test('is found by PROXMOX_CONFIG too', async () => {
    const { readFile } = withConfig({ clusters: { a: CLUSTER } });
    const settings = await load({ env: { ...ENV, PROXMOX_CONFIG: '/home/me/etc/config.json' }, readFile });
    expect(settings.clusters.size).toBe(1);
  });

  test('may take a secret from PROXMOX_TOKEN_SECRET, and with --settings from that file alone', async () => {
    const options = withConfig(
      { clusters: { a: { ...CLUSTER, tokenSecretEnv: 'PROXMOX_TOKEN_SECRET' } } },
      { '/e.env': `PROXMOX_TOKEN_SECRET=${OTHER_SECRET}\n`, '/empty.env': '' },
      { PROXMOX_TOKEN_SECRET: SECRET },
    );
    expect((await load(options)).clusters.get('a')?.tokenSecret.reveal()).toBe(SECRET);
    const fromFile = await load({ ...options, flags: { ...options.flags, envFile: '/e.env' } });
    expect(fromFile.clusters.get('a')?.tokenSecret.reveal()).toBe(OTHER_SECRET);
    const error = await failure({ ...options, flags: { ...options.flags, envFile: '/empty.env' } });
    expect(error.message).toContain('clusters.a.tokenSecretEnv: names a variable that is not set');
  });

  test('with a secret in it is warned about when others can read it', async () => {
    const text = JSON.stringify({ clusters: { a: { ...CLUSTER, tokenSecretEnv: undefined, tokenSecret: SECRET } } });
    const settings = await load({
      env: {},
      flags: { config: '/c.json' },
      readFile: filesOf({ '/c.json': { text, mode: 0o100644 } }),
    });
    expect(settings.warnings).toEqual([expect.stringContaining('--config: "/c.json" holds a secret')]);
  });
});

describe('a wrong file names the place', () => {
  const cluster = (change: object) => ({ clusters: { main: { ...CLUSTER, ...change } } });
  test.each<[unknown, string, RegExp]>([
    ['{"clusters": {},}', '--config', /not JSON/],
    ['', '--config', /not JSON/],
    [[], '--config', /a list of 0/],
    [null, '--config', /null/],
    [{}, 'clusters', /is missing/],
    [{ clusters: {} }, 'clusters', /at least one cluster/],
    [{ clusters: [] }, 'clusters', /a list of 0/],
    [{ clusters: { Main: CLUSTER } }, 'clusters.Main', /not a valid name.*lower-case/],
    [{ clusters: { all: CLUSTER } }, 'clusters.all', /not "all"/],
    [{ clusters: { '-a': CLUSTER } }, 'clusters.…', /not a valid name/],
    [{ clusters: { ['a'.repeat(33)]: CLUSTER } }, 'clusters.…', /not a valid name/],
    [{ clusters: { main: 5 } }, 'clusters.main', /"5" is not accepted/],
    [{ clusters: { main: CLUSTER }, cluster: {} }, '--config', /"cluster" is not a setting \(did you mean clusters\?\)/],
    [cluster({ urls: undefined }), 'clusters.main.urls', /is missing; use a list of base URLs/],
    [cluster({ urls: [] }), 'clusters.main.urls', /a list of 0/],
    [cluster({ urls: 'https://pve1' }), 'clusters.main.urls', /a list of base URLs/],
    [cluster({ urls: ['https://pve1', 'pve2'] }), 'clusters.main.urls[1]', /does not start with https/],
    [cluster({ urls: ['https://pve1', 7] }), 'clusters.main.urls[1]', /"7"/],
    [cluster({ url: 'x' }), 'clusters.main', /"url" is not a setting \(did you mean urls\?\)/],
    [cluster({ tokenId: 'mcp' }), 'clusters.main.tokenId', /user@realm!tokenname/],
    [cluster({ tokenId: undefined }), 'clusters.main.tokenId', /is missing/],
    [cluster({ tokenSecretEnv: undefined }), 'clusters.main.tokenSecretFile', /exactly one of/],
    [cluster({ tokenSecret: SECRET }), 'clusters.main.tokenSecret', /tokenSecretEnv are both set/],
    [cluster({ tokenSecretEnv: 'NOT_THERE' }), 'clusters.main.tokenSecretEnv', /not set/],
    [cluster({ tokenSecretEnv: 'a-b' }), 'clusters.main.tokenSecretEnv', /name of a variable/],
    [
      cluster({ tokenSecretEnv: undefined, tokenSecretFile: 'no.txt' }),
      'clusters.main.tokenSecretFile',
      /"\/home\/me\/etc\/no.txt" does not exist/,
    ],
    [cluster({ tokenSecretEnv: undefined, tokenSecret: 'short' }), 'clusters.main.tokenSecret', /UUID/],
    [cluster({ caFile: 'no.pem' }), 'clusters.main.caFile', /"\/home\/me\/etc\/no.pem" does not exist/],
    [cluster({ fingerprints: [] }), 'clusters.main.fingerprints', /a list of SHA-256/],
    [cluster({ fingerprints: ['AB:CD'] }), 'clusters.main.fingerprints', /4 hex digits/],
    [cluster({ servername: '::1' }), 'clusters.main.servername', /address/],
    [cluster({ verifyTls: 'false' }), 'clusters.main.verifyTls', /without quotes/],
    [
      cluster({ verifyTls: false, fingerprints: [PIN] }),
      'clusters.main.verifyTls',
      /clusters\.main\.fingerprints asks to verify/,
    ],
    [cluster({ timeoutSeconds: 0 }), 'clusters.main.timeoutSeconds', /"0".*from 1 to 120/],
    [cluster({ timeoutSeconds: '10' }), 'clusters.main.timeoutSeconds', /from 1 to 120/],
    [cluster({ toolsets: ['lgos'] }), 'clusters.main.toolsets[0]', /did you mean logs/],
    [{ ...cluster({}), toolsets: [] }, 'toolsets', /a list of 0/],
    [{ ...cluster({}), output: 'json' }, 'output', /"json".*"text" or "structured"/],
    [{ ...cluster({}), maxAnswerChars: 999 }, 'maxAnswerChars', /"999"/],
    [{ ...cluster({}), maxAnswerChars: 1500.5 }, 'maxAnswerChars', /"1500.5"/],
    [{ ...cluster({}), health: { ignore: [{ id: 'PVE-Q01' }] } }, 'health.ignore[0].reason', /is missing/],
    [{ ...cluster({}), health: { ignore: [{ id: 'PVE-Q01', reason: ' ' }] } }, 'health.ignore[0].reason', /a sentence/],
    [{ ...cluster({}), health: { ignore: [{ id: 'q1', reason: 'x' }] } }, 'health.ignore[0].id', /"q1".*PVE-Q01/],
    [{ ...cluster({}), health: { ignore: [{ id: 'PVE-Q01', reason: 'x', om: 'y' }] } }, 'health.ignore[0]', /did you mean on/],
    [{ ...cluster({}), health: { threshold: {} } }, 'health', /did you mean thresholds/],
    [
      { ...cluster({}), health: { thresholds: { 'storage-warnin': 90 } } },
      'health.thresholds.storage-warnin',
      /no threshold; did you mean storage-warning/,
    ],
    [{ ...cluster({}), health: { thresholds: { 'storage-warning': -1 } } }, 'health.thresholds.storage-warning', /below zero/],
    [
      { ...cluster({}), health: { thresholds: { 'storage-warning': 96 } } },
      'health.thresholds.storage-warning',
      /storage-warning \(96\) graver than storage-critical \(95\)/,
    ],
    [
      { ...cluster({}), health: { thresholds: { 'certificate-critical': 40 } } },
      'health.thresholds.certificate-critical',
      /certificate-warning \(30\) graver than certificate-critical \(40\)/,
    ],
    [{ ...cluster({}), health: { thresholds: { full: '90' } } }, 'health.thresholds.full', /"90".*numbers by threshold name/],
  ])('%j', async (config, path, words) => {
    const error = await failure(withConfig(config));
    expect(error.problems.map((problem) => problem.variable)).toEqual([path]);
    expect(error.message).toMatch(words);
    expect(error.message).not.toContain(SECRET);
  });

  test('every cluster is checked, also beside one of the wrong shape', async () => {
    const error = await failure(
      withConfig({
        clusters: { a: { ...CLUSTER, urls: 1 }, b: { ...CLUSTER, urls: ['x'] }, c: { ...CLUSTER, tokenId: 'x' } },
        output: 1,
      }),
    );
    expect(error.problems.map((problem) => problem.variable)).toEqual([
      'clusters.a.urls',
      'output',
      'clusters.b.urls[0]',
      'clusters.c.tokenId',
    ]);
  });

  test.each(['PROXMOX_URL', 'PROXMOX_TOKEN_ID', 'PROXMOX_TOKEN_SECRET', 'PROXMOX_VERIFY_TLS', 'PROXMOX_TLS_SERVERNAME'])(
    '%s beside it is refused',
    async (name) => {
      const value = RIGHT[name] ?? 'true';
      const error = await failure(withConfig({ clusters: { a: CLUSTER } }, {}, { ...ENV, [name]: value }));
      expect(error.problems.map((problem) => problem.variable)).toEqual([name]);
      expect(error.message).toContain('beside --config');
    },
  );

  test('a secret in any place of the file is not repeated', async () => {
    const places = [
      { urls: [`https://root:${SECRET}@pve1`] },
      { urls: [SECRET] },
      { tokenId: `mcp@pve!a=${SECRET}` },
      { tokenId: SECRET },
      { tokenSecretEnv: SECRET },
      { tokenSecretEnv: undefined, tokenSecretFile: SECRET },
      { tokenSecretEnv: undefined, tokenSecret: `x${SECRET}` },
      { tokenSecretEnv: undefined, tokenSecert: SECRET },
      { caFile: SECRET },
      { fingerprints: [SECRET] },
      { servername: `${SECRET}!` },
      { verifyTls: SECRET },
      { timeoutSeconds: SECRET },
      { toolsets: [SECRET] },
      { [SECRET]: 1 },
    ];
    for (const place of places) {
      const config = { clusters: { main: { ...CLUSTER, ...place } } };
      for (const text of [JSON.stringify(config), `${JSON.stringify(config)},`]) {
        const error = await failure(withConfig(text));
        const everything = [
          error.message,
          ...error.problems.flatMap((problem) => [problem.message, problem.variable, problem.accepts]),
        ].join('\n');
        expect(everything, JSON.stringify(place)).not.toMatch(/c0ffee|5ec2e7/);
      }
    }
    const asName = await failure(withConfig({ clusters: { [SECRET]: { ...CLUSTER, urls: ['x'] } } }));
    expect(asName.message).not.toMatch(/c0ffee|5ec2e7/);
  });
});

test('the JSON schema knows every setting and allows no other', () => {
  const schema = configJsonSchema();
  expect(Object.keys(schema.properties ?? {})).toEqual(['$schema', 'clusters', 'toolsets', 'output', 'maxAnswerChars', 'health']);
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    additionalProperties: false,
    required: ['clusters'],
    properties: {
      clusters: {
        minProperties: 1,
        propertyNames: { pattern: '^[a-z0-9][a-z0-9-]{0,31}$' },
        additionalProperties: { additionalProperties: false, required: ['urls', 'tokenId'], oneOf: expect.any(Array) },
      },
    },
  });
});
