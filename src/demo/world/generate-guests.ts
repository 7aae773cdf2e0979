import { agentAnswers } from './agent-data.ts';
import { assembleGuest, type GuestFigures, type GuestIdentity } from './guest-builder.ts';
import { createRandom, hex, uuidOf } from './random.ts';
import type { AgentState, DemoGuest, DemoSnapshot, GuestConfig, GuestDetail, LxcInterface } from './types.ts';
import { DAY, GIB, HOUR, MIB } from './units.ts';

const ROLES = ['web', 'api', 'worker', 'db', 'cache', 'build', 'queue', 'search', 'mail', 'vdi'] as const;
const TEAMS = 12;

/** First vmid of generated guests; the hand-made ones lie below. */
export const FIRST_GENERATED_VMID = 1000;

export function generatedPoolNames(): string[] {
  return Array.from({ length: TEAMS }, (_unused, index) => `team-${index + 1}`);
}

function macOf(vmid: number, nic: number): string {
  const digits = (vmid * 8 + nic).toString(16).toUpperCase().padStart(6, '0').slice(-6);
  return `BC:24:11:${digits.slice(0, 2)}:${digits.slice(2, 4)}:${digits.slice(4, 6)}`;
}

function addressOf(vmid: number): string {
  return `10.${64 + (Math.floor(vmid / 65_025) % 64)}.${Math.floor(vmid / 255) % 255}.${1 + (vmid % 254)}`;
}

/** One ordinary guest; everything follows from the seed and the vmid. `now` is epoch seconds. */
export function generatedGuest(vmid: number, node: string, seed: string, now: number): DemoGuest {
  const random = createRandom(`${seed}/guest/${vmid}`);
  const type = random.chance(0.3) ? 'lxc' : 'qemu';
  const role = random.pick(ROLES);
  const running = random.chance(0.82);
  const template = !running && random.chance(0.1);
  const cpus = random.pick([1, 2, 2, 4, 4, 8, 16]);
  const memory = random.pick([1024, 2048, 2048, 4096, 8192, 16_384]);
  const disk = random.pick([16, 32, 32, 64, 100, 200]);
  const identity: GuestIdentity = {
    vmid,
    type,
    node,
    name: `${role}-${String(vmid).padStart(5, '0')}`,
    ...(random.chance(0.8) ? { pool: `team-${1 + (vmid % TEAMS)}` } : {}),
    ...(random.chance(0.9) ? { tags: `${role};${random.pick(['prod', 'prod', 'stage', 'dev'])}` } : {}),
    template,
    power: running ? 'running' : 'stopped',
  };
  const figures: GuestFigures = {
    cpus,
    maxmem: memory * MIB,
    maxdisk: disk * GIB,
    maxswap: type === 'lxc' ? 512 * MIB : 0,
  };
  const load = {
    uptime: random.int(HOUR, 300 * DAY),
    cpu: random.next() ** 3,
    memUse: 0.1 + random.next() * 0.85,
    diskUse: 0.1 + random.next() * 0.8,
  };
  return assembleGuest(identity, figures, load, now, () => detailOf(identity, figures, seed, now));
}

function detailOf(guest: GuestIdentity, figures: GuestFigures, seed: string, now: number): GuestDetail {
  const random = createRandom(`${seed}/detail/${guest.vmid}`);
  const config = guest.type === 'qemu' ? vmConfig(guest, figures, seed) : containerConfig(guest, figures);
  const snapshots: DemoSnapshot[] = random.chance(0.12)
    ? [
        {
          name: 'before-update',
          snaptime: now - random.int(2, 500) * DAY,
          vmstate: 0,
          description: 'taken by the update play\n',
          config,
        },
      ]
    : [];
  const address = addressOf(guest.vmid);
  const agent: AgentState =
    guest.type !== 'qemu' || config.agent === undefined
      ? { kind: 'off' }
      : random.chance(0.1)
        ? { kind: 'mute' }
        : agentAnswers(
            guest.name ?? '',
            'debian13',
            [{ name: 'ens18', mac: macOf(guest.vmid, 0), v4: [`${address}/16`] }],
            figures.maxdisk,
          );
  const interfaces: LxcInterface[] = [
    { name: 'lo', hwaddr: '00:00:00:00:00:00', inet: ['127.0.0.1/8'], inet6: ['::1/128'] },
    { name: 'eth0', hwaddr: macOf(guest.vmid, 0).toLowerCase(), inet: [`${address}/16`], inet6: [] },
  ];
  return {
    config: snapshots[0] ? { ...config, parent: snapshots[0].name } : config,
    changes: random.chance(0.03) ? new Map([['cores', { pending: figures.cpus + 1 }]]) : new Map(),
    snapshots,
    agent,
    interfaces: guest.type === 'lxc' && guest.power === 'running' ? interfaces : [],
    cloudinitChanges: new Map(),
  };
}

function vmConfig(guest: GuestIdentity, figures: GuestFigures, seed: string): GuestConfig {
  const base = guest.template ? 'base' : 'vm';
  return {
    ...(guest.vmid % 4 === 0 ? {} : { agent: '1' }),
    boot: 'order=scsi0',
    cores: figures.cpus,
    cpu: 'x86-64-v2-AES',
    memory: String(figures.maxmem / MIB),
    meta: 'creation-qemu=10.0.2,ctime=1735689600',
    name: guest.name ?? '',
    net0: `virtio=${macOf(guest.vmid, 0)},bridge=vmbr0,firewall=1,tag=${100 + (guest.vmid % 40)}`,
    onboot: 1,
    ostype: 'l26',
    scsi0: `ceph-bulk:${base}-${guest.vmid}-disk-0,discard=on,iothread=1,size=${figures.maxdisk / GIB}G`,
    scsihw: 'virtio-scsi-single',
    smbios1: `uuid=${uuidOf(`${seed}/${guest.vmid}`)}`,
    sockets: 1,
    ...(guest.tags === undefined ? {} : { tags: guest.tags }),
    ...(guest.template ? { template: 1 } : {}),
    vmgenid: hex(`${seed}/genid/${guest.vmid}`, 32),
  };
}

function containerConfig(guest: GuestIdentity, figures: GuestFigures): GuestConfig {
  const base = guest.template ? 'base' : 'vm';
  return {
    arch: 'amd64',
    cores: figures.cpus,
    features: 'nesting=1',
    hostname: guest.name ?? '',
    memory: figures.maxmem / MIB,
    net0: `name=eth0,bridge=vmbr0,firewall=1,hwaddr=${macOf(guest.vmid, 0)},ip=${addressOf(guest.vmid)}/16,type=veth`,
    onboot: 1,
    ostype: 'debian',
    rootfs: `ceph-bulk:${base}-${guest.vmid}-disk-0,size=${figures.maxdisk / GIB}G`,
    swap: figures.maxswap / MIB,
    ...(guest.tags === undefined ? {} : { tags: guest.tags }),
    ...(guest.template ? { template: 1 } : {}),
    unprivileged: 1,
  };
}
