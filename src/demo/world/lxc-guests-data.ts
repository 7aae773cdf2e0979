import { plant } from './canaries.ts';
import type { GuestSpec } from './guest-builder.ts';
import type { CanarySink } from './types.ts';
import { DAY, HOUR } from './units.ts';

const NUL = '\u0000';
const LOOPBACK = { name: 'lo', hwaddr: '00:00:00:00:00:00', inet: ['127.0.0.1/8'], inet6: ['::1/128'] } as const;

/** Containers of the hand-made cluster. `now` is epoch seconds. */
export function lxcGuestSpecs(sink: CanarySink, now: number): GuestSpec[] {
  return [proxy(sink, now), ...pve1Rest(sink), ...pve2Containers(sink, now), ...pve3Containers()];
}

function proxy(sink: CanarySink, now: number): GuestSpec {
  const envPassword = plant(sink, '/nodes/pve1/lxc/200/config env', 'CANARY-env-Fh3pW8kSz1');
  const envToken = plant(sink, '/nodes/pve1/lxc/200/config env', 'CANARY-envtoken-Nb7xQ2vLd5');
  const pairSecret = plant(sink, '/nodes/pve1/lxc/200/config lxc.environment', 'CANARY-lxcenv-Tg4mR9yCe6');
  const hookSecret = plant(sink, '/nodes/pve1/lxc/200/config lxc.environment.hooks', 'CANARY-lxchook-Vu1sJ0aHo8');
  const entry = plant(sink, '/nodes/pve1/lxc/200/config entrypoint', 'CANARY-entrypoint-Wi6zK3bPn2');
  const note = plant(sink, '/nodes/pve1/lxc/200/config description', 'CANARY-ctnote-Xo9dM7fGq4');
  const mountSecret = plant(sink, '/nodes/pve1/lxc/200/config mp0', 'CANARY-mountopt-Ye2hL5jRt0');
  const oldEnv = plant(sink, '/nodes/pve1/lxc/200/snapshot/pre/config env', 'CANARY-snapenv-Zk8cA1uBw3');
  const snapshotNote = plant(sink, '/nodes/pve1/lxc/200/snapshot description', 'CANARY-ctsnapnote-Al5vI9xEy7');
  const snapshotPair = plant(sink, '/nodes/pve1/lxc/200/config?snapshot=pre lxc', 'CANARY-snaplxc-Bm0gD4oUs6');
  return {
    vmid: 200,
    node: 'pve1',
    pool: 'prod',
    power: 'running',
    hastate: 'started',
    uptime: 26 * DAY,
    cpu: 0.0367,
    memUse: 0.44,
    diskUse: 0.58,
    config: {
      arch: 'amd64',
      cmode: 'shell',
      cores: 4,
      cpulimit: '1.5',
      cpuunits: 500,
      description: `Nginx reverse proxy\n\nbasic auth ops / password=${note}\n`,
      dev0: '/dev/ttyUSB0,gid=20,mode=0660',
      entrypoint: `/sbin/init --admin-password ${entry}`,
      env: `DB_PASSWORD=${envPassword}${NUL}API_TOKEN=${envToken}${NUL}TZ=Europe/Berlin`,
      features: 'fuse=1,keyctl=1,mknod=1,mount=nfs;cifs,nesting=1',
      hookscript: 'local:snippets/hook.pl',
      hostname: 'proxy.demo.example',
      lxc: [
        ['lxc.cgroup2.devices.allow', 'c 10:200 rwm'],
        ['lxc.idmap', 'u 0 100000 65536'],
        ['lxc.mount.entry', '/dev/net/tun dev/net/tun none bind,create=file'],
        ['lxc.environment', `REGISTRY_SECRET=${pairSecret}`],
        ['lxc.environment.hooks', `HOOK_TOKEN=${hookSecret}`],
        ['lxc.prlimit.nofile', '100000'],
      ],
      memory: 1024,
      mp0: `nas-media:200/vm-200-disk-1.raw,mp=/srv/media,backup=1,mountoptions=noatime;discard;password=${mountSecret},size=100G`,
      mp1: '/mnt/bind,mp=/data,ro=1,shared=1',
      nameserver: '192.0.2.53',
      net0: 'name=eth0,bridge=vmbr0,firewall=1,gw=192.0.2.1,hwaddr=BC:24:11:C0:02:00,ip=192.0.2.20/24,ip6=auto,tag=20,type=veth',
      onboot: 1,
      ostype: 'debian',
      parent: 'pre',
      rootfs: 'local-lvm:vm-200-disk-0,acl=1,quota=1,size=8G',
      searchdomain: 'demo.example',
      startup: 'order=1',
      swap: 512,
      tags: 'prod;proxy',
      timezone: 'host',
      tty: 2,
      unprivileged: 1,
      unused0: 'local-lvm:vm-200-disk-5',
    },
    changes: { cores: { pending: 2 }, searchdomain: { delete: 1 } },
    snapshots: [
      {
        name: 'pre',
        snaptime: now - 71 * DAY,
        description: `before nginx 1.29, secret: ${snapshotNote}\n`,
        config: {
          arch: 'amd64',
          cores: 1,
          env: `DB_PASSWORD=${oldEnv}%00MODE=legacy`,
          hostname: 'proxy.demo.example',
          lxc: [
            ['lxc.cgroup2.devices.allow', 'c 10:200 rwm'],
            ['lxc.environment', `OLD_SECRET=${snapshotPair}`],
          ],
          memory: 512,
          ostype: 'debian',
          rootfs: 'local-lvm:vm-200-disk-0,size=8G',
          swap: 512,
        },
      },
    ],
    interfaces: [
      LOOPBACK,
      {
        name: 'eth0',
        hwaddr: 'bc:24:11:c0:02:00',
        inet: ['192.0.2.20/24'],
        inet6: ['2001:db8:2::20/64', 'fe80::be24:11ff:fec0:200/64'],
      },
    ],
  };
}

