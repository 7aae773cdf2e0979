import type { ConfigArea, Row } from './area-types.ts';
import { plant } from './canaries.ts';
import { base64, digestOf } from './digests.ts';
import { hex } from './random.ts';
import type { WorldCore } from './types.ts';

/** Plants a secret that stands in an answer inside base64: the whole encoded text is a form of it, too. */
function plantEncoded(core: WorldCore, place: string, secret: string, text: (secret: string) => string): string {
  const encoded = base64(text(secret));
  plant(core, place, secret, encoded);
  return encoded;
}

/** Datacenter options, corosync, notifications, metric servers, mappings, scheduled jobs, ACME, cluster log. */
export function createConfig(core: WorldCore): ConfigArea {
  const first = core.nodes[0]?.node ?? 'pve1';
  const second = core.nodes[1]?.node ?? first;
  return {
    options: createOptions(core),
    userTags: ['web', 'db'],
    registeredTags: ['critical', 'prod'],
    corosync: createCorosync(core),
    metricServers: createMetricServers(core),
    endpoints: createEndpoints(core),
    matchers: [
      {
        name: 'default-matcher',
        section: {
          comment: 'Route everything to the relay',
          mode: 'all',
          origin: 'modified-builtin',
          target: ['mail-relay'],
        },
      },
      {
        name: 'backup-failures',
        section: {
          'match-calendar': ['mon..fri 06:00-20:00'],
          'match-field': ['exact:type=vzdump'],
          'match-severity': ['error,warning'],
          mode: 'all',
          origin: 'user-created',
          target: ['pager', 'chat'],
        },
      },
      {
        name: 'replication-quiet',
        section: {
          comment: 'switched off during the move',
          disable: 1,
          'invert-match': 1,
          'match-field': ['exact:type=replication'],
          origin: 'user-created',
          target: ['chat'],
        },
      },
    ],
    mappings: createMappings(first, second),
    realmSyncJobs: [
      {
        id: 'staff-sync',
        type: 'realm-sync',
        realm: 'corp-ldap',
        comment: 'sync staff',
        enabled: 1,
        'remove-vanished': 'entry;properties',
        schedule: '*:0/30',
        scope: 'both',
      },
    ],
    acme: createAcme(core),
    cpuModels: [
      {
        cputype: 'custom-harbour',
        flags: '+aes;+avx2;-pcid',
        hidden: 0,
        'phys-bits': 'host',
        'reported-model': 'x86-64-v3',
      },
    ],
    log: createLog(core),
  };
}

function createOptions(core: WorldCore): Row {
  const password = plant(core, '/cluster/options http_proxy', `px-${hex('demo proxy', 18)}`);
  const notes = plant(core, '/cluster/options description', `Wb${hex('demo datacenter notes', 14)}`);
  const consent = plantEncoded(
    core,
    '/cluster/options consent-text',
    `kiosk-${hex('demo consent', 12)}`,
    (secret) => `Harbour systems. Authorised staff only. Kiosk password: ${secret}\n`,
  );
  return {
    bwlimit: 'clone=102400,default=204800,migration=512000',
    console: 'html5',
    ...(core.release === '7.4' ? {} : { crs: { ha: 'static', 'ha-rebalance-on-start': 1 } }),
    ...(core.release === '7.4' || core.release === '8.4' ? {} : { 'consent-text': consent }),
    description: `Harbour cluster. Switch stack: admin / password: ${notes}\n`,
    email_from: 'pve@demo.example',
    ha: { shutdown_policy: 'migrate' },
    http_proxy: `http://pve-egress:${password}@proxy.demo.example:3128`,
    keyboard: 'de',
    language: 'en',
    mac_prefix: 'BC:24:11',
    max_workers: 4,
    migration: { network: '10.20.0.0/24', type: 'secure' },
    'next-id': { lower: '100', upper: '9999' },
    ...(core.release === '7.4' ? {} : { notify: { 'package-updates': 'auto' } }),
    'registered-tags': ['critical', 'prod'],
    'tag-style': { 'color-map': 'prod:B22222:FFFFFF;lab:228B22', ordering: 'alphabetical', shape: 'full' },
    u2f: { appid: 'https://pve.demo.example' },
    'user-tag-access': { 'user-allow': 'list', 'user-allow-list': ['web', 'db'] },
    webauthn: { id: 'demo.example', origin: 'https%3A//pve.demo.example', rp: 'harbour' },
  };
}

