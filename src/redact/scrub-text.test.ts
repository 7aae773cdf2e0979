import { describe, expect, it } from 'vitest';
import { createScrubber, scrubFreeText } from './scrub-text.ts';

const UUID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const BEARER = `mcpx_${'Q0FOQVJZ-_1a'.repeat(4).slice(0, 43)}`;
const ODD = 'p4ss/w+rd=ümlaut?&'; // a secret with everything that encodings treat specially

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
const base64url = (text: string) => Buffer.from(text, 'utf8').toString('base64url');
const hex = (text: string) => Buffer.from(text, 'utf8').toString('hex');
const percentAll = (text: string) => hex(text).replace(/../g, '%$&');

describe('createScrubber: own secrets', () => {
  const { text, value } = createScrubber([UUID, ODD, 'mcp@pve!ro=short']);

  it.each([
    ['plain', `before ${UUID} after`],
    ['upper case', UUID.toUpperCase()],
    ['without dashes', UUID.replaceAll('-', '')],
    ['without dashes, upper case', UUID.replaceAll('-', '').toUpperCase()],
    ['base64', base64(UUID)],
    ['base64, one byte before', base64(`:${UUID}`)],
    ['base64, two bytes before', base64(`a:${UUID}`)],
    ['base64 of user and secret', base64(`mcp@pve!ro:${UUID} tail`)],
    ['base64 of upper case', base64(`Basic ${UUID.toUpperCase()}`)],
    ['base64 without dashes', base64(`x${UUID.replaceAll('-', '')}`)],
    ['base64url', base64url(`a:${UUID}`)],
    ['base64 in lines', base64(`xy${UUID}`).replace(/.{20}/g, '$&\n')],
    ['hex', hex(UUID)],
    ['hex, upper case', hex(UUID).toUpperCase()],
    ['hex with colons', hex(UUID).replace(/..(?=.)/g, '$&:')],
    ['percent-encoded throughout', percentAll(UUID)],
    ['percent-encoded dashes', UUID.replaceAll('-', '%2D')],
    ['JSON escapes', UUID.replaceAll('7', '\\u0037')],
    ['HTML escapes', UUID.replaceAll('-', '&#45;').replaceAll('e', '&#x65;')],
    ['cut short by an ellipsis', `${UUID.slice(0, 20)}…`],
  ])('hides a UUID: %s', (_name, input) => {
    const result = text(`<${input}>`);
    expect(result.redacted).toBeGreaterThan(0);
    expect(result.text).toContain('[redacted]');
    for (const form of [UUID, UUID.replaceAll('-', ''), UUID.slice(0, 18), hex(UUID).slice(0, 16)]) {
      expect(result.text.toLowerCase()).not.toContain(form);
    }
    // what is left is what stood around the secret
    expect(result.text.replaceAll('[redacted]', '').length).toBeLessThan(32);
  });

  it.each([
    ['plain', ODD],
    ['percent', encodeURIComponent(ODD)],
    ['percent throughout', percentAll(ODD)],
    ['base64', base64(ODD)],
    ['base64url', base64url(ODD)],
    ['base64 at another alignment', base64(`.${ODD}`)],
    ['base64 at the third alignment', base64(`..${ODD}`)],
    ['base64 with percent-encoded signs', encodeURIComponent(base64(`..${ODD}`))],
    ['hex', hex(ODD)],
    ['JSON', JSON.stringify(ODD).replaceAll('ü', '\\u00fc')],
  ])('hides a secret with special characters: %s', (_name, input) => {
    expect(text(`a ${input} b`).redacted).toBeGreaterThan(0);
    expect(text(`a ${input} b`).text.replaceAll('[redacted]', '').length).toBeLessThan(12);
  });

  it('counts each and gives the same string back where there is none', () => {
    expect(text(`${UUID} ${UUID}`)).toEqual({ text: '[redacted] [redacted]', redacted: 2 });
    const clean = 'nothing here';
    expect(text(clean)).toEqual({ text: clean, redacted: 0 });
  });

  it('goes through keys and values of any depth, and keeps the reference of what is clean', () => {
    const clean = { list: [1, 'a', null, { b: true }] };
    expect(value(clean).value).toBe(clean);
    const dirty = { list: [clean, { [UUID]: `x${UUID}` }], n: 1 };
    const result = value(dirty);
    expect(result.redacted).toBe(2);
    expect(result.value).toEqual({ list: [clean, { '[redacted]': 'x[redacted]' }], n: 1 });
    expect(dirty.list[1]).toEqual({ [UUID]: `x${UUID}` }); // the input is not touched
  });

  it('hides what is nested too deep to be read', () => {
    let deep: unknown = UUID;
    for (let i = 0; i < 500; i += 1) deep = [deep];
    const result = value(deep);
    expect(JSON.stringify(result.value)).not.toContain(UUID);
    expect(result.redacted).toBe(1);
  });

  it('ignores secrets too short to be told from words', () => {
    expect(createScrubber(['', 'a', 'abc']).text('abc a')).toEqual({ text: 'abc a', redacted: 0 });
    expect(createScrubber(['abcd']).text('xabcdx').text).toBe('x[redacted]x');
    expect(createScrubber([]).text('x').redacted).toBe(0);
  });

  it('hides the longer of two secrets whole', () => {
    expect(createScrubber(['secret-one', 'secret-one-and-more']).text('secret-one-and-more').text).toBe('[redacted]');
  });
});