function pve1Rest(sink: CanarySink): GuestSpec[] {
  const note = plant(sink, '/nodes/pve1/lxc/205/pending description', 'CANARY-ctpending-Co3eF6lVz9');
  return [
    {
      vmid: 201,
      node: 'pve1',
      pool: 'lab',
      power: 'stopped',
      config: {
        arch: 'amd64',
        hostname: 'tmpl-alpine',
        memory: 256,
        ostype: 'alpine',
        rootfs: 'local:201/base-201-disk-0.raw,size=2G',
        swap: 0,
        template: 1,
        unprivileged: 1,
      },
    },
    {
      vmid: 202,
      node: 'pve1',
      power: 'stopped',
      config: {
        arch: 'arm64',
        cores: 1,
        hostname: 'legacy',
        lock: 'snapshot-delete',
        memory: 512,
        net0: 'name=eth0,bridge=vmbr9,hwaddr=BC:24:11:C0:02:02,ip=dhcp,type=veth',
        ostype: 'unmanaged',
        protection: 1,
        rootfs: 'tank:subvol-202-disk-0,size=4G',
        swap: 0,
        unprivileged: 0,
      },
    },
    {
      vmid: 203,
      node: 'pve1',
      pool: 'prod',
      power: 'running',
      uptime: 41 * DAY,
      cpu: 0.0198,
      memUse: 0.36,
      diskUse: 0.94,
      config: {
        arch: 'amd64',
        cpulimit: '0.5',
        hostname: 'pihole',
        memory: 512,
        net0: 'name=eth0,bridge=vmbr0,gw=10.20.0.1,hwaddr=BC:24:11:C0:02:03,ip=10.20.0.53/24,type=veth',
        net1: 'name=eth1,bridge=voice,hwaddr=BC:24:11:C0:02:13,ip=10.40.0.53/24,type=veth',
        onboot: 1,
        ostype: 'debian',
        rootfs: 'tank:subvol-203-disk-0,size=4G',
        swap: 512,
        tags: 'dns',
        unprivileged: 1,
      },
      interfaces: [
        LOOPBACK,
        {
          name: 'eth0',
          hwaddr: 'bc:24:11:c0:02:03',
          inet: ['10.20.0.53/24', '10.20.0.54/24'],
          inet6: ['fe80::be24:11ff:fec0:203/64'],
        },
        { name: 'eth1', hwaddr: 'bc:24:11:c0:02:13', inet: ['10.40.0.53/24'], inet6: [] },
      ],
    },
    {
      vmid: 204,
      node: 'pve1',
      pool: 'prod/web',
      power: 'running',
      uptime: 7 * DAY,
      cpu: 0.211,
      memUse: 0.97,
      diskUse: 0.71,
      config: {
        arch: 'amd64',
        cores: 6,
        features: 'keyctl=1,nesting=1',
        hostname: 'docker-host',
        memory: 8192,
        net0: 'name=eth0,bridge=vmbr0,firewall=1,hwaddr=BC:24:11:C0:02:04,ip=dhcp,ip6=auto,tag=30,type=veth',
        net1: 'name=eth1,bridge=labnet,hwaddr=BC:24:11:C0:02:14,ip=10.30.0.14/24,type=veth',
        onboot: 1,
        ostype: 'ubuntu',
        rootfs: 'local-lvm:vm-204-disk-0,size=60G',
        swap: 1024,
        tags: 'docker;prod',
      },
      interfaces: [
        LOOPBACK,
        { name: 'eth0', hwaddr: 'bc:24:11:c0:02:04', inet: ['198.51.100.33/24'], inet6: ['fe80::be24:11ff:fec0:204/64'] },
        { name: 'eth1', hwaddr: 'bc:24:11:c0:02:14', inet: ['10.30.0.14/24'], inet6: [] },
        { name: 'docker0', hwaddr: '02:42:8a:11:22:33', inet: ['172.17.0.1/16'], inet6: [] },
        { name: 'veth7f2a1b@if5', hwaddr: '9e:10:3c:44:55:66', inet: [], inet6: [] },
      ],
    },
    {
      vmid: 205,
      node: 'pve1',
      power: 'stopped',
      config: {
        arch: 'amd64',
        cores: 2,
        hostname: 'samba',
        memory: 2048,
        mp0: 'tank:subvol-205-disk-1,mp=/export,backup=0,size=800G',
        net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:C0:02:05,ip=10.20.0.60/24,gw=10.20.0.1,type=veth',
        ostype: 'debian',
        rootfs: 'tank:subvol-205-disk-0,size=16G',
        swap: 512,
        unprivileged: 0,
      },
      changes: { memory: { pending: 4096 }, description: { pending: `join with secret=${note}\n` } },
    },
  ];
}

