import type { FactData } from '../../src/cluster/health-facts.ts';
import type { NodeStatus } from '../../src/cluster/node-status.ts';
import { certificate, DAY, GIB, guest, HOUR, ha, haRule, NOW, node, replication, task } from '../support/health-facts.ts';
import type { Cases } from './case.ts';

type Quorum = FactData['quorum'];
const links = (...numbers: number[]) => new Map(numbers.map((n) => [n, `10.0.${n}.1`]));
const corosync = (name: string, part: Partial<Quorum['nodes'][number]> = {}) => ({
  node: name,
  nodeId: 1,
  votes: 1,
  links: links(0, 1),
  ...part,
});
const quorum = (nodes: Quorum['nodes'], votes?: Quorum['votes'], qdevice?: Quorum['qdevice']): Quorum => ({
  nodes,
  votes,
  qdevice,
});
const votes = (expected: number, present: number) => ({
  expected,
  present,
  needed: Math.floor(expected / 2) + 1,
  qdevice: undefined,
});
const member = (name: string, online = true) => ({ node: name, online, local: false, ip: undefined, nodeId: undefined });
const membership = (quorate: boolean, names = ['n1', 'n2', 'n3']): FactData['membership'] => ({
  clustered: true,
  name: 'c',
  quorate,
  members: names.map((n) => member(n)),
});
const three = [corosync('n1'), corosync('n2'), corosync('n3')];
const arbiter = (state: string) => ({ state, algorithm: 'ffsplit', host: 'q', model: 'net' });

const service = (name: string, state: string, part: { active?: string; unit?: string } = {}) => ({
  service: name,
  state,
  active: part.active ?? 'active',
  unit: part.unit ?? 'enabled',
  about: undefined,
});
const services = (...list: ReturnType<typeof service>[]) => ({ services: new Map([['n1', list]]) });
const status = (part: Partial<NodeStatus>) => ({
  nodeStatus: new Map([
    [
      'n1',
      {
        cpuModel: undefined,
        sockets: 1,
        cores: 8,
        threads: 8,
        cpu: 0.1,
        ioWait: 0.01,
        load: [1, 1, 1],
        memory: { used: 1, total: 10 },
        swap: { used: 1, total: 10 },
        root: { used: 1, total: 10 },
        ksm: undefined,
        kernel: undefined,
        manager: undefined,
        boot: undefined,
        secureBoot: undefined,
        uptime: DAY,
        ...part,
      },
    ],
  ]),
});
const clock = (aheadOfEntry: number | undefined, timezone = 'UTC') => ({ timezone, time: NOW, ahead: 0, aheadOfEntry });
const pack = (name: string, installed: string, candidate = installed) => ({ name, installed, candidate });
const versions = (manager: string, kernel: string, newest = kernel, packages = [pack('pve-manager', manager)]) => ({
  packages,
  manager,
  runningKernel: kernel,
  newestKernel: newest,
});
const lrm = (name: string, heartbeat: number) => ({ role: 'lrm' as const, node: name, status: 'active', heartbeat });
const master = (heartbeat: number) => ({ role: 'master' as const, node: 'n1', status: 'active', heartbeat });
const jobs = (...list: ReturnType<typeof replication>[]) => ({ replication: { jobs: list, clockOffset: 0 } });
const online = [node('n1'), node('n2')];

