import type { HaArea, HaGroup, HaResource, HaRule, LrmState, ReplicationArea, ReplicationJob } from './area-types.ts';
import type { DemoGuest, WorldCore } from './types.ts';

const MISSING_VMID = 9_901;

function sidOf(guest: DemoGuest): string {
  return `${guest.type === 'qemu' ? 'vm' : 'ct'}:${guest.vmid}`;
}

/** HA resources, rules, groups and managers; the guests say which of them are resources, and in which state. */
export function createHa(core: WorldCore): HaArea {
  const now = Math.floor(core.now / 1000);
  const guests = [...core.guests.values()].filter((guest) => guest.hastate !== undefined);
  const master = core.nodes.find((node) => node.local)?.node ?? 'pve1';
  const resources = guests.map((guest) => resourceOf(guest, core));
  if (resources.length > 0 && !core.generated) {
    resources.push({
      sid: `vm:${MISSING_VMID}`,
      type: 'vm',
      vmid: MISSING_VMID,
      node: null,
      request: 'disabled',
      state: 'not found',
      comment: 'destroyed without purge',
    });
  }
  const lrms: LrmState[] = core.nodes.map((node) => {
    const busy = guests.some((guest) => guest.node === node.node);
    const state = busy ? 'active' : 'wait_for_agent_lock';
    if (!node.online) return { node: node.node, state, lastSeen: now - 27 * 3600 };
    return { node: node.node, state, lastSeen: node.services['pve-ha-lrm']?.state === 'failed' ? now - 7_402 : undefined };
  });
  return {
    used: resources.length > 0 && !core.standalone,
    master,
    lrms,
    resources: core.standalone ? [] : resources,
    rules: core.standalone || core.generated ? [] : createRules(resources),
    groups: core.standalone || core.generated ? [] : createGroups(),
  };
}

function resourceOf(guest: DemoGuest, core: WorldCore): HaResource {
  const { vmid, node } = guest;
  const base = { sid: sidOf(guest), type: guest.type === 'qemu' ? ('vm' as const) : ('ct' as const), vmid, node };
  const state = guest.hastate ?? 'started';
  const request = guest.hastate === 'stopped' ? ('stopped' as const) : ('started' as const);
  const resource: HaResource = { ...base, request, state };
  if (core.generated) return resource;
  if (vmid === 100) return { ...resource, comment: 'frontend – Büro', group: 'prefer-pve1', maxRelocate: 2, maxRestart: 3 };
  if (vmid === 130) return { ...resource, comment: 'must stay on its node', group: 'only-pve3' };
  if (vmid === 101) return { ...resource, failback: 0 };
  return resource;
}

function createRules(resources: readonly HaResource[]): HaRule[] {
  const known = new Set(resources.map((resource) => resource.sid));
  const rules: HaRule[] = [
    {
      rule: 'web-on-pve1',
      type: 'node-affinity',
      comment: 'keep web close to the uplink',
      nodes: 'pve1:2,pve2:1',
      resources: ['vm:100'],
      strict: 0,
    },
    { rule: 'replica-pinned', type: 'node-affinity', nodes: 'pve3', resources: ['vm:130'], strict: 1 },
    {
      rule: 'three-apart',
      type: 'resource-affinity',
      affinity: 'negative',
      comment: 'mail, web and files',
      resources: ['vm:100', 'vm:116', 'vm:120'],
    },
    { rule: 'db-files-apart', type: 'resource-affinity', affinity: 'negative', resources: ['vm:101', 'ct:220'] },
    { rule: 'proxy-with-db', type: 'resource-affinity', affinity: 'positive', resources: ['ct:200', 'vm:101'] },
    { rule: 'old-move', type: 'node-affinity', disable: 1, nodes: 'pve3', resources: ['ct:200'], strict: 1 },
    {
      rule: 'web-again',
      type: 'node-affinity',
      errors: { resources: ["resource 'vm:100' is already used in another node affinity rule"] },
      nodes: 'pve2',
      resources: ['vm:100'],
      strict: 0,
    },
  ];
  return rules.filter((rule) => rule.resources.every((sid) => known.has(sid)));
}

function createGroups(): HaGroup[] {
  return [
    { group: 'only-pve3', nodes: 'pve3', restricted: 1, nofailback: 0 },
    { group: 'prefer-pve1', nodes: 'pve1:2,pve2:1', restricted: 0, nofailback: 1, comment: 'uplink side' },
    { group: 'spare', nodes: 'pve1,pve2,pve3', restricted: 0, nofailback: 0 },
  ];
}

/** Replication jobs: on time, failing, behind, never run, disabled, running, and one whose source is off. */
export function createReplication(core: WorldCore): ReplicationArea {
  if (core.standalone || core.generated) return { jobs: [] };
  const now = Math.floor(core.now / 1000);
  const job = (vmid: number, target: string, rest: Partial<ReplicationJob>): ReplicationJob[] => {
    const guest = core.guests.get(vmid);
    if (guest === undefined || guest.node === target) return [];
    return [
      {
        id: `${vmid}-0`,
        guest: vmid,
        vmtype: guest.type,
        source: guest.node,
        target,
        schedule: '*/15',
        every: 15,
        failCount: 0,
        lastSync: undefined,
        lastTry: undefined,
        duration: 4.0871,
        log: [
          `start replication job`,
          `guest => ${guest.type === 'qemu' ? 'VM' : 'CT'} ${vmid}, running => ${guest.pid ?? 0}`,
          'end replication job',
        ],
        ...rest,
      },
    ];
  };
  return {
    jobs: [
      ...job(101, 'pve2', { comment: 'database – täglich geprüft', rate: 50, duration: 61.5, every: 30, schedule: '*/30' }),
      ...job(112, 'pve2', {
        failCount: 4,
        error: "command 'zfs snapshot tank/vm-112-disk-0@__replicate_112-0__' failed: exit code 1",
        lastSync: now - 3 * 3600,
        lastTry: now - 700,
        duration: 3.2145,
        log: [
          'start replication job',
          '(remote_prepare_local_job) kein Platz â Prüfung',
          "end replication job with error: command 'zfs snapshot' failed: exit code 1",
        ],
      }),
      ...job(203, 'pve2', { lastSync: now - 26 * 3600, lastTry: now - 26 * 3600 }),
      ...job(205, 'pve2', { comment: 'new', duration: undefined, lastSync: 0, lastTry: 0, log: undefined }),
      ...job(109, 'pve2', { disable: 1, lastSync: now - 40 * 86_400, lastTry: now - 40 * 86_400 }),
      ...job(121, 'pve1', { schedule: undefined, duration: 12.25 }),
      ...job(131, 'pve1', { lastSync: now - 30 * 3600, lastTry: now - 30 * 3600 }),
    ],
  };
}
