import { describe, expect, it } from 'vitest';
import { redactAnswer } from './redact-answer.ts';

/** The made-up secret of all cases, and how to look for it. */
const C = 'CANARY-q7Xv9Lw2';
const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
/** What base64 makes of the canary at each alignment, without the characters that its neighbours share. */
const FORMS = [C, encodeURIComponent(C), base64(C).slice(0, 18), base64(`x${C}`).slice(2, 20), base64(`xx${C}`).slice(4, 20)];

function redact(template: string, data: unknown, extra: Record<string, unknown> = {}) {
  return redactAnswer(template, { data, ...extra });
}

interface Case {
  readonly name: string;
  readonly template: string;
  readonly data: unknown;
  readonly extra?: Record<string, unknown>;
  /** the whole answer afterwards, without `extra` */
  readonly shown: unknown;
  readonly redacted: number;
  readonly where: string[];
}

const QEMU = '/nodes/{node}/qemu/{vmid}/config';
const LXC = '/nodes/{node}/lxc/{vmid}/config';
const WEBHOOK = '/cluster/notifications/endpoints/webhook';
const HIDDEN = '[redacted]';

const PUBLIC_KEY = 'AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';
const KEY_SUMMARY = {
  type: 'ssh-ed25519',
  fingerprint: 'SHA256:ZkAslGjFiUHdGf/WUL8rQvkib4PTvQatUV0OUQSncCA',
  comment: 'ops@example.com',
};

/** An answer as it comes and as it is shown, when a secret is hidden just where it stands. */
function hides(answer: (secret: string) => unknown): Pick<Case, 'data' | 'shown'> {
  return { data: answer(C), shown: answer(HIDDEN) };
}