/** Cluster, nodes, versions, certificates, HA, replication, tasks. */
export const clusterCases: Cases = {
  'PVE-Q01': {
    fires: { membership: membership(false) },
    on: ['cluster'],
    near: [
      { membership: membership(true) },
      { membership: { clustered: false, name: undefined, quorate: undefined, members: [member('n1')] } },
    ],
  },
  'PVE-Q02': {
    fires: { nodes: [node('n1'), node('n2', { status: 'offline' }), node('n3', { status: 'unknown' })] },
    on: ['n2', 'n3'],
    near: [{ nodes: [node('n1')] }],
  },
  'PVE-Q03': {
    fires: { membership: membership(true), quorum: quorum(three, votes(3, 2)) },
    on: ['cluster'],
    near: [
      { membership: membership(true), quorum: quorum(three, votes(3, 3)) },
      { membership: membership(true), quorum: quorum(three, votes(5, 4)) },
      { membership: membership(true, ['n1', 'n2']), quorum: quorum([corosync('n1'), corosync('n2')], votes(2, 2)) },
    ],
  },
  'PVE-Q04': {
    fires: { quorum: quorum(three, votes(3, 3), arbiter('Disconnected')) },
    on: ['cluster'],
    near: [{ quorum: quorum(three, votes(3, 3), arbiter('Connected')) }, { quorum: quorum(three, votes(3, 3)) }],
  },
  'PVE-Q05': {
    fires: { quorum: quorum([corosync('n1'), corosync('n2')]) },
    on: ['cluster'],
    near: [
      { quorum: quorum(three) },
      { quorum: quorum([corosync('n1'), corosync('n2')], votes(3, 3), arbiter('Connected')) },
      { quorum: quorum([]) },
    ],
  },
  'PVE-Q06': {
    fires: { quorum: quorum([corosync('n1', { votes: 2 }), corosync('n2')]) },
    on: ['n1'],
    near: [{ quorum: quorum(three) }],
  },
  'PVE-Q07': {
    fires: { quorum: quorum([corosync('n1'), corosync('n2', { links: links(0) })]) },
    on: ['n2'],
    near: [{ quorum: quorum(three) }, { quorum: quorum(three.map((n) => ({ ...n, links: links(0) }))) }],
  },
  'PVE-Q08': {
    fires: { quorum: quorum(three.map((n) => ({ ...n, links: links(0) }))) },
    on: ['cluster'],
    near: [{ quorum: quorum(three) }, { quorum: quorum([corosync('n1', { links: links(0) })]) }],
  },
  'PVE-Q09': {
    fires: { membership: membership(true, ['n1', 'n2']), quorum: quorum(three) },
    on: ['cluster'],
    near: [
      { membership: membership(true), quorum: quorum(three) },
      { membership: membership(true, ['n1']), quorum: quorum([]) },
    ],
  },
  'PVE-N01': {
    fires: { nodes: [node('n1', { mem: 58 * GIB }), node('n2', { mem: 63 * GIB })] },
    on: ['n1:warning', 'n2'],
    near: [
      {
        nodes: [
          node('n1', { mem: 57 * GIB }),
          node('n2', { mem: undefined, maxMem: undefined }),
          node('n3', { status: 'offline', mem: 64 * GIB }),
        ],
      },
    ],
  },
  'PVE-N02': {
    fires: { nodes: [node('n1', { disk: 86 * GIB }), node('n2', { disk: 96 * GIB })] },
    on: ['n1:warning', 'n2'],
    near: [{ nodes: [node('n1', { disk: 84 * GIB }), node('n2', { maxDisk: 0, disk: 0 })] }],
  },
  'PVE-N03': {
    fires: { nodes: [node('n1', { cpu: 0.95 })] },
    on: ['n1'],
    near: [{ nodes: [node('n1', { cpu: 0.85 }), node('n2', { cpu: undefined })] }],
  },
  'PVE-N04': {
    fires: {
      nodes: [node('n1')],
      guests: [guest(100, { maxMem: 40 * GIB }), guest(101, { maxMem: 40 * GIB, status: 'paused' })],
    },
    on: ['n1'],
    near: [
      {
        nodes: [node('n1')],
        guests: [
          guest(100, { maxMem: 70 * GIB }),
          guest(101, { maxMem: 70 * GIB, status: 'stopped' }),
          guest(102, { maxMem: 70 * GIB, node: 'n2' }),
        ],
      },
    ],
  },
  'PVE-N05': {
    fires: status({ swap: { used: 6, total: 10 } }),
    on: ['n1'],
    near: [status({ swap: { used: 4, total: 10 } }), status({ swap: { used: 0, total: 0 } })],
  },
  'PVE-N06': { fires: status({ load: [1, 1, 13] }), on: ['n1'], near: [status({ load: [40, 20, 11] }), status({ load: [] })] },
  'PVE-N07': { fires: status({ ioWait: 0.3 }), on: ['n1'], near: [status({ ioWait: 0.1 }), status({ ioWait: undefined })] },
  'PVE-N08': {
    fires: {
      services: new Map([
        ['n1', [service('corosync', 'failed')]],
        ['n2', [service('postfix', 'dead', { active: 'failed' })]],
      ]),
    },
    on: ['n1', 'n2:warning'],
    near: [services(service('postfix', 'exited'), service('syslog', 'dead', { active: 'inactive', unit: 'not-found' }))],
  },
  'PVE-N09': {
    fires: services(service('pvestatd', 'dead', { active: 'inactive' })),
    on: ['n1'],
    near: [
      services(
        service('ksmtuned', 'dead', { active: 'inactive' }),
        service('pvestatd', 'dead', { active: 'inactive', unit: 'not-found' }),
      ),
      {
        ...services(service('corosync', 'dead', { active: 'inactive' })),
        membership: { clustered: false, name: undefined, quorate: undefined, members: [] },
      },
    ],
  },
  'PVE-N10': {
    fires: services(
      service('chrony', 'dead', { active: 'inactive' }),
      service('systemd-timesyncd', 'dead', { active: 'inactive', unit: 'not-found' }),
    ),
    on: ['n1'],
    near: [
      services(service('chrony', 'dead', { active: 'inactive', unit: 'not-found' }), service('systemd-timesyncd', 'running')),
      services(service('cron', 'running')),
    ],
  },
  'PVE-V01': {
    fires: {
      everyNode: true,
      versions: new Map([
        ['n1', versions('9.1.1', '6.8.1-1-pve')],
        ['n2', versions('9.1.2', '6.8.1-1-pve')],
      ]),
    },
    on: ['pve-manager'],
    near: [
      {
        everyNode: true,
        versions: new Map([
          ['n1', versions('9.1.1', '6.8.1-1-pve')],
          ['n2', versions('9.1.1', '6.8.1-1-pve')],
        ]),
      },
      { everyNode: true, versions: new Map([['n1', versions('9.1.1', '6.8.1-1-pve')]]) },
    ],
  },
  'PVE-V02': {
    fires: {
      everyNode: true,
      versions: new Map([
        ['n1', versions('9', '6', '6', [pack('qemu', '1')])],
        ['n2', versions('9', '6', '6', [pack('qemu', '2')])],
      ]),
    },
    on: ['qemu'],
    // Which kernels lie around is no difference.
    near: [
      {
        everyNode: true,
        versions: new Map([
          ['n1', versions('9', '6', '6', [pack('proxmox-kernel-6.8.1-1-pve-signed', '1')])],
          ['n2', versions('9', '6', '6', [])],
        ]),
      },
    ],
  },
  'PVE-V03': {
    fires: { versions: new Map([['n1', versions('9', '6.8.1-1-pve', '6.14.1-1-pve')]]) },
    on: ['n1'],
    near: [
      { versions: new Map([['n1', versions('9', '6.14.1-1-pve', '6.14.1-1-pve')]]) },
      { versions: new Map([['n1', versions('9', '6.14.1-2-pve', '6.14.1-1-pve')]]) },
    ],
  },
  'PVE-V04': {
    fires: { release: { major: 7, minor: 4, text: '7.4' } },
    on: ['cluster'],
    near: [{ release: { major: 9, minor: 0, text: '9.0' } }],
  },
  'PVE-V05': {
    fires: {
      everyNode: true,
      versions: new Map([
        ['n1', versions('9', '6.8.1-1-pve')],
        ['n2', versions('9', '6.14.1-1-pve')],
      ]),
    },
    on: ['cluster'],
    near: [
      {
        everyNode: true,
        versions: new Map([
          ['n1', versions('9', '6.8.1-1-pve', '6.14.1-1-pve')],
          ['n2', versions('9', '6.14.1-1-pve')],
        ]),
      },
    ],
  },
  'PVE-C01': {
    fires: {
      certificates: new Map([
        ['n1', [certificate('pveproxy-ssl.pem', 'web', NOW + 20 * DAY)]],
        ['n2', [certificate('pve-ssl.pem', 'web', NOW - DAY)]],
      ]),
    },
    on: ['n1:warning', 'n2'],
    near: [
      {
        certificates: new Map([
          ['n1', [certificate('pveproxy-ssl.pem', 'web', NOW + 31 * DAY), certificate('pve-ssl.pem', 'node', NOW + DAY)]],
        ]),
      },
    ],
  },
  'PVE-C02': {
    fires: { certificates: new Map([['n1', [certificate('pve-ssl.pem', 'node', NOW + DAY)]]]) },
    on: ['n1'],
    near: [
      { certificates: new Map([['n1', [certificate('pve-ssl.pem', 'node', NOW + 10 * DAY), certificate('x.pem', 'web', NOW)]]]) },
    ],
  },
  'PVE-C03': {
    fires: { certificates: new Map([['n1', [certificate('pve-root-ca.pem', 'ca', NOW + 100 * DAY)]]]) },
    on: ['cluster'],
    near: [
      { certificates: new Map([['n1', [certificate('pve-root-ca.pem', 'ca', NOW + 200 * DAY)]]]) },
      { certificates: new Map() },
    ],
  },
  'PVE-C04': {
    fires: { certificates: new Map([['n1', [certificate('pve-ssl.pem', 'web', NOW + 999 * DAY, 'rsaEncryption 1024')]]]) },
    on: ['n1'],
    near: [
      {
        certificates: new Map([
          ['n1', [certificate('a', 'web', NOW + 999 * DAY), certificate('b', 'web', NOW + 999 * DAY, 'id-ecPublicKey 256')]],
        ]),
      },
    ],
  },
  'PVE-C05': {
    fires: {
      clocks: new Map([
        ['n1', clock(6)],
        ['n2', clock(-40)],
      ]),
    },
    on: ['n1:warning', 'n2'],
    near: [
      {
        clocks: new Map([
          ['n1', clock(4)],
          ['n2', clock(undefined)],
        ]),
      },
    ],
  },
  'PVE-C06': {
    fires: {
      everyNode: true,
      clocks: new Map([
        ['n1', clock(0)],
        ['n2', clock(0, 'Europe/Berlin')],
      ]),
    },
    on: ['cluster'],
    near: [
      {
        everyNode: true,
        clocks: new Map([
          ['n1', clock(0)],
          ['n2', clock(0)],
        ]),
      },
    ],
  },
  'PVE-C07': {
    fires: { dns: new Map([['n1', { search: 'x', servers: [] }]]) },
    on: ['n1'],
    near: [{ dns: new Map([['n1', { search: 'x', servers: ['10.0.0.1'] }]]) }],
  },
  'PVE-C08': {
    fires: {
      everyNode: true,
      dns: new Map([
        ['n1', { search: 'x', servers: ['10.0.0.1'] }],
        ['n2', { search: 'x', servers: ['10.0.0.2'] }],
      ]),
    },
    on: ['name servers'],
    near: [
      {
        everyNode: true,
        dns: new Map([
          ['n1', { search: 'x', servers: ['10.0.0.1', '10.0.0.2'] }],
          ['n2', { search: 'x', servers: ['10.0.0.2', '10.0.0.1'] }],
        ]),
      },
    ],
  },
  'PVE-C09': {
    fires: { dns: new Map([['n1', { search: 'x', servers: ['10.0.0.1'] }]]) },
    on: ['n1'],
    near: [{ dns: new Map([['n1', { search: 'x', servers: ['10.0.0.1', '10.0.0.2'] }]]) }],
  },

  'PVE-H01': {
    fires: { ha: ha({ 'vm:100': 'error' }) },
    on: ['vm:100'],
    near: [{ ha: ha({ 'vm:100': 'started', 'vm:101': 'stopped' }) }],
  },
  'PVE-H02': {
    fires: { ha: ha({ 'vm:100': 'fence', 'vm:101': 'recovery' }) },
    on: ['vm:100', 'vm:101'],
    near: [{ ha: ha({ 'vm:100': 'migrate' }) }],
  },
  'PVE-H03': { fires: { ha: ha({ 'vm:100': 'not found' }) }, on: ['vm:100'], near: [{ ha: ha({ 'vm:100': 'queued' }) }] },
  'PVE-H04': {
    fires: { ha: ha({}, { managers: [lrm('n1', NOW - 2 * HOUR)] }), nodes: online },
    on: ['n1'],
    near: [
      { ha: ha({}, { managers: [lrm('n1', NOW - 60)] }), nodes: online },
      { ha: ha({}, { managers: [lrm('n1', NOW - 2 * HOUR)] }), nodes: [node('n1', { status: 'offline' })] },
    ],
  },
  'PVE-H05': {
    fires: { ha: ha({ 'vm:100': 'started' }, { managers: [master(NOW - HOUR)] }) },
    on: ['n1'],
    near: [{ ha: ha({ 'vm:100': 'started' }, { managers: [master(NOW - 10)] }) }, { ha: ha({}, { managers: [] }) }],
  },
  'PVE-H06': {
    fires: { ha: ha({ 'vm:100': 'started' }, { armed: 'disarmed' }) },
    on: ['cluster'],
    near: [
      { ha: ha({ 'vm:100': 'started' }, { armed: 'armed' }) },
      { ha: ha({}, { armed: 'standby' }) },
      { ha: ha({ 'vm:100': 'started' }) },
    ],
  },
  'PVE-H07': {
    fires: {
      ha: ha(
        { 'vm:100': 'started', 'vm:101': 'started', 'vm:102': 'started' },
        {
          group: 'g',
          groups: [{ group: 'g', nodes: ['n9'], restricted: true, noFailback: false, comment: undefined }],
          rules: [
            haRule('pinned', { nodes: ['n9:2'] }),
            haRule('apart', {
              type: 'resource-affinity',
              affinity: 'apart',
              nodes: [],
              strict: undefined,
              resources: ['vm:100', 'vm:101', 'vm:102'],
            }),
          ],
        },
      ),
      nodes: online,
    },
    on: ['group g', 'rule apart', 'rule pinned'],
    near: [
      {
        ha: ha(
          { 'vm:100': 'started', 'vm:101': 'started' },
          {
            rules: [
              haRule('off', { nodes: ['n9'], enabled: false }),
              haRule('soft', { nodes: ['n9'], strict: false }),
              haRule('one up', { nodes: ['n9', 'n1:1'] }),
              haRule('two apart', { affinity: 'apart', nodes: [], resources: ['vm:100', 'vm:101'] }),
              haRule('unmanaged', { nodes: ['n9'], resources: ['vm:999'] }),
            ],
          },
        ),
        nodes: online,
      },
    ],
  },
  'PVE-H08': {
    fires: { ha: ha({}, { rules: [haRule('a', { errors: ['twice'] })] }) },
    on: ['rule a'],
    near: [{ ha: ha({}, { rules: [haRule('a')] }) }, { ha: ha({}) }],
  },
  'PVE-H09': {
    fires: { ha: ha({ 'vm:100': 'started' }, { rules: [haRule('a', { resources: ['vm:100', 'vm:101'] })] }) },
    on: ['rule a'],
    near: [{ ha: ha({ 'vm:100': 'started' }, { rules: [haRule('a'), haRule('b', { enabled: false, resources: ['vm:9'] })] }) }],
  },
  'PVE-H10': {
    fires: { ha: ha({ 'vm:100': 'stopped' }) },
    on: ['vm:100'],
    near: [{ ha: ha({ 'vm:100': 'stopped' }, { wanted: 'stopped' }) }, { ha: ha({ 'vm:100': 'started' }) }],
  },
  'PVE-H11': {
    fires: { nodes: [node('n1', { haState: 'maintenance' })] },
    on: ['n1'],
    near: [{ nodes: [node('n1', { haState: 'online' }), node('n2')] }],
  },
  'PVE-H12': {
    fires: { ha: ha({ 'vm:100': 'started' }), quorum: quorum([corosync('n1'), corosync('n2')], votes(2, 2)) },
    on: ['cluster'],
    near: [
      { ha: ha({ 'vm:100': 'started' }), quorum: quorum(three, votes(3, 3)) },
      { ha: ha({}), quorum: quorum([corosync('n1'), corosync('n2')], votes(2, 2)) },
      { ha: ha({ 'vm:100': 'started' }), quorum: quorum([]) },
    ],
  },

  'PVE-R01': {
    fires: jobs(replication('100-0', {}, { failCount: 2, error: 'no space' })),
    on: ['100-0'],
    near: [jobs(replication('100-0'), replication('101-0', { disabled: true }, { failCount: 4 }))],
  },
  'PVE-R02': {
    fires: jobs(replication('100-0', {}, { lastSync: NOW - HOUR })),
    on: ['100-0'],
    near: [
      jobs(
        replication('100-0', {}, { lastSync: NOW - 40 * 60 }),
        replication('101-0', { disabled: true }, { lastSync: NOW - 40 * DAY }),
        replication('102-0', {}, { lastSync: NOW - DAY, failCount: 1 }),
      ),
    ],
  },
  'PVE-R03': {
    fires: jobs(replication('100-0', {}, { lastSync: undefined })),
    on: ['100-0'],
    near: [
      jobs(
        replication('100-0'),
        { ...replication('101-0'), state: undefined },
        replication('102-0', {}, { lastSync: undefined, running: true }),
      ),
    ],
  },
  'PVE-R04': {
    fires: {
      ...jobs(replication('100-0'), replication('101-0', { source: 'n9' })),
      nodes: [node('n1'), node('n2', { status: 'offline' })],
    },
    on: ['100-0', '101-0'],
    near: [{ ...jobs(replication('100-0'), replication('101-0', { target: 'n9', disabled: true })), nodes: online }],
  },
  'PVE-R05': {
    fires: jobs(replication('100-0', {}, { duration: 1_000 })),
    on: ['100-0'],
    near: [
      jobs(replication('100-0', {}, { duration: 61 }), { ...replication('101-0', {}, { duration: 9_999 }), interval: undefined }),
    ],
  },

  'PVE-T01': {
    fires: {
      ended: [
        task('qmstart', { state: 'failed', status: 'no', id: '100' }),
        task('qmstart', { state: 'failed', id: '101' }),
        task('vzdump', { state: 'failed', node: 'n2' }),
      ],
    },
    on: ['qmstart on n1', 'vzdump on n2'],
    near: [
      {
        ended: [
          task('qmstart'),
          task('qmstart', { state: 'warning' }),
          task('vncproxy', { state: 'failed' }),
          task('x', { state: 'unknown', status: 'unexpected status' }),
        ],
      },
    ],
  },
  'PVE-T02': {
    fires: { ended: [task('vzdump', { state: 'warning', status: 'WARNINGS: 1' })] },
    on: ['vzdump on n1'],
    near: [{ ended: [task('vzdump'), task('vzdump', { state: 'failed' })] }],
  },
  'PVE-T03': {
    fires: { running: [task('vzdump', { start: NOW - 2 * DAY, end: undefined, state: 'running', id: '100' })] },
    on: ['vzdump 100'],
    near: [
      {
        running: [
          task('vzdump', { start: NOW - 20 * HOUR, state: 'running' }),
          task('vncproxy', { start: NOW - 9 * DAY, state: 'running' }),
        ],
      },
    ],
  },
};