function createCorosync(core: WorldCore): ConfigArea['corosync'] {
  if (core.standalone) return undefined;
  return {
    totem: {
      cluster_name: core.clusterName,
      config_version: '7',
      interface: { '0': { linknumber: '0' }, '1': { linknumber: '1' } },
      ip_version: 'ipv4-6',
      link_mode: 'passive',
      secauth: 'on',
      version: '2',
    },
    // The third node of the hand-made cluster was never given the second link.
    nodes: core.nodes.map((node) => ({
      name: node.node,
      nodeid: String(node.nodeid),
      quorum_votes: '1',
      ring0_addr: node.ip,
      ...(node.nodeid === 3 ? {} : { ring1_addr: node.ip.replace(/^10\.20\./, '10.21.') }),
    })),
  };
}

function createMetricServers(core: WorldCore): ConfigArea['metricServers'] {
  const headers = plantEncoded(core, '/cluster/metrics/server/otel otel-headers', `otlp-${hex('demo otel', 28)}`, (secret) =>
    JSON.stringify({ Authorization: `Bearer ${secret}`, 'X-Scope-OrgID': 'harbour' }),
  );
  const otel = {
    id: 'otel',
    type: 'opentelemetry' as const,
    section: {
      'otel-headers': headers,
      'otel-path': '/v1/metrics',
      'otel-protocol': 'https',
      'otel-resource-attributes': base64(JSON.stringify({ 'deployment.environment': 'production' })),
      port: 4318,
      server: 'otel.demo.example',
    },
  };
  return [
    {
      id: 'graphite-old',
      type: 'graphite',
      section: { disable: 1, path: 'harbour.pve', port: 2003, proto: 'udp', server: '10.20.0.60' },
    },
    {
      id: 'influx',
      type: 'influxdb',
      section: {
        bucket: 'proxmox',
        influxdbproto: 'https',
        organization: 'harbour',
        port: 8086,
        server: 'influx.demo.example',
        // Normally kept in a file of its own; an administrator who edits the section by hand leaves it in clear.
        token: plant(core, '/cluster/metrics/server/influx token', `${base64(hex('demo influx', 48)).slice(0, 62)}==`),
        'verify-certificate': 1,
      },
    },
    ...(core.release === '7.4' || core.release === '8.4' ? [] : [otel]),
  ];
}

function createEndpoints(core: WorldCore): ConfigArea['endpoints'] {
  const bearer = plantEncoded(
    core,
    '/cluster/notifications/endpoints/webhook/chat header',
    `hook-${hex('demo webhook header', 30)}`,
    (secret) => `Bearer ${secret}`,
  );
  const path = plant(core, '/cluster/notifications/endpoints/webhook/chat url', `T02HB/B7K/${hex('demo webhook url', 24)}`);
  const key = plant(core, '/cluster/notifications/endpoints/webhook/legacy url', hex('demo webhook key', 32));
  const body = plantEncoded(
    core,
    '/cluster/notifications/endpoints/webhook/legacy body',
    `room-${hex('demo webhook body', 20)}`,
    (secret) => JSON.stringify({ room_token: secret, text: '{{ title }}\n{{ message }}' }),
  );
  return [
    {
      type: 'sendmail',
      name: 'mail-to-root',
      section: { comment: "Send mails to root@pam's email address", 'mailto-user': ['root@pam'], origin: 'builtin' },
    },
    {
      type: 'gotify',
      name: 'pager',
      section: {
        comment: 'push to the on-call phone',
        disable: 1,
        origin: 'user-created',
        server: 'https://gotify.demo.example',
      },
    },
    {
      type: 'smtp',
      name: 'mail-relay',
      section: {
        author: 'Harbour cluster',
        comment: 'Relay – Büro',
        'from-address': 'pve@demo.example',
        mailto: ['ops@demo.example'],
        'mailto-user': ['root@pam'],
        mode: 'starttls',
        origin: 'user-created',
        port: 587,
        server: 'smtp.demo.example',
        username: 'pve-relay',
      },
    },
    {
      type: 'webhook',
      name: 'chat',
      section: {
        body: base64('{"text":"{{ title }}"}'),
        comment: 'operations channel',
        header: [`name=Authorization,value=${bearer}`, `name=Content-Type,value=${base64('application/json')}`],
        method: 'post',
        origin: 'user-created',
        secret: ['name=room', 'name=sign'],
        url: `https://hooks.demo.example/services/${path}`,
      },
    },
    {
      type: 'webhook',
      name: 'legacy',
      section: {
        body,
        disable: 1,
        header: [],
        method: 'put',
        origin: 'user-created',
        secret: [],
        url: `https://old-chat.demo.example/notify?key=${key}`,
      },
    },
  ];
}