const CASES: Case[] = [
  // The ten leaks (FACTS 1.0)
  {
    name: 'S1: OpenID client key',
    template: '/access/domains/{realm}',
    ...hides((secret) => ({
      type: 'openid',
      'client-id': 'pve',
      'client-key': secret,
      'issuer-url': 'https://sso.example/realms/main',
    })),
    redacted: 1,
    where: ['domains.client-key'],
  },
  {
    name: 'S1: Yubico API key in the tfa property string',
    template: '/access/domains/{realm}',
    data: { type: 'pam', tfa: `type=yubico,id=12345,key=${C},url=https://yubi.example/?k=${C},digits=6,step=30` },
    shown: { type: 'pam', tfa: `type=yubico,id=${HIDDEN},key=${HIDDEN},url=${HIDDEN},digits=6,step=30` },
    redacted: 3,
    where: ['domains.tfa'],
  },
  {
    name: 'S2: IPAM tokens in the list, pending ones too',
    template: '/cluster/sdn/ipams',
    data: [
      {
        ipam: 'netbox1',
        type: 'netbox',
        token: C,
        url: 'https://netbox.example/api',
        pending: { token: `${C}2`, url: 'https://n2.example' },
      },
      { ipam: 'pve', type: 'pve' },
    ],
    shown: [
      {
        ipam: 'netbox1',
        type: 'netbox',
        token: HIDDEN,
        url: 'https://netbox.example/api',
        pending: { token: HIDDEN, url: 'https://n2.example' },
      },
      { ipam: 'pve', type: 'pve' },
    ],
    redacted: 2,
    where: ['ipams.token', 'ipams.pending.token'],
  },
  {
    name: 'S2: one IPAM',
    template: '/cluster/sdn/ipams/{ipam}',
    ...hides((secret) => ({ ipam: 'ipam2', token: secret, section: 1 })),
    redacted: 1,
    where: ['ipams.token'],
  },
  {
    name: 'S3: DNS API keys, a bare `key`, beside a `pending` that makes it look like a row',
    template: '/cluster/sdn/dns',
    ...hides((secret) => [{ dns: 'pdns', key: secret, ttl: 300, type: 'powerdns', pending: { key: secret, ttl: 60 } }]),
    redacted: 2,
    where: ['dns.key', 'dns.pending.key'],
  },
  {
    name: 'S4: OpenTelemetry headers, base64 of JSON',
    template: '/cluster/metrics/server/{id}',
    data: {
      type: 'opentelemetry',
      port: 4318,
      'otel-headers': base64(JSON.stringify({ Authorization: `Bearer ${C}`, 'X-Scope': 'a' })),
    },
    shown: { type: 'opentelemetry', port: 4318, 'otel-headers': `Authorization=${HIDDEN} X-Scope=${HIDDEN}` },
    redacted: 2,
    where: ['server.otel-headers'],
  },
  {
    name: 'S4: a hand-edited InfluxDB token, headers that are no JSON',
    template: '/cluster/metrics/server/{id}',
    data: { type: 'influxdb', token: C, 'otel-headers': base64(`nonsense ${C}`) },
    shown: { type: 'influxdb', token: HIDDEN, 'otel-headers': HIDDEN },
    redacted: 2,
    where: ['server.token', 'server.otel-headers'],
  },
  {
    name: 'S5: snapshot configuration of a VM',
    template: '/nodes/{node}/qemu/{vmid}/snapshot/{snapname}/config',
    data: { cipassword: `$5$c2FsdA$${C}`, args: `-vnc :0,password=${C}`, description: `password: ${C}`, cores: 2 },
    shown: { cipassword: HIDDEN, args: `-vnc ${HIDDEN}`, description: `password: ${HIDDEN}`, cores: 2 },
    redacted: 3,
    where: ['config.cipassword', 'config.args', 'config.description'],
  },
  {
    name: 'S6: snapshot configuration of a container',
    template: '/nodes/{node}/lxc/{vmid}/snapshot/{snapname}/config',
    data: { env: `DB_PASSWORD=${C}\u0000MODE=x`, memory: 512 },
    shown: { env: `DB_PASSWORD=${HIDDEN} MODE=${HIDDEN}`, memory: 512 },
    redacted: 2,
    where: ['config.env'],
  },
  {
    name: 'S7: generated cloud-config',
    template: '/nodes/{node}/qemu/{vmid}/cloudinit/dump',
    data: `#cloud-config\nhostname: web\npassword: $5$c2FsdA$${C}\nssh_authorized_keys:\n  - ssh-ed25519 ${PUBLIC_KEY} ops@example.com\nchpasswd:\n  expire: False\n  list: |\n    root:${C}\n    bob:${C}\nusers:\n  - default\n  - name: x\n    hashed_passwd: ${C}\n    plain_text_passwd: "${C}"\n    lock_passwd: false\n`,
    shown: `#cloud-config\nhostname: web\npassword: ${HIDDEN}\nssh_authorized_keys:\n  - ssh-ed25519 ${KEY_SUMMARY.fingerprint} ops@example.com\nchpasswd:\n  expire: False\n  list: |\n    root:${HIDDEN}\n    bob:${HIDDEN}\nusers:\n  - default\n  - name: x\n    hashed_passwd: ${HIDDEN}\n    plain_text_passwd: ${HIDDEN}\n    lock_passwd: false\n`,
    redacted: 5,
    where: ['dump'],
  },
  {
    name: 'S7: the digest that lets a guessed password be checked',
    template: '/nodes/{node}/qemu/{vmid}/cloudinit/dump',
    data: 'instance-id: 3b0b383f1719c363620b99ac387199786f517b23\n',
    shown: `instance-id: ${HIDDEN}\n`,
    redacted: 1,
    where: ['dump'],
  },
  {
    name: 'S8: the node report, whole',
    template: '/nodes/{node}/report',
    data: `==== general ====\ncipassword: ${C}`,
    shown: HIDDEN,
    redacted: 1,
    where: ['report'],
  },
  {
    name: 'S9: legacy TOTP seeds and Yubico ids',
    template: '/access/users',
    data: [
      { userid: 'a@pve', keys: C },
      { userid: 'b@pve', keys: 'x' },
      { userid: 'c@pve', keys: 'x!oath', tokens: [{ tokenid: 'ci', privsep: 1, expire: 0 }] },
      { userid: 'd@pve', keys: 'xccccccbchtkv' },
    ],
    shown: [
      { userid: 'a@pve', keys: HIDDEN },
      { userid: 'b@pve', keys: 'x' },
      { userid: 'c@pve', keys: 'x!oath', tokens: [{ tokenid: 'ci', privsep: 1, expire: 0 }] },
      { userid: 'd@pve', keys: HIDDEN },
    ],
    redacted: 2,
    where: ['users.keys'],
  },
  {
    name: 'S9: one user, whose tokens are keyed by name',
    template: '/access/users/{userid}',
    ...hides((secret) => ({ keys: secret, tokens: { secret: { comment: 'for ci', expire: 0, privsep: 1 } } })),
    redacted: 1,
    where: ['users.keys'],
  },
  {
    name: 'S10: interface options, comments and the `changes` diff beside `data`',
    template: '/nodes/{node}/network',
    data: [
      {
        iface: 'wlan0',
        options: [`wpa-psk ${C}`, `post-up ip tunnel add x password ${C}`, 'bridge-disable-mac-learning 1'],
        options6: [`wireless-key s:${C}`],
        comments: `wpa-psk ${C}\nmain bridge\n`,
      },
    ],
    extra: { changes: `--- a\n+++ b\n@@ -1 +1 @@\n-\twpa-psk ${C}\n+\twpa-psk ${C}2\n \tmtu 1500\n` },
    shown: [
      {
        iface: 'wlan0',
        options: [`wpa-psk ${HIDDEN}`, `post-up ip tunnel add x password ${HIDDEN}`, 'bridge-disable-mac-learning 1'],
        options6: [`wireless-key ${HIDDEN}`],
        comments: `wpa-psk ${HIDDEN}\nmain bridge\n`,
      },
    ],
    redacted: 6,
    where: ['network.options', 'network.options6', 'network.comments', 'network.changes'],
  },
  // VMs (FACTS 1.1)
  {
    name: 'masked cipassword',
    template: QEMU,
    data: { cipassword: '**********', cores: 2 },
    shown: { cipassword: HIDDEN, cores: 2 },
    redacted: 1,
    where: ['config.cipassword'],
  },
  {
    name: 'args: known option names only',
    template: QEMU,
    data: {
      args: `-device vfio -object secret,id=s,data=${C} -fw_cfg 'name=opt/x,string=-${C}' -smbios type=11,value=x -${C} -device y`,
    },
    shown: { args: `-device -object -fw_cfg -smbios ${HIDDEN}` },
    redacted: 1,
    where: ['config.args'],
  },
  {
    name: 'description',
    template: QEMU,
    data: {
      description: `# notes\n\nlogin bob / password ${'is'} secret7\nAPI key: ${C}\nhttps://bob:${C}@intranet.example/x\n`,
    },
    shown: {
      description: `# notes\n\nlogin bob / password is ${HIDDEN}\nAPI key: ${HIDDEN}\nhttps://${HIDDEN}@intranet.example/x\n`,
    },
    redacted: 3,
    where: ['config.description'],
  },
  {
    name: 'smbios1, plain',
    template: QEMU,
    data: { smbios1: `uuid=4c4c4544-0042-3510-8051-b4c04f4e3432,serial=ds=nocloud;s=http://u:${C}@10.0.0.1/seed?t=${C}` },
    shown: { smbios1: `uuid=4c4c4544-0042-3510-8051-b4c04f4e3432,serial=ds=nocloud;s=http://${HIDDEN}@10.0.0.1/seed?${HIDDEN}` },
    redacted: 2,
    where: ['config.smbios1'],
  },
  {
    name: 'smbios1, base64',
    template: QEMU,
    data: {
      smbios1: `uuid=4c4c4544-0042-3510-8051-b4c04f4e3432,manufacturer=${base64('Example')},serial=${base64(`ds=nocloud;s=http://u:${C}@h/`)},base64=1`,
    },
    shown: {
      smbios1: `uuid=4c4c4544-0042-3510-8051-b4c04f4e3432,manufacturer=${base64('Example')},serial=${base64(`ds=nocloud;s=http://${HIDDEN}@h/`)},base64=1`,
    },
    redacted: 1,
    where: ['config.smbios1'],
  },
  {
    name: 'sshkeys become summaries, which hides nothing',
    template: QEMU,
    data: { sshkeys: encodeURIComponent(`ssh-ed25519 ${PUBLIC_KEY} ops@example.com\n`) },
    shown: { sshkeys: [KEY_SUMMARY] },
    redacted: 0,
    where: [],
  },
  {
    name: 'sshkeys with a private key',
    template: QEMU,
    data: { sshkeys: encodeURIComponent(`-----BEGIN OPENSSH PRIVATE KEY-----\n${C}\n-----END OPENSSH PRIVATE KEY-----`) },
    shown: { sshkeys: [{ type: 'private key', fingerprint: null, comment: HIDDEN }] },
    redacted: 1,
    where: ['config.sshkeys'],
  },
  {
    name: 'pending: the secret name is a value; both sides, and the mask with its trailing blank',
    template: '/nodes/{node}/qemu/{vmid}/pending',
    data: [
      { key: 'cipassword', value: '**********', pending: '********** ' },
      { key: 'memory', value: '4096', pending: '8192' },
      { key: 'args', value: `-vnc :1,password=${C}` },
      { key: 'sshkeys', pending: encodeURIComponent(`ssh-ed25519 ${PUBLIC_KEY} ops@example.com`) },
      { key: 'description', value: `token=${C}`, delete: 1 },
      { key: 'searchdomain', value: 'example.test', delete: 1 },
    ],
    shown: [
      { key: 'cipassword', value: HIDDEN, pending: HIDDEN },
      { key: 'memory', value: '4096', pending: '8192' },
      { key: 'args', value: `-vnc ${HIDDEN}` },
      { key: 'sshkeys', pending: [KEY_SUMMARY] },
      { key: 'description', value: `token=${HIDDEN}`, delete: 1 },
      { key: 'searchdomain', value: 'example.test', delete: 1 },
    ],
    redacted: 4,
    where: ['pending.cipassword', 'pending.args', 'pending.description'],
  },
  {
    name: 'cloudinit rows, in the old form too',
    template: '/nodes/{node}/qemu/{vmid}/cloudinit',
    data: [
      { key: 'cipassword', old: C, new: `${C}2` },
      { key: 'ciuser', value: 'debian' },
    ],
    shown: [
      { key: 'cipassword', old: HIDDEN, new: HIDDEN },
      { key: 'ciuser', value: 'debian' },
    ],
    redacted: 2,
    where: ['cloudinit.cipassword'],
  },
  {
    name: 'snapshot descriptions',
    template: '/nodes/{node}/qemu/{vmid}/snapshot',
    ...hides((secret) => [
      { name: 'password-reset', description: `before; secret=${secret}`, snaptime: 1, vmstate: 0 },
      { name: 'current', running: 1, description: 'You are here!' },
    ]),
    redacted: 1,
    where: ['snapshot.description'],
  },
  {
    name: 'a file read through the agent',
    template: '/nodes/{node}/qemu/{vmid}/agent/file-read',
    data: { content: `root:${C}`, truncated: 0 },
    shown: { content: HIDDEN, truncated: 0 },
    redacted: 1,
    where: ['file-read.content'],
  },
  {
    name: 'output of a command run through the agent',
    template: '/nodes/{node}/qemu/{vmid}/agent/exec-status',
    ...hides((secret) => ({ exited: 1, 'out-data': secret, 'err-data': secret })),
    redacted: 2,
    where: ['exec-status.out-data', 'exec-status.err-data'],
  },
  {
    name: 'a raw configuration out of a backup',
    template: '/nodes/{node}/vzdump/extractconfig',
    data: `#password%3A ${C}\narch: amd64\ncipassword: ${C}\nargs: -vnc :1,password=${C}\nsshkeys: ${encodeURIComponent(`ssh-ed25519 ${PUBLIC_KEY} ops@example.com`)}\nenv: A=${C}\nlxc.environment: B=${C}\nsmbios1: serial=${base64(`http://u:${C}@h/`)},base64=1\nmemory: 512\n`,
    shown: `#password: ${HIDDEN}\narch: amd64\ncipassword: ${HIDDEN}\nargs: -vnc ${HIDDEN}\nsshkeys: ssh-ed25519 ${KEY_SUMMARY.fingerprint} ops@example.com\nenv: ${HIDDEN}\nlxc.environment: ${HIDDEN}\nsmbios1: serial=${base64(`http://${HIDDEN}@h/`)},base64=1\nmemory: 512\n`,
    redacted: 6,
    where: ['extractconfig'],
  },
  // Containers
  {
    name: 'env, separated by NUL or a literal %00',
    template: LXC,
    data: { env: `DB_PASSWORD=${C}%00API_TOKEN=${C}\u0000PLAIN=x`, cores: 1 },
    shown: { env: `DB_PASSWORD=${HIDDEN} API_TOKEN=${HIDDEN} PLAIN=${HIDDEN}`, cores: 1 },
    redacted: 3,
    where: ['config.env'],
  },
  {
    name: 'raw lxc pairs',
    template: LXC,
    ...hides((secret) => ({
      lxc: [
        ['lxc.cgroup2.devices.allow', 'c 10:200 rwm'],
        ['lxc.environment', `DB_PASS=${secret}`],
        ['lxc.environment.hooks', secret],
        ['lxc.hook.pre-start', `/bin/x --token ${secret}`],
        ['lxc.idmap', 'u 0 100000 65536'],
      ],
    })),
    redacted: 3,
    where: ['config.lxc'],
  },
  {
    name: 'entrypoint',
    template: LXC,
    ...hides((secret) => ({ entrypoint: `/bin/app --api-key ${secret} --port 80`, hookscript: 'local:snippets/hook.pl' })),
    redacted: 1,
    where: ['config.entrypoint'],
  },
  {
    name: 'pending env of a container',
    template: '/nodes/{node}/lxc/{vmid}/pending',
    data: [{ key: 'env', value: `A=${C}`, pending: `A=${C}%00B=${C}` }],
    shown: [{ key: 'env', value: `A=${HIDDEN}`, pending: `A=${HIDDEN} B=${HIDDEN}` }],
    redacted: 3,
    where: ['pending.env'],
  },
  // Storage
  {
    name: 'storages: keys, mount options, third-party credentials',
    template: '/storage',
    data: [
      {
        storage: 'pbs',
        type: 'pbs',
        'encryption-key': 'AA:BB:CC:DD',
        'master-pubkey': 1,
        fingerprint: 'AF:B8',
        username: 'x@pbs',
      },
      { storage: 'pbs2', type: 'pbs', 'encryption-key': `{"kdf":null,"data":"${C}"}` },
      { storage: 'pbs3', type: 'pbs', 'encryption-key': 1 },
      { storage: 'smb', type: 'cifs', options: `vers=3,password=${C},more,credentials=/etc/${C},soft` },
      { storage: 'tn', type: 'truenas', api_key: C, host: '10.0.0.1' },
      { storage: 'pure', type: 'purestorage', token: 'short', chap_secret: C, admin_password: 12345678 },
      { storage: 'syn', type: 'synology', apikey: C, key: C, svm: { login: 'x', svmpass: C, secrets: [C, { a: C }] } },
    ],
    shown: [
      {
        storage: 'pbs',
        type: 'pbs',
        'encryption-key': 'AA:BB:CC:DD',
        'master-pubkey': 1,
        fingerprint: 'AF:B8',
        username: 'x@pbs',
      },
      { storage: 'pbs2', type: 'pbs', 'encryption-key': HIDDEN },
      { storage: 'pbs3', type: 'pbs', 'encryption-key': 1 },
      { storage: 'smb', type: 'cifs', options: `vers=3,password=${HIDDEN},credentials=${HIDDEN},soft` },
      { storage: 'tn', type: 'truenas', api_key: HIDDEN, host: '10.0.0.1' },
      { storage: 'pure', type: 'purestorage', token: HIDDEN, chap_secret: HIDDEN, admin_password: HIDDEN },
      {
        storage: 'syn',
        type: 'synology',
        apikey: HIDDEN,
        key: HIDDEN,
        svm: { login: 'x', svmpass: HIDDEN, secrets: [HIDDEN, { a: HIDDEN }] },
      },
    ],
    redacted: 12,
    where: [
      'storage.encryption-key',
      'storage.options',
      'storage.api_key',
      'storage.token',
      'storage.chap_secret',
      'storage.admin_password',
      'storage.apikey',
      'storage.key',
      'storage.svm.svmpass',
      'storage.svm.secrets',
    ],
  },
  {
    name: 'notes of a backup',
    template: '/nodes/{node}/storage/{storage}/content/{volume}',
    ...hides((secret) => ({ notes: `web-01\nsecret: ${secret}`, path: '/var/lib/vz/dump/x.vma.zst', encrypted: 'AA:BB' })),
    redacted: 1,
    where: ['content.notes'],
  },
  // Cluster and nodes
  {
    name: 'cluster options: proxy, notes, consent text',
    template: '/cluster/options',
    data: {
      http_proxy: `http://bob:${C}@proxy.example:3128`,
      description: `pw: ${C}`,
      'consent-text': base64(`Welcome. Password: ${C}`),
      keyboard: 'de',
    },
    shown: {
      http_proxy: `http://${HIDDEN}@proxy.example:3128`,
      description: `pw: ${HIDDEN}`,
      'consent-text': base64(`Welcome. Password: ${HIDDEN}`),
      keyboard: 'de',
    },
    redacted: 3,
    where: ['options.http_proxy', 'options.description', 'options.consent-text'],
  },
  {
    name: 'ACME plugin data, plain and base64',
    template: '/cluster/acme/plugins',
    data: [
      { plugin: 'cf', type: 'dns', api: 'cf', data: `CF_Token=${C}\nCF_Account_ID=${C}\n` },
      { plugin: 'x', type: 'dns', data: base64(`X_KEY=${C}\n`) },
    ],
    shown: [
      { plugin: 'cf', type: 'dns', api: 'cf', data: `CF_Token=${HIDDEN} CF_Account_ID=${HIDDEN}` },
      { plugin: 'x', type: 'dns', data: `X_KEY=${HIDDEN}` },
    ],
    redacted: 3,
    where: ['plugins.data'],
  },
  {
    name: 'web hooks',
    template: WEBHOOK,
    data: [
      {
        name: 'chatops',
        method: 'post',
        url: `https://bob:${C}@hooks.example:8443/services/${C}?key=${C}`,
        header: [`name=Authorization,value=${base64(`Bearer ${C}`)}`, { name: 'X-Auth', value: base64(C) }],
        secret: ['name=tok', 'name=chan'],
        body: base64(`{"token":"${C}"}`),
      },
      { name: 'bare', url: 'http://hook.example', secret: [`name=tok,value=${base64(C)}`] },
    ],
    shown: [
      {
        name: 'chatops',
        method: 'post',
        url: `https://hooks.example:8443/${HIDDEN}`,
        header: [`name=Authorization,value=${HIDDEN}`, { name: 'X-Auth', value: HIDDEN }],
        secret: ['name=tok', 'name=chan'],
        body: HIDDEN,
      },
      { name: 'bare', url: 'http://hook.example', secret: [`name=tok,value=${HIDDEN}`] },
    ],
    redacted: 5,
    where: ['webhook.url', 'webhook.header', 'webhook.body', 'webhook.secret'],
  },
  {
    name: 'one web hook, with an odd password in its URL',
    template: `${WEBHOOK}/{name}`,
    data: { name: 'x', url: `https://bob:a/b${C}@hooks.example/x` },
    shown: { name: 'x', url: `https://${HIDDEN}` },
    redacted: 1,
    where: ['webhook.url'],
  },
  {
    name: 'diffs of generated network configuration',
    template: '/cluster/sdn/dry-run',
    ...hides((secret) => ({
      'frr-diff': `+router bgp 65000\n+ neighbor 10.0.0.1 password ${secret}\n+ ip ospf message-digest-key 1 md5 ${secret}\n`,
      'interfaces-diff': '+auto ev1\n',
    })),
    redacted: 2,
    where: ['dry-run.frr-diff'],
  },
  {
    name: 'cluster log',
    template: '/cluster/log',
    ...hides((secret) => [{ msg: `update VM 100: -cipassword ${secret}`, user: 'root@pam!full', tag: 'pvedaemon' }]),
    redacted: 1,
    where: ['log.msg'],
  },
  {
    name: 'node notes',
    template: '/nodes/{node}/config',
    ...hides((secret) => ({
      description: `IPMI admin:${secret}`,
      acmedomain0: 'domain=pve.example.test,plugin=cf',
      wakeonlan: 'mac=AA:BB:CC:DD:EE:FF',
    })),
    redacted: 1,
    where: ['config.description'],
  },
  {
    name: 'subscription',
    template: '/nodes/{node}/subscription',
    data: { key: 'pve2c-0123456789', serverid: '0123ABCD', signature: C, status: 'active' },
    shown: { key: `pve2c-${HIDDEN}`, serverid: '0123ABCD', signature: HIDDEN, status: 'active' },
    redacted: 2,
    where: ['subscription.key', 'subscription.signature'],
  },
  {
    name: 'package sources, parsed and raw',
    template: '/nodes/{node}/apt/repositories',
    data: {
      files: [
        {
          content: `deb https://bob:${C}@mirror.example/debian trixie main\n`,
          repositories: [{ URIs: [`https://bob:${C}@mirror.example/debian`], Origin: 'Proxmox' }],
        },
      ],
    },
    shown: {
      files: [
        {
          content: `deb https://${HIDDEN}@mirror.example/debian trixie main\n`,
          repositories: [{ URIs: [`https://${HIDDEN}@mirror.example/debian`], Origin: 'Proxmox' }],
        },
      ],
    },
    redacted: 2,
    where: ['repositories.files.content', 'repositories.files.repositories.URIs'],
  },
  {
    name: 'ceph.conf',
    template: '/nodes/{node}/ceph/cfg/raw',
    ...hides(
      (secret) =>
        `[global]\n\tfsid = 3c6a\n[client]\n\tkeyring = /etc/pve/priv/$cluster.$name.keyring\n[client.x]\n\tkey = ${secret}\n\trgw_keystone_admin_password = ${secret}\n`,
    ),
    redacted: 2,
    where: ['raw'],
  },
  {
    name: 'Ceph configuration database, names as values',
    template: '/nodes/{node}/ceph/cfg/db',
    ...hides((secret) => [
      { section: 'mgr', name: 'mgr/dashboard/admin_password', value: secret },
      { section: 'mgr', name: 'mgr/restful/x/key', value: secret },
      { section: 'mgr', name: 'mgr/dashboard/crt', value: secret },
      { section: 'mgr', name: 'mgr/dashboard/RGW_API_SECRET_KEY', value: secret },
      { section: 'global', name: 'osd_pool_default_size', value: '3', mask: '' },
      { section: 'client', name: 'keyring', value: '/etc/pve/priv/x.keyring' },
    ]),
    redacted: 4,
    where: [
      'db.mgr/dashboard/admin_password',
      'db.mgr/restful/x/key',
      'db.mgr/dashboard/crt',
      'db.mgr/dashboard/RGW_API_SECRET_KEY',
    ],
  },
  {
    name: 'Ceph configuration values by section',
    template: '/nodes/{node}/ceph/cfg/value',
    ...hides((secret) => ({ global: { fsid: '3c6a' }, mgr: { 'mgr/restful/key': secret, rgw_ldap_secret: secret } })),
    redacted: 2,
    where: ['value.mgr.mgr/restful/key', 'value.mgr.rgw_ldap_secret'],
  },
  {
    name: 'certificates: the PEM is left out, which hides nothing',
    template: '/nodes/{node}/certificates/info',
    data: [
      {
        filename: 'pve-ssl.pem',
        pem: '-----BEGIN CERTIFICATE-----\nMIIB\n',
        fingerprint: '1D:21',
        'public-key-type': 'rsaEncryption',
        'public-key-bits': 2048,
      },
    ],
    shown: [{ filename: 'pve-ssl.pem', fingerprint: '1D:21', 'public-key-type': 'rsaEncryption', 'public-key-bits': 2048 }],
    redacted: 0,
    where: [],
  },
  {
    name: 'journal lines, with a private key over several of them',
    template: '/nodes/{node}/journal',
    data: [
      'start',
      '-----BEGIN PRIVATE KEY-----',
      C,
      `host x[1]: ${C}`,
      '-----END PRIVATE KEY-----',
      'sudo: COMMAND=/bin/x --password abcdef',
      'end',
    ],
    shown: ['start', HIDDEN, HIDDEN, HIDDEN, HIDDEN, `sudo: COMMAND=/bin/x --password ${HIDDEN}`, 'end'],
    redacted: 2,
    where: ['journal'],
  },
  {
    name: 'task log',
    template: '/nodes/{node}/tasks/{upid}/log',
    data: [
      { n: 1, t: `downloading https://h/x.iso?X-Amz-Signature=${C}&a=1 to x.iso` },
      { n: 2, t: '-----BEGIN RSA PRIVATE KEY-----' },
      { n: 3, t: C },
      { n: 4, t: '-----END RSA PRIVATE KEY-----' },
      { n: 5, t: `apitoken=PVEAPIToken=root@pam!x=7c9e6679-7425-40de-944b-e07fc1f90ae7` },
      { n: 6, t: 'TASK OK' },
    ],
    extra: { total: 6 },
    shown: [
      { n: 1, t: `downloading https://h/x.iso?X-Amz-Signature=${HIDDEN}&a=1 to x.iso` },
      { n: 2, t: HIDDEN },
      { n: 3, t: HIDDEN },
      { n: 4, t: HIDDEN },
      { n: 5, t: `apitoken=${HIDDEN}` },
      { n: 6, t: 'TASK OK' },
    ],
    redacted: 3,
    where: ['log.t'],
  },
  {
    name: 'task status in lists',
    template: '/nodes/{node}/tasks',
    ...hides((secret) => [
      {
        upid: 'UPID:pve1:00001A5E:0004BF04:6B0D2A5B:vzdump::root@pam!token:',
        status: `command 'x --secret ${secret}' failed: exit code 1`,
      },
    ]),
    redacted: 1,
    where: ['tasks.status'],
  },
  {
    name: 'task status, cluster-wide and single',
    template: '/nodes/{node}/tasks/{upid}/status',
    ...hides((secret) => ({ status: 'stopped', exitstatus: `password=${secret}` })),
    redacted: 1,
    where: ['status.exitstatus'],
  },
  // Anything else
  {
    name: 'an unknown endpoint with unknown keys: hidden where it stands',
    template: '/cluster/brand-new/{thing}',
    ...hides((secret) => ({
      accessToken: secret,
      opts: `a=1,client_secret=${secret};b=2`,
      nul: `PASSWORD=${secret}\u0000A=1`,
      rows: [
        { name: 'db_password', value: secret },
        { option: 'api-key', default: secret },
        { Key: 'secret', Values: [secret] },
      ],
      pairs: [
        ['password', secret],
        ['mode', 'x'],
      ],
      'full-tokenid': 'a@pve!b',
      value: secret,
    })),
    redacted: 8,
    where: [
      'brand-new.accessToken',
      'brand-new.opts',
      'brand-new.nul',
      'brand-new.rows.db_password',
      'brand-new.rows.api-key',
      'brand-new.rows.secret',
      'brand-new.pairs.password',
      'brand-new.value',
    ],
  },
  {
    name: 'an unknown endpoint with unknown keys: hidden with what is around it',
    template: '/cluster/brand-new/{thing}',
    data: {
      proxy: `socks5://u:${C}@h`,
      blob: base64(`{"password":"${C}"}`),
      escaped: encodeURIComponent(`https://u:${C}@h/`),
      headers: [{ name: 'Authorization', value: `Bearer ${C}` }],
      nested: { credentials: { user: C, pass: C, port: 5432 } },
    },
    shown: {
      proxy: `socks5://${HIDDEN}@h`,
      blob: HIDDEN,
      escaped: `https://${HIDDEN}@h/`,
      headers: [{ name: 'Authorization', value: HIDDEN }],
      nested: { credentials: { user: HIDDEN, pass: HIDDEN, port: HIDDEN } },
    },
    redacted: 7,
    where: [
      'brand-new.proxy',
      'brand-new.blob',
      'brand-new.escaped',
      'brand-new.headers.Authorization',
      'brand-new.nested.credentials',
    ],
  },
  {
    name: 'error texts beside the data',
    template: QEMU,
    data: null,
    extra: {
      message: `login with password=${C} failed`,
      errors: { password: 'property is missing and it is not optional', x: `secret=${C}` },
    },
    shown: null,
    redacted: 2,
    where: ['config.message', 'config.errors'],
  },
];

