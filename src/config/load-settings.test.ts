import { inspect } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { failure, filesOf, load, makeCertificates, RIGHT, SECRET } from './test-support.ts';
import { DEFAULT_TOOLSETS, TOOLSETS } from './toolsets.ts';
import type { Environment } from './variables.ts';

const PIN = Array(32).fill('AB').join(':');
const OTHER_PIN = Array(32).fill('CD').join(':');

let certificates: Awaited<ReturnType<typeof makeCertificates>>;
beforeAll(async () => {
  certificates = await makeCertificates();
});

describe('right values', () => {
  test('the least that works, with the defaults', async () => {
    const settings = await load({ env: RIGHT });
    expect([...settings.clusters.keys()]).toEqual(['default']);
    const cluster = settings.clusters.get('default');
    expect(cluster).toMatchObject({
      name: 'default',
      urls: ['https://pve1.example.com:8006'],
      tokenId: 'mcp@pve!assistant',
      tls: { verify: true, fingerprints: [] },
      timeoutMs: 10_000,
    });
    expect(cluster?.tokenSecret.reveal()).toBe(SECRET);
    expect(settings).toMatchObject({
      toolsets: DEFAULT_TOOLSETS,
      output: 'text',
      maxAnswerChars: 10_000,
      health: { ignore: [], thresholds: {} },
      warnings: [],
    });
  });

  test('the settings as a whole show no secret', async () => {
    const settings = await load({ env: RIGHT });
    expect(inspect(settings, { depth: 9 }) + JSON.stringify([...settings.clusters.values()])).not.toContain(SECRET);
  });

  test('empty variables count as not set, and space around values is dropped', async () => {
    const settings = await load({
      env: {
        PROXMOX_URL: ' https://pve1.example.com:8006 ',
        PROXMOX_TOKEN_ID: 'mcp@pve!assistant\n',
        PROXMOX_TOKEN_SECRET: `${SECRET}\r\n`,
        PROXMOX_TOKEN_SECRET_FILE: '',
        PROXMOX_VERIFY_TLS: '',
        PROXMOX_TIMEOUT: '  ',
        PROXMOX_CA_FILE: '',
        PROXMOX_TLS_FINGERPRINT: '',
        PROXMOX_TLS_SERVERNAME: '',
        PROXMOX_TOOLSETS: '',
        PROXMOX_OUTPUT: '',
        PROXMOX_MAX_ANSWER_CHARS: '',
        PROXMOX_CONFIG: '',
      },
    });
    expect(settings).toMatchObject({ toolsets: DEFAULT_TOOLSETS, output: 'text', maxAnswerChars: 10_000 });
    expect(settings.clusters.get('default')).toMatchObject({ tls: { verify: true, fingerprints: [] }, timeoutMs: 10_000 });
  });

  test.each<[string, string, unknown]>([
    ['PROXMOX_URL', 'https://a,https://b:1/pve', { urls: ['https://a:8006', 'https://b:1/pve'] }],
    ['PROXMOX_VERIFY_TLS', 'false', { tls: { verify: false, fingerprints: [] } }],
    ['PROXMOX_VERIFY_TLS', 'OFF', { tls: { verify: false, fingerprints: [] } }],
    ['PROXMOX_VERIFY_TLS', '0', { tls: { verify: false, fingerprints: [] } }],
    ['PROXMOX_VERIFY_TLS', 'no', { tls: { verify: false, fingerprints: [] } }],
    ['PROXMOX_VERIFY_TLS', 'Yes', { tls: { verify: true, fingerprints: [] } }],
    ['PROXMOX_VERIFY_TLS', 'on', { tls: { verify: true, fingerprints: [] } }],
    ['PROXMOX_VERIFY_TLS', '1', { tls: { verify: true, fingerprints: [] } }],
    ['PROXMOX_TIMEOUT', '1', { timeoutMs: 1_000 }],
    ['PROXMOX_TIMEOUT', '2.5', { timeoutMs: 2_500 }],
    ['PROXMOX_TIMEOUT', '120', { timeoutMs: 120_000 }],
    ['PROXMOX_TLS_FINGERPRINT', `${PIN.toLowerCase()}, ${OTHER_PIN}`, { tls: { verify: true, fingerprints: [PIN, OTHER_PIN] } }],
    ['PROXMOX_TLS_SERVERNAME', 'PVE1.lan', { tls: { verify: true, fingerprints: [], servername: 'pve1.lan' } }],
  ])('%s=%s', async (name, value, expected) => {
    const settings = await load({ env: { ...RIGHT, [name]: value } });
    expect(settings.clusters.get('default')).toMatchObject(Object(expected));
  });

  test.each<[string, string, unknown]>([
    ['PROXMOX_TOOLSETS', 'all', { toolsets: TOOLSETS }],
    ['PROXMOX_TOOLSETS', 'logs,nodes', { toolsets: ['nodes', 'logs'] }],
    ['PROXMOX_OUTPUT', 'Structured', { output: 'structured' }],
    ['PROXMOX_MAX_ANSWER_CHARS', '1000', { maxAnswerChars: 1_000 }],
    ['PROXMOX_MAX_ANSWER_CHARS', '40000', { maxAnswerChars: 40_000 }],
  ])('%s=%s', async (name, value, expected) => {
    expect(await load({ env: { ...RIGHT, [name]: value } })).toMatchObject(Object(expected));
  });

  test('a CA file, and a CA with a pin', async () => {
    const readFile = filesOf({ '/home/me/ca.pem': `comment\n${certificates.ca}` });
    const alone = await load({ env: { ...RIGHT, PROXMOX_CA_FILE: 'ca.pem' }, readFile });
    expect(alone.clusters.get('default')?.tls).toMatchObject({ verify: true, fingerprints: [] });
    expect(alone.clusters.get('default')?.tls.caPem).toMatch(/^-----BEGIN CERTIFICATE-----/);
    const both = await load({
      env: { ...RIGHT, PROXMOX_CA_FILE: './ca.pem', PROXMOX_TLS_FINGERPRINT: PIN, PROXMOX_VERIFY_TLS: 'true' },
      readFile,
    });
    expect(both.clusters.get('default')?.tls).toMatchObject({ verify: true, fingerprints: [PIN], caPem: expect.any(String) });
  });

  test('a secret file, with a warning when others can read it', async () => {
    const { PROXMOX_TOKEN_SECRET: _, ...rest } = RIGHT;
    const env = { ...rest, PROXMOX_TOKEN_SECRET_FILE: '/run/secrets/pve' };
    const closed = await load({ env, readFile: filesOf({ '/run/secrets/pve': `${SECRET}\n` }) });
    expect(closed.clusters.get('default')?.tokenSecret.reveal()).toBe(SECRET);
    expect(closed.warnings).toEqual([]);
    const open = await load({ env, readFile: filesOf({ '/run/secrets/pve': { text: SECRET, mode: 0o100644 } }) });
    expect(open.clusters.size).toBe(1);
    expect(open.warnings).toEqual([expect.stringMatching(/^PROXMOX_TOKEN_SECRET_FILE: "\/run\/secrets\/pve" .*mode 644/)]);
  });
});