function createMappings(first: string, second: string): ConfigArea['mappings'] {
  return {
    pci: [
      {
        id: 'gpu-a',
        type: 'pci',
        description: 'render card â B',
        map: [
          `iommugroup=12,node=${first},path=0000:01:00.0,id=10de:2684,subsystem-id=1458:40e5`,
          `iommugroup=3,node=${second},path=0000:02:00,id=10de:2684`,
        ],
        mdev: 0,
      },
      { id: 'nic-fast', type: 'pci', map: [`iommugroup=18,node=${first},path=0000:41:00.1,id=8086:1592`], mdev: 0 },
    ],
    usb: [
      {
        id: 'dongle',
        type: 'usb',
        description: 'coordinator',
        map: [`node=${first},id=10c4:ea60`, `node=${second},id=10c4:ea60,path=1-2`],
      },
    ],
    dir: [{ id: 'shared-dir', type: 'dir', map: [`node=${first},path=/srv/shared`] }],
  };
}

function createAcme(core: WorldCore): ConfigArea['acme'] {
  const dnsToken = plant(core, '/cluster/acme/plugins dns data', hex('demo acme', 40));
  return {
    accounts: ['default', 'staging'],
    plugins: [
      { plugin: 'standalone', type: 'standalone' },
      {
        plugin: 'harbour-dns',
        type: 'dns',
        api: 'cf',
        data: `CF_Account_ID=7c1f0a\nCF_Token=${dnsToken}\n`,
        'validation-delay': 30,
      },
    ],
  };
}

function createLog(core: WorldCore): Row[] {
  const now = Math.floor(core.now / 1000);
  const local = core.nodes.find((node) => node.local)?.node ?? 'pve1';
  const other = core.nodes.find((node) => node.online && !node.local)?.node ?? local;
  const args = plant(core, '/cluster/log msg', `Qx${hex('demo cluster log', 18)}`);
  const rows: { ago: number; node: string; pri: number; tag: string; user: string; msg: string }[] = [
    { ago: 95, node: local, pri: 6, tag: 'pvedaemon', user: 'anna@pve', msg: 'successful auth for user "anna@pve"' },
    {
      ago: 840,
      node: local,
      pri: 4,
      tag: 'pvedaemon',
      user: 'root@pam',
      msg: 'authentication failure; rhost=::ffff:203.0.113.77 user=root@pam msg=Authentication failure',
    },
    {
      ago: 871,
      node: local,
      pri: 4,
      tag: 'pvedaemon',
      user: 'root@pam',
      msg: 'authentication failure; rhost=::ffff:203.0.113.77 user=root@pam msg=Authentication failure',
    },
    {
      ago: 3_610,
      node: local,
      pri: 6,
      tag: 'pvedaemon',
      user: 'root@pam!terraform',
      msg: `update VM 101: -args -vnc 0.0.0.0:12,password=${args}`,
    },
    { ago: 7_400, node: other, pri: 3, tag: 'pve-ha-lrm', user: 'root@pam', msg: 'unable to start service: watchdog active' },
    { ago: 15_020, node: other, pri: 3, tag: 'vzdump', user: 'root@pam', msg: 'job errors' },
    { ago: 15_300, node: other, pri: 6, tag: 'vzdump', user: 'root@pam', msg: 'INFO: starting new backup job: vzdump --all 1' },
    // Text that went through the log of the cluster file system comes back encoded twice.
    {
      ago: 40_000,
      node: local,
      pri: 6,
      tag: 'pvedaemon',
      user: 'bjorn@pve',
      msg: 'successful auth for user "bjorn@pve" (BjÃ¶rn)',
    },
  ];
  return rows.map((row, index) => {
    const uid = String(rows.length - index);
    return {
      id: `${uid}:${row.node}`,
      msg: row.msg,
      node: row.node,
      pid: 1_200 + index,
      pri: row.pri,
      tag: row.tag,
      time: now - row.ago,
      uid,
      user: row.user,
    };
  });
}

/** Digest of the notification configuration, one file for all endpoints and matchers. */
export function notificationsDigest(config: ConfigArea): string {
  return digestOf([config.endpoints, config.matchers]).padEnd(64, '0');
}