describe('redactAnswer', () => {
  it.each(CASES)('$name ($template)', ({ template, data, extra, shown, redacted, where }) => {
    const before = JSON.stringify(data);
    const result = redact(template, data, extra);
    expect(result.value.data).toEqual(shown);
    expect(result.redacted).toBe(redacted);
    expect(result.where).toEqual(where);
    const all = JSON.stringify(result);
    for (const form of FORMS) expect(all).not.toContain(form);
    expect(JSON.stringify(data)).toBe(before); // the answer that came in is not written to
    // A second pass finds nothing more to hide.
    expect(JSON.stringify(redactAnswer(template, result.value).value.data)).not.toContain(C);
  });

  it('knows an endpoint by a concrete path as well', () => {
    expect(redact('/cluster/sdn/dns/pdns', { key: C }).value.data).toEqual({ key: HIDDEN });
    expect(redact('/nodes/pve1/report', C).value.data).toBe(HIDDEN);
  });

  it('bounds `where` and takes no odd names into it', () => {
    const data = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i} password`, C]));
    const result = redact('/x', { ...data, [`${C} password`]: 'abcdef' });
    expect(result.redacted).toBe(101);
    expect(result.where).toEqual(['x.?']);
    const many = redact('/x', Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}_password`, C])));
    expect([many.redacted, many.where.length]).toEqual([100, 20]);
  });

  it('never puts a value that stands in a name field into `where`', () => {
    const result = redact('/x', [{ key: C, value: 'password=abcdef' }]);
    expect(result.redacted).toBe(1);
    expect(JSON.stringify(result.where)).not.toContain(C);
  });
});

