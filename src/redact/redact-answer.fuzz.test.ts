import { expect, it } from 'vitest';
import { redactAnswer } from './redact-answer.ts';

/** A small seeded generator (mulberry32), so that a failing round can be repeated. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const SECRET_NAMES =
  'password Password passwd cipassword secret client-key client_secret clientSecret api_key apiKey apikey token_secret access_token auth-key private-key psk wpa-psk passphrase credentials authkey truenas_api_key smb_password chap.secret bind-password db_password2 X-Api-Key'.split(
    ' ',
  );

const TEMPLATES = [
  '/nodes/{node}/qemu/{vmid}/config',
  '/nodes/{node}/lxc/{vmid}/pending',
  '/storage',
  '/cluster/options',
  '/access/domains/{realm}',
  '/cluster/sdn/ipams',
  '/cluster/notifications/endpoints/webhook',
  '/nodes/{node}/network',
  '/nodes/{node}/tasks/{upid}/log',
  '/cluster/resources',
  '/nobody/knows/{this}',
];

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!$%^*+~';

/** A made-up secret that can't be mistaken for a switch or a placeholder. */
function makeSecret(random: () => number): string {
  let secret = 'zQ7';
  for (let i = 0; i < 12; i += 1) secret += CHARACTERS[Math.floor(random() * CHARACTERS.length)] ?? '';
  return `${secret}9x`;
}

/** Places the secret under a secret name, in one of the ways answers do. */
function plant(name: string, secret: string, random: () => number): unknown {
  const ways: (() => unknown)[] = [
    () => ({ [name]: secret }),
    () => ({ [name]: [secret, secret] }),
    () => ({ [name]: { user: 'bob', inner: [secret] } }),
    () => ({ key: name, value: secret, pending: `${secret} ` }),
    () => ({ key: name, old: secret, new: secret }),
    () => ({ name, value: secret, section: 'global' }),
    () => ({ option: name, default: secret }),
    () => [[name, secret]],
    () => ({ lxc: [['lxc.environment', `${name}=${secret}`]] }),
    () => ({ env: `A=1\0${name}=${secret}%00B=2` }),
    () => ({ foo: `a=1,${name}=${secret},b=2` }),
    () => ({ foo: `a=1;${name}=${secret};b=2` }),
    () => ({ foo: `${name}=${secret}\0b=2` }),
    () => ({ foo: encodeURIComponent(`a=1,${name}=${secret}`) }),
    () => ({ foo: base64(`{"${name}":"${secret}"}`) }),
    () => ({ foo: `https://bob:${encodeURIComponent(secret)}@host.example/x` }),
    () => ({ foo: `https://host.example/x?a=1&${name.replaceAll('.', '_')}=${encodeURIComponent(secret)}` }),
    () => ({ description: `# notes\n\n${name}: ${secret}\nmore` }),
    () => ({ description: `{"${name}": "${secret}"}` }),
    () => ({ notes: `run --${name.replace(/[^\w-]/g, '-')} ${secret} now` }),
    () => ({ pending: { [name]: secret }, state: 'changed' }),
    () => ({ 'otel-headers': base64(JSON.stringify({ Authorization: `Bearer ${secret}` })) }),
    () => ({ header: [{ name: 'Authorization', value: base64(`Bearer ${secret}`) }] }),
    () => ({ args: `-device x -object secret,id=s,data=${secret}` }),
  ];
  return ways[Math.floor(random() * ways.length)]?.();
}

/** Puts a value somewhere inside objects and lists of harmless things. */
function nest(value: unknown, random: () => number): unknown {
  let nested = value;
  for (let depth = Math.floor(random() * 6); depth > 0; depth -= 1) {
    const way = Math.floor(random() * 3);
    if (way === 0) nested = { id: 'qemu/100', data: nested, node: 'pve1' };
    else if (way === 1) nested = [{ vmid: 100, name: 'web' }, nested, 'x', null];
    else nested = { pending: nested, value: 1 };
  }
  return nested;
}

it('lets no secret through, however it is nested and encoded', () => {
  for (let seed = 1; seed <= 6000; seed += 1) {
    const random = generator(seed);
    const secret = makeSecret(random);
    const name = SECRET_NAMES[Math.floor(random() * SECRET_NAMES.length)] ?? 'password';
    const template = TEMPLATES[Math.floor(random() * TEMPLATES.length)] ?? '/';
    const data = nest(plant(name, secret, random), random);
    const { value, redacted, where } = redactAnswer(template, { data });
    const after = JSON.stringify([value, where]);
    const planted = JSON.stringify(data);
    const context = `seed ${seed}: ${template} ${planted} -> ${after}`;
    expect(redacted, context).toBeGreaterThan(0);
    expect(after, context).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect(after, context).not.toContain(encodeURIComponent(secret));
    // In base64 the middle of the secret gives one of three texts.
    for (const offset of [0, 1, 2]) {
      const whole = base64('x'.repeat(offset) + secret);
      expect(after, context).not.toContain(whole.slice(4, 16));
    }
  }
});

it('changes nothing in answers without secrets, however they are nested', () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    const random = generator(seed);
    const data = nest({ cores: 2, keyboard: 'de', net0: 'virtio=BC:24:11:AA:BB:01,bridge=vmbr0', tokenid: 'secret' }, random);
    const answer = { data };
    expect(redactAnswer(TEMPLATES[seed % TEMPLATES.length] ?? '/', answer).value).toBe(answer);
  }
});

it('survives random garbage', () => {
  const pieces = [
    'password',
    '=',
    ':',
    '"',
    "'",
    '`',
    '\n',
    '\0',
    '%00',
    '%',
    '://',
    '@',
    '-----BEGIN PRIVATE KEY-----',
    '$6$',
    'UPID:',
    '!',
    '[',
    ']',
    '<',
    '|',
    ' ',
    'x1',
    '\\',
    'chpasswd:',
    '  list: |',
    'token',
    '\ud800',
    '--',
  ];
  const templates = [
    ...TEMPLATES,
    '/nodes/{node}/qemu/{vmid}/cloudinit/dump',
    '/nodes/{node}/vzdump/extractconfig',
    '/nodes/{node}/ceph/cfg/raw',
  ];
  for (let seed = 1; seed <= 3000; seed += 1) {
    const random = generator(seed);
    let text = '';
    for (let i = Math.floor(random() * 30); i >= 0; i -= 1) text += pieces[Math.floor(random() * pieces.length)] ?? '';
    const template = templates[seed % templates.length] ?? '/';
    const once = redactAnswer(template, {
      data: seed % 2 === 0 ? text : { description: text, foo: text, sshkeys: text, lxc: [[text, text]] },
    });
    expect(once.redacted).toBeGreaterThanOrEqual(0);
    expect(JSON.stringify(once.value)).toBeTypeOf('string');
  }
});