const PEM = `-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu\n-----END RSA PRIVATE KEY-----`;

/** Forms that can be nothing but secrets: hidden on the way in and on the way out. */
const UNMISTAKABLE: [string, string, string][] = [
  ['a private key', `a\n${PEM}\nb`, 'a\n[redacted]\nb'],
  ['an OpenSSH key', PEM.replaceAll('RSA', 'OPENSSH'), '[redacted]'],
  ['a key in JSON', JSON.stringify(PEM), '"[redacted]"'],
  [
    'a key cut off, without the text behind it',
    `${PEM.split('\n').slice(0, 2).join('\n')}\nnext words`,
    '[redacted]\nnext words',
  ],
  ['a SHA-256 crypt hash', 'x $5$c2FsdA$CANARYhash./1 y', 'x [redacted] y'],
  ['a SHA-512 crypt hash with rounds', '$6$rounds=5000$c2FsdA$CANARYhash', '[redacted]'],
  ['yescrypt', '$y$j9T$c2FsdA$CANARYhash', '[redacted]'],
  ['bcrypt', '$2b$12$CANARYhashCANARYhash', '[redacted]'],
  ['a ticket', 'PVE:root@pam:6B0D2A5B::Q0FOQVJZ+/Q0FOQVJZ==', '[redacted]'],
  ['a VNC ticket', 'PVEVNC:6B0D2A5B::Q0FOQVJZQ0FOQVJZ', '[redacted]'],
  ['an API token header', `PVEAPIToken=mcp@pve!ro=${UUID}`, 'PVEAPIToken=[redacted]'],
  ['a backup server token', `PBSAPIToken=mcp@pbs!ro:${UUID}`, 'PBSAPIToken=[redacted]'],
  ['a bearer token of the HTTP server', `Bearer ${BEARER}, please`, 'Bearer [redacted], please'],
  ['one in an address', `https://mcp.example.com/mcp?token=${BEARER}&x=1`, 'https://mcp.example.com/mcp?token=[redacted]&x=1'],
  ['a secret behind a token name', `token mcp@pve!ro=${UUID}.`, 'token mcp@pve!ro=[redacted].'],
];

describe('createScrubber: unmistakable forms', () => {
  const { text } = createScrubber([]);

  it.each(UNMISTAKABLE)('hides %s', (_name, input, expected) => {
    expect(text(input)).toEqual({ text: expected, redacted: 1 });
  });

  it.each([
    'Set PROXMOX_TOKEN_SECRET to the token secret: password, secret and token are words of ours.',
    'Authorization: PVEAPIToken=USER@REALM!TOKENID=SECRET',
    'Clients send Authorization: Bearer mcpx_... as mcp-proxmox http-token printed it',
    'mcpx_token_of_the_http_server',
    'PVEAPIToken=<user>@<realm>!<id>=<secret>',
    'pveum user token add mcp@pve readonly --privsep 1',
    'password: [redacted]',
    'Redacted: 3 values (config.cipassword, ipams.token)',
    'UPID:pve1:00001A5E:0004BF04:6B0D2A5B:vzstart:201:root@pam!full:',
    'AA:BB:CC:DD:EE:FF sha256 34:D6:4B:3D',
    'Bearer tokens are read from a file of hashes',
    'https://user@pve.example/?token=hint',
    'cost $5$ and $1$2',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    'smbios uuid=4c4c4544-0042-3510-8051-b4c04f4e3432',
  ])('leaves our own words alone: %s', (input) => {
    expect(text(input)).toEqual({ text: input, redacted: 0 });
  });
});

const C = 'CANARY-q7Xv9';