describe('a wrong value names its variable and what it accepts', () => {
  test.each<[string, string, RegExp, RegExp]>([
    ['PROXMOX_URL', 'pve1:8006', /does not start with https/, /base URL of a node/],
    ['PROXMOX_URL', 'http://pve1:8006', /plain http/, /base URL/],
    ['PROXMOX_URL', 'https://a,,https://b', /entry 2 of 3/, /base URL/],
    ['PROXMOX_TOKEN_ID', 'mcp@pve', /no token/, /user@realm!tokenname/],
    ['PROXMOX_TOKEN_SECRET', 'password', /not a token secret/, /UUID/],
    ['PROXMOX_TOKEN_SECRET', '', /not set/, /PROXMOX_TOKEN_SECRET_FILE/],
    ['PROXMOX_URL', '', /not set/, /https:\/\/pve1\.example\.com:8006/],
    ['PROXMOX_TOKEN_ID', ' ', /not set/, /user@realm!tokenname/],
    ['PROXMOX_VERIFY_TLS', 'flase', /"flase" is not a boolean/, /^true or false$/],
    ['PROXMOX_VERIFY_TLS', '2', /"2" is not a boolean/, /^true or false$/],
    ['PROXMOX_TIMEOUT', '10s', /"10s" is not a number of seconds/, /1 to 120/],
    ['PROXMOX_TIMEOUT', '0', /out of range/, /1 to 120/],
    ['PROXMOX_TIMEOUT', '0.5', /out of range/, /1 to 120/],
    ['PROXMOX_TIMEOUT', '121', /out of range/, /1 to 120/],
    ['PROXMOX_TIMEOUT', '10000', /not milliseconds/, /1 to 120/],
    ['PROXMOX_TIMEOUT', '-1', /not a number/, /1 to 120/],
    ['PROXMOX_TIMEOUT', '1e1', /not a number/, /1 to 120/],
    ['PROXMOX_TIMEOUT', 'Infinity', /not a number/, /1 to 120/],
    ['PROXMOX_CA_FILE', '/none/ca.pem', /"\/none\/ca\.pem" does not exist/, /PEM/],
    ['PROXMOX_CA_FILE', '/x/html.pem', /no certificate/, /PEM/],
    ['PROXMOX_CA_FILE', '/x/leaf.pem', /only a server certificate/, /fingerprint/],
    ['PROXMOX_CA_FILE', '/x/key.pem', /private key/, /PEM/],
    ['PROXMOX_TLS_FINGERPRINT', PIN.slice(0, 59), /SHA-1/, /SHA-256/],
    ['PROXMOX_TLS_FINGERPRINT', `${PIN},`, /entry 2 of 2 is empty/, /SHA-256/],
    ['PROXMOX_TLS_SERVERNAME', '10.0.0.1', /address/, /host name/],
    ['PROXMOX_TOOLSETS', 'frewall', /did you mean firewall/, /comma-separated list/],
    ['PROXMOX_OUTPUT', 'json', /"json" is not a form/, /text or structured/],
    ['PROXMOX_MAX_ANSWER_CHARS', '999', /"999"/, /1000 to 40000/],
    ['PROXMOX_MAX_ANSWER_CHARS', '40001', /"40001"/, /1000 to 40000/],
    ['PROXMOX_MAX_ANSWER_CHARS', '10k', /"10k"/, /1000 to 40000/],
    ['PROXMOX_MAX_ANSWER_CHARS', '1500.5', /"1500.5"/, /1000 to 40000/],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a client leaves behind when it fills nothing in
    ['PROXMOX_TOKEN_SECRET', '${user_config.secret}', /placeholder/, /plain value/],
    ['PROXMOX_URL', '"https://pve1:8006"', /quotation marks/, /plain value/],
  ])('%s=%s', async (name, value, what, accepts) => {
    const readFile = filesOf({ '/x/html.pem': '<html>', '/x/leaf.pem': certificates.leaf, '/x/key.pem': certificates.key });
    const error = await failure({ env: { ...RIGHT, [name]: value }, readFile });
    expect(error.problems).toHaveLength(1);
    const [problem] = error.problems;
    expect(problem?.variable).toBe(name);
    expect(problem?.message.startsWith(`${name}: `)).toBe(true);
    expect(problem?.message).toMatch(what);
    expect(problem?.accepts).toMatch(accepts);
    expect(problem?.message.endsWith(`; use ${problem.accepts}`)).toBe(true);
    expect(error.message).toContain(problem?.message);
  });

  test('all problems are told at once', async () => {
    const error = await failure({
      env: { PROXMOX_URL: 'pve1', PROXMOX_VERIFY_TLS: 'flase', PROXMOX_TIMEOUT: 'x', PROXMOX_OUTPUT: 'y', PROXMOX_TOOLSETS: 'z' },
    });
    expect(new Set(error.problems.map((problem) => problem.variable))).toEqual(
      new Set([
        'PROXMOX_URL',
        'PROXMOX_TOKEN_ID',
        'PROXMOX_TOKEN_SECRET',
        'PROXMOX_VERIFY_TLS',
        'PROXMOX_TIMEOUT',
        'PROXMOX_OUTPUT',
        'PROXMOX_TOOLSETS',
      ]),
    );
    expect(error.message.split('\n')).toHaveLength(8);
  });

  test('names that other programs use are recognised where ours is missing', async () => {
    const error = await failure({ env: { PROXMOX_HOST: 'pve1', PROXMOX_TOKEN_VALUE: SECRET } });
    expect(error.message).toContain('PROXMOX_URL: is not set (PROXMOX_HOST is set, but not used)');
    expect(error.message).toContain('PROXMOX_TOKEN_SECRET: is not set (PROXMOX_TOKEN_VALUE is set, but not used)');
  });
});

