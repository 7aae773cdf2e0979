import { expect, it } from 'vitest';
import { redactAnswer } from './redact-answer.ts';

/**
 * What must stay readable: fields, values and texts that look like secrets and are none (FACTS 1.3). Each answer has to
 * come back as the very same object.
 */
const READABLE: [string, string, unknown][] = [
  ['tokenid, privsep, expire', '/access/users/{userid}/token', [{ tokenid: 'secret', privsep: 1, expire: 0, comment: 'laptop' }]],
  [
    'tokens',
    '/access/users',
    [{ userid: 'a@pve', tokens: [{ tokenid: 'token', comment: 'x', expire: 1700000000, privsep: 0 }] }],
  ],
  ['tokens by name', '/access/users/{userid}', { tokens: { password: { expire: 0, privsep: 1 } } }],
  ['full-tokenid', '/x', { 'full-tokenid': 'mcp@pve!secret-reader' }],
  ['a token in a token listing', '/x', [{ token: 'readonly', tokenid: 'mcp@pve!readonly', privsep: 1 }]],
  [
    'second factor marker',
    '/access/users',
    [{ userid: 'a@pve', keys: 'x!yubico', 'totp-locked': 1, 'tfa-locked-until': 1700000000 }],
  ],
  [
    'second factors',
    '/access/tfa',
    [
      {
        userid: 'a@pve',
        entries: [{ id: 'x', type: 'totp', description: 'phone', created: 1 }, { type: 'webauthn' }, { type: 'recovery' }],
      },
    ],
  ],
  [
    'ACL rows of tokens',
    '/access/acl',
    [{ path: '/', type: 'token', ugid: 'mcp@pve!secret', roleid: 'PVEAuditor', propagate: 1 }],
  ],
  [
    'roles and privileges',
    '/access/roles',
    [{ roleid: 'PVEAdmin', privs: 'Permissions.Modify,Realm.AllocateUser,VM.Config.Cloudinit' }],
  ],
  ['one role', '/access/roles/{roleid}', { 'Permissions.Modify': 1, 'User.Modify': 1 }],
  [
    'permissions of paths named like secrets',
    '/access/permissions',
    { '/storage/password': { 'Datastore.Audit': 1 }, '/pool/secret': { 'Pool.Audit': 0 } },
  ],
  ['keyboard, keephugepages', '/nodes/{node}/qemu/{vmid}/config', { keyboard: 'de', keephugepages: 1, hugepages: '1024' }],
  [
    'pre-enrolled keys, ms-cert',
    '/nodes/{node}/qemu/{vmid}/config',
    { efidisk0: 'local-lvm:vm-101-disk-0,efitype=4m,ms-cert=2023,pre-enrolled-keys=1,size=4M' },
  ],
  ['keyctl', '/nodes/{node}/lxc/{vmid}/config', { features: 'fuse=1,keyctl=1,nesting=1' }],
  ['retention', '/storage', [{ storage: 'local', 'prune-backups': 'keep-daily=7,keep-last=3', 'keep-last': 3 }]],
  [
    'retention of a job',
    '/cluster/backup',
    [{ id: 'backup-1', 'prune-backups': { 'keep-last': '3', 'keep-all': 0 }, 'notes-template': '{{guestname}} {{node}}' }],
  ],
  [
    'public keys of certificates',
    '/nodes/{node}/certificates/info',
    [{ filename: 'a.pem', 'public-key-type': 'rsaEncryption', 'public-key-bits': 4096, fingerprint: '34:D6:4B' }],
  ],
  [
    'a certificate elsewhere',
    '/x',
    { pem: '-----BEGIN CERTIFICATE-----\nMIIF3TCCA8WgAwIBAgIULTlXNtpszKj0\n-----END CERTIFICATE-----\n' },
  ],
  [
    'encryption state of storages and backups',
    '/storage',
    [
      {
        storage: 'a',
        'encryption-key': 'AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99',
        'master-pubkey': 1,
      },
      { storage: 'b', 'encryption-key': '1', 'master-pubkey': '1' },
      { storage: 'c', 'encryption-key': 1 },
    ],
  ],
  [
    'encrypted backups',
    '/nodes/{node}/storage/{storage}/content',
    [
      { volid: 'pbs:backup/vm/100/2026-01-02T03:04:05Z', encrypted: 'AA:BB:CC' },
      { volid: 'x:y', encrypted: '1' },
    ],
  ],
  [
    'fingerprints and digests',
    '/cluster/config/join',
    {
      config_digest: '146624bee38036b4c12581aaad7c2e4c2aabec0d',
      nodelist: [{ pve_fp: '64:DE:2D:97', name: 'pve3' }],
      totem: { secauth: 'on' },
    },
  ],
  [
    'fingerprints of nodes',
    '/nodes',
    [{ node: 'pve1', ssl_fingerprint: '1D:21:E9:C9', digest: 'fd490e593e973f16eb43e026428e144ce3165631' }],
  ],
  [
    'client-id',
    '/access/domains/{realm}',
    { 'client-id': 'pve-client', certkey: '/etc/pve/priv/x.key', cert: '/etc/x.pem', bind_dn: 'cn=svc,dc=x' },
  ],
  ['a realm with TOTP', '/access/domains/{realm}', { tfa: 'type=oath,digits=6,step=30' }],
  ['a realm list', '/access/domains', [{ realm: 'ad', tfa: 'oath', type: 'ad', default: 1 }]],
  [
    'Ceph authentication settings and checksums',
    '/nodes/{node}/ceph/cfg/raw',
    '[global]\n\tauth_client_required = cephx\n\tosd_crush_rule = 2\n[client]\n\tkeyring = /etc/pve/priv/$cluster.$name.keyring\n',
  ],
  [
    'authsupported, crush_rule, checksum',
    '/x',
    { authsupported: 'cephx', crush_rule: 'replicated_rule', checksum: 'sha256', hash: 'rjenkins1' },
  ],
  ['a keyring path', '/storage', [{ storage: 'rbd', keyring: '/etc/pve/priv/ceph/rbd.keyring', monhost: '10.0.0.1' }]],
  [
    'volume names',
    '/nodes/{node}/storage/{storage}/content',
    [{ volid: 'local-lvm:vm-101-cloudinit', name: 'token-disk' }, { volid: 'local:iso/password-reset-tool.iso' }],
  ],
  [
    'a cloud-init drive and hook',
    '/nodes/{node}/qemu/{vmid}/config',
    {
      ide3: 'local-lvm:vm-100-cloudinit,media=cdrom',
      cicustom: 'user=local:snippets/secrets.yaml',
      hookscript: 'local:snippets/token.pl',
    },
  ],
  [
    'ids of a VM',
    '/nodes/{node}/qemu/{vmid}/config',
    {
      vmgenid: '7d9a1f9e-1111-4222-8333-444455556666',
      smbios1: 'uuid=4c4c4544-0042-3510-8051-b4c04f4e3432,base64=1,serial=QUJDMTIz',
      net0: 'virtio=BC:24:11:AA:BB:01,bridge=vmbr0',
      meta: 'creation-qemu=10.1.2',
    },
  ],
  [
    'resource mappings',
    '/cluster/mapping/pci',
    [{ id: 'secret-gpu', map: ['node=pve1,path=0000:01:00.0,id=10de:1b06'], description: 'gpu' }],
  ],
  [
    'UPIDs of tokens',
    '/nodes/{node}/tasks',
    [
      {
        upid: 'UPID:pve1:00000FA4:00061C10:6B0941BA:qmigrate:104:alice@pve!token:',
        tokenid: 'token',
        user: 'alice@pve',
        status: 'OK',
      },
    ],
  ],
  [
    'UPIDs in texts',
    '/cluster/log',
    [
      {
        msg: "end task UPID:pve1:00001A5E:0004BF04:6B0D2A5B:vzstart:201:root@pam!secret: you can't start a CT if it's a template",
      },
    ],
  ],
  [
    'a list of changed keys',
    '/cluster/log',
    [
      { msg: 'update VM 100: cipassword, memory' },
      { msg: 'update VM 100: -delete cipassword' },
      { msg: 'update VM 100: -cipassword <hidden>' },
    ],
  ],
  [
    'validation messages',
    '/x',
    { errors: { password: 'property is missing and it is not optional', token: 'invalid format - value too short' } },
  ],
  [
    'an ACME log',
    '/nodes/{node}/tasks/{upid}/log',
    [
      { n: 1, t: 'Publishing token as acme challenge' },
      { n: 2, t: 'Getting domain auth token for each domain' },
    ],
  ],
  ['HA ids', '/cluster/ha/resources', [{ sid: 'vm:100', type: 'vm', state: 'started', comment: 'key service' }]],
  [
    'rows of settings',
    '/nodes/{node}/qemu/{vmid}/pending',
    [
      { key: 'memory', value: '4096', pending: '8192' },
      { key: 'keyboard', value: 'de' },
      { key: 'delete', delete: 1, value: 'x' },
    ],
  ],
  [
    'SMART attributes',
    '/nodes/{node}/disks/smart',
    {
      attributes: [
        { id: '9', name: 'Power_On_Hours', value: '098', raw: '1234' },
        { id: '1', name: 'Raw_Read_Error_Rate', value: '100' },
      ],
    },
  ],
  [
    'package sources',
    '/nodes/{node}/apt/repositories',
    {
      files: [
        {
          repositories: [
            {
              Options: [{ Key: 'Signed-By', Values: ['/usr/share/keyrings/proxmox-archive-keyring.gpg'] }],
              URIs: ['http://download.proxmox.com/debian/pve'],
            },
          ],
        },
      ],
    },
  ],
  [
    'package descriptions',
    '/nodes/{node}/apt/update',
    [{ Package: 'libpam', Origin: 'Debian', Description: 'password: a library about tokens', Title: 'x' }],
  ],
  [
    'snapshots named like secrets',
    '/nodes/{node}/qemu/{vmid}/snapshot',
    [
      { name: 'password-reset', description: 'before the password reset', snaptime: 1 },
      { name: 'token', running: 1 },
    ],
  ],
  [
    'guests named and tagged like secrets',
    '/nodes/{node}/qemu',
    [{ vmid: 100, name: 'password: hunter2', tags: 'token=abc;secret', status: 'running' }],
  ],
  ['pools named like secrets', '/pools', [{ poolid: 'secret', comment: 'the pool of secrets' }]],
  [
    'tags',
    '/cluster/options',
    {
      'allowed-tags': ['password', 'token=x'],
      'registered-tags': ['secret'],
      'tag-style': { 'color-map': 'token:FF0000;secret:00FF00' },
    },
  ],
  [
    'URLs without credentials',
    '/cluster/sdn/dns',
    [{ dns: 'pdns', url: 'http://127.0.0.60:8081/api/v1/servers/localhost', ttl: 300 }],
  ],
  ['an issuer URL', '/access/domains/{realm}', { 'issuer-url': 'https://sso.example.test/realms/main', scopes: 'email profile' }],
  [
    'a percent-encoded origin',
    '/cluster/options',
    { webauthn: { id: 'pve.example.test', origin: 'https%3A//pve.example.test', rp: 'pve' } },
  ],
  [
    'a plain consent text',
    '/cluster/options',
    { 'consent-text': Buffer.from('Authorized use only. Your password is your own.').toString('base64') },
  ],
  [
    'a bare web hook',
    '/cluster/notifications/endpoints/webhook',
    [{ name: 'x', url: 'https://hooks.example.test', header: ['name=X-Auth'], secret: ['name=tok'] }],
  ],
  ['empty and switched secrets', '/x', { password: '', token: null, secret: 0, apikey: false, 'client-key': '1', psk: 'no' }],
  [
    'network options',
    '/nodes/{node}/network',
    [
      {
        iface: 'vmbr0',
        options: ['bridge-disable-mac-learning 1', 'post-up ip route add 10.0.0.0/8 via 10.0.0.1'],
        comments: 'main bridge\n',
      },
    ],
  ],
];

it.each(READABLE)('%s (%s)', (_name, template, data) => {
  const answer = { data };
  const result = redactAnswer(template, answer);
  expect(result.value.data).toEqual(data);
  expect(result).toMatchObject({ redacted: 0, where: [] });
  // Only texts that are rewritten without hiding anything may give a new object; none of these is.
  expect(result.value).toBe(answer);
});