describe('scrubFreeText hides', () => {
  it.each(UNMISTAKABLE)('%s', (_name, input, expected) => {
    expect(scrubFreeText(input)).toEqual({ text: expected, redacted: 1 });
  });

  it.each<[string, string]>([
    [`password: ${C}`, 'password: [redacted]'],
    [`  - Password: ${C} and more words`, '  - Password: [redacted]'],
    [`root password = ${C}`, 'root password = [redacted]'],
    [`DB_PASSWORD=${C} API_TOKEN=${C}`, 'DB_PASSWORD=[redacted] API_TOKEN=[redacted]'],
    [`{"password":"${C}","user":"x"}`, '{"password":"[redacted]","user":"x"}'],
    [`{\\"api_key\\": \\"${C}\\"}`, '{\\"api_key\\": \\"[redacted]\\"}'],
    [`{'client_secret': '${C}', 'a': 1}`, "{'client_secret': '[redacted]', 'a': 1}"],
    [`**Password:** ${C}`, '**Password:** [redacted]'],
    [`**Password**: \`${C}\``, '**Password**: `[redacted]`'],
    [`| password | ${C} |`, '| password | [redacted] |'],
    [`<td>Password</td><td>${C}</td>`, '<td>Password</td><td>[redacted]</td>'],
    [`<b>Password:</b> ${C}<br>`, '<b>Password:</b> [redacted]<br>'],
    [`login bob, pw: ${C}, host db1`, 'login bob, pw: [redacted], host db1'],
    [`(secret=${C})`, '(secret=[redacted])'],
    [`passphrase => ${C} with words`, 'passphrase => [redacted]'],
    [`API key: ${C}`, 'API key: [redacted]'],
    [`access_token=${C}&x=1`, 'access_token=[redacted]&x=1'],
    [`vers=3,password=${C},soft`, 'vers=3,password=[redacted]'],
    [`wpa-psk=${C}`, 'wpa-psk=[redacted]'],
    [`Passwort: ${C}`, 'Passwort: [redacted]'],
    [`Kennwort=${C}`, 'Kennwort=[redacted]'],
    [`пароль: ${C}`, 'пароль: [redacted]'],
    [`Password:\n  ${C}`, 'Password:\n  [redacted]'],
    [`password: |\n  ${C}\n  more\nnext: 1`, 'password: [redacted]\nnext: 1'],
    ['the password is Hunter22x.', 'the password is [redacted].'],
    [`hashed_passwd: ${C}`, 'hashed_passwd: [redacted]'],
    [`CRYPTED_PASSWORD_BASE64=${C}`, 'CRYPTED_PASSWORD_BASE64=[redacted]'],
    [`--password ${C} --cores 2`, '--password [redacted] --cores 2'],
    [`qm set 100 -cipassword ${C} -cores 2`, 'qm set 100 -cipassword [redacted] -cores 2'],
    [`--api-token '${C}'`, "--api-token '[redacted]'"],
    [`--token=${C} x`, '--token=[redacted] x'],
    [`curl -s -u admin:${C} https://x`, 'curl -s -u admin:[redacted] https://x'],
    [`sshpass -p ${C} ssh root@x`, 'sshpass -p [redacted] ssh root@x'],
    [`echo "root:${C}" | chpasswd`, 'echo "root:[redacted]" | chpasswd'],
    ['rack 7, IPMI admin:Winter24x', 'rack 7, IPMI admin:[redacted]'],
    [`Authorization: Bearer ${C}`, 'Authorization: [redacted]'],
    ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: [redacted]'],
    [`curl -H "Authorization: Token ${C}"`, 'curl -H "Authorization: [redacted]"'],
    [`X-Api-Key: ${C}`, 'X-Api-Key: [redacted]'],
    [`Bearer ${C}`, 'Bearer [redacted]'],
    ['Basic dXNlcjpwYXNz', 'Basic [redacted]'],
    [`Set-Cookie: PVEAuthCookie=${C}`, 'Set-Cookie: [redacted]'],
    [`http://bob:${C}@host:3128/x`, 'http://[redacted]@host:3128/x'],
    [`http://bob:a/b"c@d${C}@host/`, 'http://[redacted]@host/'],
    [`https://${C}@github.com/x.git`, 'https://[redacted]@github.com/x.git'],
    [`iscsi://bob%${C}@portal/iqn`, 'iscsi://[redacted]@portal/iqn'],
    [`https://h/x.iso?a=1&X-Amz-Signature=${C}&b=2`, 'https://h/x.iso?a=1&X-Amz-Signature=[redacted]&b=2'],
    [`https://h/x?%74oken=${C}`, 'https://h/x?%74oken=[redacted]'],
    [`https://h/x#access_token=${C}`, 'https://h/x#access_token=[redacted]'],
    [`https://hooks.slack.com/services/T0/B0/${C}`, 'https://hooks.slack.com/services/[redacted]'],
    [`https://discord.com/api/webhooks/123/${C}`, 'https://discord.com/api/webhooks/123/[redacted]'],
    [`https://api.telegram.org/bot${C}/send`, 'https://api.telegram.org/bot[redacted]/send'],
    ['id AKIAMADEUPMADEUP1234.', 'id [redacted].'],
    [`ghp_${'a1B2'.repeat(9)}`, '[redacted]'],
    ['xoxb-1234567890-madeupmadeup', '[redacted]'],
    ['eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2lnbmF0dXJl', '[redacted]'],
    ['licence pve2c-0123456789', 'licence pve2c-[redacted]'],
    ['key = AQMADEUPMADEUPMADEUPMADEUPMADEUPMADEUP==', 'key = [redacted]'],
  ])('%s', (input, expected) => {
    const result = scrubFreeText(input);
    expect(result.text).toBe(expected);
    expect(result.redacted).toBe(expected.split('[redacted]').length - 1);
    expect(scrubFreeText(result.text)).toEqual({ text: result.text, redacted: 0 }); // a second pass finds nothing
  });
});