describe('misspelt variables', () => {
  test.each([
    ['PROXMOX_VERIFY_SSL', 'false', 'PROXMOX_VERIFY_TLS'],
    ['PROXMOX_VERFIY_TLS', 'false', 'PROXMOX_VERIFY_TLS'],
    ['PROXMOX_TOOLSET', 'all', 'PROXMOX_TOOLSETS'],
    ['PROXMOX_TLS_FINGERPRINTS', 'x', 'PROXMOX_TLS_FINGERPRINT'],
    ['PROXMOX_URLS', 'https://a', 'PROXMOX_URL'],
    ['proxmox_timeout', '5', 'PROXMOX_TIMEOUT'],
    ['Proxmox_Ca_File', 'x', 'PROXMOX_CA_FILE'],
    ['PROXMOX_VERFIY_TLS', '', 'PROXMOX_VERIFY_TLS'],
  ])('%s=%s', async (written, value, meant) => {
    const error = await failure({ env: { ...RIGHT, [written]: value } });
    expect(error.problems.map(({ variable, accepts }) => [variable, accepts])).toEqual([[written, meant]]);
  });

  test('one slip is one problem, also for a variable that must be set', async () => {
    const { PROXMOX_URL, ...rest } = RIGHT;
    const error = await failure({ env: { ...rest, PROXMOX_URI: PROXMOX_URL } });
    expect(error.problems.map((problem) => problem.variable)).toEqual(['PROXMOX_URI']);
  });

  test('variables of other programs are left alone', async () => {
    const others = {
      PROXMOX_NODE: 'pve1',
      PROXMOX_USER: 'root@pam',
      PROXMOX_VE_ENDPOINT: 'x',
      PROXMOXER_URL: 'x',
      HOME: '/home/me',
      URL: 'x',
    };
    await expect(load({ env: { ...RIGHT, ...others } })).resolves.toBeDefined();
  });
});