function pve2Containers(sink: CanarySink, now: number): GuestSpec[] {
  const env = plant(sink, '/nodes/pve2/lxc/221/snapshot/v1/config env', 'CANARY-ctdbenv-Dp7iH2nWa5');
  return [
    {
      vmid: 220,
      node: 'pve2',
      power: 'running',
      hastate: 'error',
      uptime: 22 * HOUR,
      cpu: 0.002,
      memUse: 0.22,
      diskUse: 0.21,
      config: {
        arch: 'amd64',
        cores: 1,
        hostname: 'remote-ct',
        memory: 512,
        net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:C0:03:00,ip=dhcp,type=veth',
        onboot: 1,
        ostype: 'alpine',
        rootfs: 'local-lvm:vm-220-disk-0,size=4G',
        swap: 512,
        tags: 'lab',
        unprivileged: 1,
      },
      interfaces: [LOOPBACK, { name: 'eth0', hwaddr: 'bc:24:11:c0:03:00', inet: ['10.20.0.120/24'], inet6: [] }],
    },
    {
      vmid: 221,
      node: 'pve2',
      pool: 'prod',
      power: 'running',
      uptime: 54 * DAY,
      cpu: 0.118,
      memUse: 0.82,
      diskUse: 0.49,
      config: {
        arch: 'amd64',
        cores: 2,
        hostname: 'cache01',
        memory: 4096,
        net0: 'name=eth0,bridge=vmbr0,firewall=1,hwaddr=BC:24:11:C0:03:01,ip=192.0.2.61/24,gw=192.0.2.1,type=veth',
        onboot: 1,
        ostype: 'debian',
        parent: 'v1',
        rootfs: 'ceph-rbd:vm-221-disk-0,size=20G',
        swap: 0,
        tags: 'cache;prod',
        unprivileged: 1,
      },
      snapshots: [
        {
          name: 'v1',
          snaptime: now - 18 * DAY,
          config: {
            arch: 'amd64',
            cores: 2,
            env: `REDIS_PASSWORD=${env}`,
            hostname: 'cache01',
            memory: 4096,
            ostype: 'debian',
            rootfs: 'ceph-rbd:vm-221-disk-0,size=20G',
            swap: 0,
          },
        },
      ],
      interfaces: [LOOPBACK, { name: 'eth0', hwaddr: 'bc:24:11:c0:03:01', inet: ['192.0.2.61/24'], inet6: [] }],
    },
  ];
}

function pve3Containers(): GuestSpec[] {
  return [
    {
      vmid: 230,
      node: 'pve3',
      power: 'stopped',
      config: {
        arch: 'amd64',
        cores: 1,
        hostname: 'edge-ct',
        memory: 512,
        net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:C0:04:00,ip=dhcp,type=veth',
        ostype: 'alpine',
        rootfs: 'local-lvm:vm-230-disk-0,size=4G',
        swap: 0,
        tags: 'edge',
        unprivileged: 1,
      },
    },
  ];
}