describe('scrubFreeText leaves alone', () => {
  it.each([
    'Permission check failed (/vms/100, VM.Audit)',
    'Permission check failed (/access, Permissions.Modify|Sys.Audit)',
    'snapshot named password-reset',
    'snapshot "password-reset" created',
    'delete snapshot: password-reset',
    'UPID:pve1:00001A5E:0004BF04:6B0D2A5B:vzstart:201:root@pam!token:',
    "end task UPID:pve1:00001A5E:0004BF04:6B0D2A5B:vzstart:201:root@pam!secret: you can't start a CT if it's a template",
    'starting task UPID:pve1:00001A5E:0004BF04:6B0D2A5B:imgcopy:password:root@pam!ci-secret:',
    'task of root@pam!secret: failed',
    'keep-last=3',
    'prune-backups keep-daily=7,keep-last=3',
    'token as acme challenge',
    'Getting domain auth token for each domain',
    'the token is public',
    'password: property is missing and it is not optional',
    'password: value does not match the regex pattern',
    'Parameter verification failed. (password: invalid format - value too short)',
    'update VM 100: cipassword, memory',
    'update VM 100: -delete cipassword -cores 2',
    'update VM 100: -cipassword <hidden> -cores 2',
    'invalid token value!',
    'token: expired',
    "token 'x' access expired",
    'password: wrong',
    'password: ********',
    'password: [redacted]',
    'webhook header value {{ secrets.tok }}',
    'token: {{ secrets.tok }}',
    'PASSWORD=$DB_PASSWORD',
    'PASSWORD=\u0024{DB_PASSWORD}',
    'token: mcp@pve!readonly',
    'private key: /etc/pve/priv/pve-root-ca.key',
    'keyring = /etc/pve/priv/$cluster.$name.keyring',
    'auth_client_required = cephx',
    'keyboard: de, keyctl=1, pre-enrolled-keys=1',
    'master-pubkey: 1',
    'public-key-type: rsaEncryption',
    'fingerprint: 34:D6:4B:3D:7A:C8',
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQ ops@example.com',
    'checksum errors: 0, crush_rule: 2',
    'vm-101-cloudinit',
    'local:backup/vzdump-qemu-100-2026_01_02-03_04_05.vma.zst',
    'http://mirror.example.test/debian trixie InRelease',
    'https://pve.example:8006/#v1:0:=node%2Fpve1',
    'ssh root@host and ssh://root@host',
    'chown root:root /x; root:x:0:0',
    'pass: 12, fail: 3',
    'tokens: 5',
    'Authorization: required',
    'Bearer tokens work',
    'Basic authentication',
    'rotate the password monthly, it is in the vault',
    'password is required',
    'forgot password? see the wiki',
    'secretary: Bob',
    'compass: north, bypass=yes',
    '10.0.0.1:8006 up, cost $5',
    'login root from 10.0.0.5:22',
    'IPMI port:623',
    'anna : TTY=pts/0 ; PWD=/root ; USER=root ; COMMAND=/usr/bin/true',
    'You are here!',
    '',
  ])('%s', (input) => {
    expect(scrubFreeText(input)).toEqual({ text: input, redacted: 0 });
  });
});

it('scrubs long hostile text without going quadratic', () => {
  for (const unit of [
    'token=',
    'password: ',
    'password="',
    '-----BEGIN PRIVATE KEY-----',
    'PVEAPIToken=a!b=',
    'http://a:b',
    'chpasswd:\n',
    '\n',
  ]) {
    const text = unit.repeat(300_000 / unit.length);
    expect(scrubFreeText(text).text.length).toBeGreaterThan(0);
  }
});