describe('settings that contradict each other', () => {
  const readFile = () => filesOf({ '/ca.pem': certificates.ca, '/secret': SECRET });
  test.each<[string, Environment, string, RegExp]>([
    ['a secret twice', { PROXMOX_TOKEN_SECRET_FILE: '/secret' }, 'PROXMOX_TOKEN_SECRET', /both set/],
    [
      'no checks with a CA',
      { PROXMOX_VERIFY_TLS: 'false', PROXMOX_CA_FILE: '/ca.pem' },
      'PROXMOX_VERIFY_TLS',
      /PROXMOX_CA_FILE asks to verify/,
    ],
    [
      'no checks with a pin',
      { PROXMOX_VERIFY_TLS: '0', PROXMOX_TLS_FINGERPRINT: PIN },
      'PROXMOX_VERIFY_TLS',
      /PROXMOX_TLS_FINGERPRINT asks/,
    ],
    [
      'a pin over http',
      { PROXMOX_URL: 'http://127.0.0.1', PROXMOX_TLS_FINGERPRINT: PIN },
      'PROXMOX_TLS_FINGERPRINT',
      /no effect/,
    ],
    ['a CA over http', { PROXMOX_URL: 'http://127.0.0.1', PROXMOX_CA_FILE: '/ca.pem' }, 'PROXMOX_CA_FILE', /no effect/],
    ['a config file beside a URL', { PROXMOX_CONFIG: '/none.json' }, 'PROXMOX_URL', /PROXMOX_CONFIG/],
  ])('%s', async (_, env, variable, words) => {
    const error = await failure({ env: { ...RIGHT, ...env }, readFile: readFile() });
    const problem = error.problems.find((one) => one.variable === variable);
    expect(problem?.message).toMatch(words);
  });

  test('no checks with another server name is no contradiction', async () => {
    const settings = await load({ env: { ...RIGHT, PROXMOX_VERIFY_TLS: 'false', PROXMOX_TLS_SERVERNAME: 'pve1' } });
    expect(settings.clusters.get('default')?.tls).toEqual({ verify: false, fingerprints: [], servername: 'pve1' });
  });

  test('a misspelt boolean never turns checks off', async () => {
    const error = await failure({ env: { ...RIGHT, PROXMOX_VERIFY_TLS: 'fals' } });
    expect(error.problems).toHaveLength(1);
  });
});