describe('redactAnswer gives the same object back where nothing is hidden', () => {
  it('for 5,000 rows of /cluster/resources', () => {
    const data = Array.from({ length: 5000 }, (_, i) => ({
      id: `qemu/${i}`,
      type: 'qemu',
      vmid: i,
      node: `pve${i % 32}`,
      name: i % 2 === 0 ? `password-reset-${i}` : 'token: secret=abc',
      status: 'running',
      tags: 'prod;secret;token',
      pool: 'password',
      cpu: 0.25,
      maxmem: 8_589_934_592,
      uptime: 1000,
      hastate: 'started',
    }));
    const answer = { data };
    const result = redactAnswer('/cluster/resources', answer);
    expect(result.value).toBe(answer);
    expect(result).toMatchObject({ redacted: 0, where: [] });
  });

  it('and shares the rows that are clean', () => {
    const clean = { key: 'memory', value: '512' };
    const { value } = redact('/nodes/{node}/qemu/{vmid}/pending', [clean, { key: 'cipassword', value: C }]);
    expect(Array.isArray(value.data) && value.data[0]).toBe(clean);
  });
});

describe('redactAnswer never throws', () => {
  const deep = (levels: number, leaf: unknown): unknown => {
    let value = leaf;
    for (let i = 0; i < levels; i += 1) value = i % 2 === 0 ? { a: value } : [value];
    return value;
  };

  it.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['a number', 106],
    ['an empty string', ''],
    ['a string', '106'],
    ['a boolean', true],
    ['an empty list', []],
    ['a list of nulls', [null, undefined, [], {}, [[]]]],
    ['rows of the wrong types', [{ key: 1, value: {} }, { key: null }, { key: [], value: [] }, { name: {}, value: null }]],
    ['odd pairs', { lxc: [[], ['lxc.environment'], [1, 2], 'x', null, ['lxc.environment', null], ['a', 'b', 'c']] }],
    [
      'rules on the wrong types',
      { args: 5, env: [{}], sshkeys: { a: 1 }, smbios1: null, 'otel-headers': 7, options: {}, entrypoint: [] },
    ],
    ['bad encodings', { sshkeys: '%zz%ff%', smbios1: 'base64=1,serial=%%%,=,x', 'otel-headers': '!!!', 'consent-text': '====' }],
    [
      'keys of Object.prototype',
      JSON.parse('{"__proto__":{"password":"x1"},"constructor":"y","toString":"z","hasOwnProperty":1}'),
    ],
    ['lone surrogates', { description: '\ud800 password: \udc00x' }],
    ['a huge list', Array.from({ length: 100_000 }, (_, i) => i)],
    ['a huge text', `password=${'x'.repeat(2_000_000)}`],
  ])('%s', (_name, data) => {
    for (const template of [
      '/x',
      '',
      '/',
      QEMU,
      LXC,
      '/storage',
      WEBHOOK,
      '/nodes/{node}/certificates/info',
      '/access/permissions',
      '{x}',
    ]) {
      expect(() => redact(template, data)).not.toThrow();
    }
  });

  it('hides what is nested too deep to be read', () => {
    const result = redact('/x', deep(5000, C));
    expect(result.redacted).toBe(1);
    expect(JSON.stringify(result.value)).not.toContain(C);
  });

  it('keeps a field called __proto__ a field', () => {
    const result = redact('/x', JSON.parse(`{"__proto__":{"password":"${C}"}}`));
    expect(JSON.stringify(result.value.data)).toBe(`{"__proto__":{"password":"${HIDDEN}"}}`);
  });
});