describe('flags', () => {
  const env = { ...RIGHT, PROXMOX_TOOLSETS: 'nodes', PROXMOX_OUTPUT: 'text' };

  test('win over the environment', async () => {
    expect(await load({ env, flags: { toolsets: 'logs', output: 'structured' } })).toMatchObject({
      toolsets: ['logs'],
      output: 'structured',
    });
    expect(await load({ env, flags: { structured: true } })).toMatchObject({ toolsets: ['nodes'], output: 'structured' });
    expect(await load({ env, flags: { structured: true, output: 'structured' } })).toMatchObject({ output: 'structured' });
    expect(
      await load({ env: { ...env, PROXMOX_OUTPUT: 'structured' }, flags: { output: 'text', structured: false } }),
    ).toMatchObject({
      output: 'text',
    });
  });

  test.each<[Record<string, string | boolean>, string]>([
    [{ toolsets: '' }, '--toolsets'],
    [{ toolsets: 'lgos' }, '--toolsets'],
    [{ output: 'xml' }, '--output'],
    [{ output: 'text', structured: true }, '--structured'],
    [{ envFile: 'none.env' }, '--settings'],
    [{ config: 'none.json' }, '--config'],
  ])('%j fails by the name of the flag', async (flags, name) => {
    const error = await failure({ env: flags.config === undefined ? env : {}, flags });
    expect(error.problems.map((problem) => problem.variable)).toContain(name);
  });
});

describe('--settings', () => {
  const text = `PROXMOX_URL=https://file.example.com\nPROXMOX_TOKEN_ID=file@pve!t1\nPROXMOX_TOKEN_SECRET=${SECRET}\nPROXMOX_TIMEOUT=7\nPROXMOX_TOOLSETS=ha\n`;
  const flags = { envFile: 'conf/my.env' };
  const readFile = filesOf({ '/home/me/conf/my.env': text });

  test('gives the settings; the environment wins where it is no matter of the connection', async () => {
    const settings = await load({ env: { PROXMOX_TIMEOUT: '9' }, flags, readFile });
    expect(settings.toolsets).toEqual(['ha']);
    expect(settings.clusters.get('default')).toMatchObject({ urls: ['https://file.example.com:8006'], timeoutMs: 9_000 });
    expect(settings.warnings).toEqual([]);
  });

  test('is the only source of the connection, and says what it sets aside', async () => {
    const env = { ...RIGHT, PROXMOX_VERIFY_TLS: 'false', PROXMOX_CONFIG: '/x.json', PROXMOX_TLS_SERVERNAME: '' };
    const settings = await load({ env, flags, readFile });
    expect(settings.clusters.get('default')).toMatchObject({
      urls: ['https://file.example.com:8006'],
      tokenId: 'file@pve!t1',
      tls: { verify: true },
    });
    expect(settings.warnings).toEqual([
      '--settings gives the connection: PROXMOX_URL, PROXMOX_TOKEN_ID, PROXMOX_TOKEN_SECRET, PROXMOX_VERIFY_TLS, PROXMOX_CONFIG of the environment are not used',
    ]);
  });

  test.each(['PROXMOX_URL', 'PROXMOX_TOKEN_ID', 'PROXMOX_TOKEN_SECRET'])(
    '%s missing in the file is not taken from the environment',
    async (name) => {
      const without = text.replace(new RegExp(`^${name}=.*\n`, 'm'), '');
      const error = await failure({ env: RIGHT, flags, readFile: filesOf({ '/home/me/conf/my.env': without }) });
      expect(error.problems.map((problem) => problem.variable)).toEqual([name]);
      expect(error.message).toContain('that of the environment is not used');
    },
  );

  test('a file that cannot be read does not fall back to the environment', async () => {
    const error = await failure({ env: RIGHT, flags });
    expect(error.message).toContain('--settings: "/home/me/conf/my.env" does not exist');
  });

  test("paths in it start at the file's folder", async () => {
    const inFile = text.replace(/PROXMOX_TOKEN_SECRET=.*/, 'PROXMOX_TOKEN_SECRET_FILE=secret.txt');
    const settings = await load({
      env: {},
      flags,
      readFile: filesOf({ '/home/me/conf/my.env': inFile, '/home/me/conf/secret.txt': SECRET }),
    });
    expect(settings.clusters.size).toBe(1);
  });

  test('a misspelt variable in it is told; one of the environment that is set aside is not', async () => {
    const wrong = filesOf({ '/home/me/conf/my.env': `${text}PROXMOX_VERIFY_SSL=false\n` });
    const error = await failure({ env: {}, flags, readFile: wrong });
    expect(error.problems.map((problem) => problem.variable)).toEqual(['PROXMOX_VERIFY_SSL']);
    await expect(load({ env: { PROXMOX_VERIFY_SSL: 'false' }, flags, readFile })).resolves.toBeDefined();
    await expect(load({ env: { PROXMOX_TOOLSET: 'all' }, flags, readFile })).rejects.toThrow('PROXMOX_TOOLSETS');
  });

  test('a warning when others can read a file with a secret in it', async () => {
    const settings = await load({ env: {}, flags, readFile: filesOf({ '/home/me/conf/my.env': { text, mode: 0o100664 } }) });
    expect(settings.warnings).toEqual([expect.stringContaining('mode 664')]);
  });

  test('a .env in the working directory is never read by itself', async () => {
    const read: string[] = [];
    const spy = (path: string) => {
      read.push(path);
      return { text };
    };
    await failure({ env: {}, readFile: spy });
    await load({ env: RIGHT, readFile: spy });
    expect(read).toEqual([]);
  });
});

test('clusters that the caller brings need no connection, and none is read', async () => {
  const clusters = (await load({ env: RIGHT })).clusters;
  const env = { PROXMOX_URL: 'nonsense', PROXMOX_VERIFY_SSL: 'x', PROXMOX_CONFIG: '/none', PROXMOX_OUTPUT: 'structured' };
  const settings = await load({ env, clusters });
  expect(settings).toMatchObject({ clusters, output: 'structured', toolsets: DEFAULT_TOOLSETS });
  await expect(load({ env: { PROXMOX_TOOLSET: 'all' }, clusters })).rejects.toThrow('PROXMOX_TOOLSETS');
});
