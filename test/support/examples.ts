import { createWorld } from '../../src/demo/world/create-world.ts';
import type { DemoGuest, DemoTask, DemoWorld } from '../../src/demo/world/types.ts';
import { catalog } from '../../src/tools/catalog.ts';
import type { Tool } from '../../src/tools/define-tool.ts';
import { spread } from './spread.ts';

/** Arguments of one call. */
export type Args = Readonly<Record<string, unknown>>;

/**
 * Arguments that make sense at an embedded cluster, for every tool of the catalogue: the tests that cross all tools
 * (contract, canary, faults, clients, fuzz) call them with these. A tool without an entry fails those tests.
 *
 * An entry names *whom* a tool can be asked about; enumerations, booleans and sections are varied by `combinationsOf`.
 */
export type Examples = Readonly<Record<string, readonly Args[]>>;

/** The table for one data set. */
export function examplesFor(world: DemoWorld): Examples {
  const whole: Args[] = [{}];
  const nodes = world.nodes.map(({ node }): Args => ({ node }));
  const guests = [...world.guests.values()];
  const vmids = guests.map(({ vmid }): Args => ({ vmid }));
  const snapshots = guests.flatMap(({ vmid, detail }) => detail.snapshots.map(({ name }): Args => ({ vmid, snapshot: name })));
  const named = uniqueNames(guests).slice(0, 2);
  const byName = named.map((name): Args => ({ name }));
  const storages = world.storages.map(({ storage }): Args => ({ storage }));
  const upids = taskVariety(world).map(({ upid }): Args => ({ upid }));
  const pools = world.pools.map(({ poolid }): Args => ({ pool: poolid }));
  const vnets = world.areas.sdn.vnets.map(({ id }): Args => ({ scope: 'vnet', vnet: id }));
  const [guest] = guests;
  const tag = guests.find(({ tags }) => tags !== undefined)?.tags?.split(';')[0];

  const addresses = searchable(guests);
  const disks = world.nodes.flatMap(({ node }) =>
    world
      .disks(node)
      .disks.slice(0, 1)
      .map(({ devpath }) => ({ node, devpath })),
  );

  return {
    get_cluster_overview: whole,
    search_inventory: [
      ...[...named, ...addresses, tag ?? '1', String(guest?.vmid ?? 1)].map((query): Args => ({ query })),
      ...named.map((query): Args => ({ query, deep: true })),
      ...['10.20.0.0/24', 'vlan 20'].map((query): Args => ({ query })),
      ...dependedOn(world).map((depends_on): Args => ({ depends_on })),
    ],
    check_health: [...whole, ...nodes.slice(0, 1), ...vmids.slice(0, 1), { deep: true }, { ignored: true }],
    list_pools: [...whole, ...pools],
    list_nodes: whole,
    list_node_disks: [...nodes, ...disks.map(({ node, devpath }): Args => ({ node, smart: devpath, health: true }))],
    get_metrics: [
      ...nodes,
      ...spread(vmids, 6),
      ...spread(storages, 3),
      ...nodes.map((args) => ({ ...args, series: ['all'], points: true })),
      ...world.nodes.flatMap(({ node }) => storages.slice(0, 2).map((args) => ({ ...args, node }))),
    ],
    get_ha_status: whole,
    list_replication: [...whole, ...nodes, ...world.areas.replication.jobs.map(({ id }): Args => ({ job: id }))],
    get_node_status: nodes,
    list_node_network: nodes,
    list_guests: [...whole, ...nodes, ...pools, ...(tag === undefined ? [] : [{ tag }]), { query: named[0] ?? '1' }],
    get_guest: [...vmids, ...byName, ...spread(vmids, 6).map((args) => ({ ...args, sections: ['agent', 'backups'] }))],
    get_guest_config: [...vmids, ...snapshots, ...vmids.map((args) => ({ ...args, notes: true })), ...byName],
    get_guest_status: [...vmids, ...byName],
    list_snapshots: [...vmids, ...byName],
    get_guest_network: [...vmids, ...byName],
    list_storage: [...whole, ...nodes],
    list_storage_content: [
      ...storages,
      ...world.nodes.flatMap(({ node }) => storages.map((args) => ({ ...args, node }))),
      ...(guest === undefined ? [] : storages.map((args) => ({ ...args, vmid: guest.vmid, content: 'backup' }))),
    ],
    list_backup_jobs: whole,
    check_backup_coverage: [...whole, ...pools.slice(0, 1), ...vmids.slice(0, 2), { state: 'stale' }, { max_age: '2d' }],
    get_firewall_rules: [
      ...whole,
      { scope: 'cluster' },
      ...nodes.map((args) => ({ ...args, scope: 'node' })),
      ...vmids,
      ...vnets,
    ],
    list_recent_tasks: [
      ...whole,
      ...nodes,
      { since: '7d', until: '1h' },
      { type: 'vzdump' },
      { user: 'root@pam' },
      ...(guest === undefined ? [] : [{ vmid: guest.vmid }]),
    ],
    get_task: upids,
    check_token_access: whole,
    explain_firewall_path: vmids
      .slice(0, 4)
      .flatMap((args): Args[] => [
        { ...args, source: '203.0.113.7', port: 443 },
        { ...args, source: 'any', protocol: 'icmp' },
        ...(args === vmids[1] ? [] : [{ ...args, source: String(vmids[1]?.['vmid'] ?? 'any'), port: 22 }]),
      ]),
    check_capacity: [...whole, ...nodes, { deep: true }, ...storages.slice(0, 1)],
    review_access: [
      ...whole,
      { on: '/' },
      ...vmids.slice(0, 3).map((args): Args => ({ on: String(args['vmid']) })),
      ...storages.slice(0, 2).map((args): Args => ({ on: `/storage/${args['storage']}` })),
      { on: '/', privilege: 'VM.Backup' },
    ],
    get_incident_timeline: [...whole, ...nodes, ...vmids.slice(0, 2), { since: '7d', until: '1h' }],
    get_node_log: [...nodes, ...spread(vmids, 3)],
    get_ceph_status: whole,
    list_ceph_osds: [...whole, ...world.areas.ceph.osds.slice(0, 2).map(({ id }): Args => ({ osd: id }))],
    get_sdn: whole,
    list_hardware: [...whole, ...nodes],
    list_updates: [...whole, ...nodes],
    list_certificates: [...whole, ...nodes],
    get_cluster_config: whole,
  };
}

/** Tools with example arguments; that there are others is told once, by the contract test. */
export const coveredTools: readonly (readonly [name: string, tool: Tool])[] = ((): (readonly [string, Tool])[] => {
  const lacking = new Set(unmatched(examplesFor(createWorld({}))).tools);
  return catalog.filter(({ name }) => !lacking.has(name)).map((tool) => [tool.name, tool]);
})();

/** The example calls of one tool; throws when nobody wrote any. */
export function examplesOf(tool: Tool, examples: Examples): readonly Args[] {
  const found = examples[tool.name];
  if (found === undefined || found.length === 0) {
    throw new Error(`${tool.name} has no example arguments: add an entry to test/support/examples.ts`);
  }
  return found;
}

/** Tools of the catalogue that lack an entry, and entries without a tool. */
export function unmatched(examples: Examples): { readonly tools: string[]; readonly entries: string[] } {
  const names = new Set(catalog.map(({ name }) => name));
  return {
    tools: catalog.flatMap(({ name }) => ((examples[name]?.length ?? 0) === 0 ? [name] : [])),
    entries: Object.keys(examples).filter((name) => !names.has(name)),
  };
}

/** Names that only one guest has. */
function uniqueNames(guests: readonly DemoGuest[]): string[] {
  const names = guests.flatMap(({ name }) => name ?? []);
  return names.filter((name) => names.filter((other) => other === name).length === 1);
}

/** An address, a hardware address and a volume that guests have. */
function searchable(guests: readonly DemoGuest[]): string[] {
  const agents = guests.flatMap(({ detail }) => (detail.agent.kind === 'answers' ? (detail.agent.facts.interfaces ?? []) : []));
  const ip = agents.flatMap((nic) => nic['ip-addresses'] ?? []).find((a) => !a['ip-address'].startsWith('127.'))?.['ip-address'];
  const settings = guests.flatMap(({ detail }) => Object.entries(detail.config));
  const nic = settings.find(([key]) => key === 'net0')?.[1];
  const disk = settings.find(([key]) => /^(?:scsi|virtio)0$/.test(key))?.[1];
  const mac = /(?:[0-9A-F]{2}:){5}[0-9A-F]{2}/i.exec(String(nic))?.[0];
  return [ip, mac, disk === undefined ? undefined : String(disk).split(',')[0]].filter((text) => text !== undefined);
}

/** Something of each kind that others may depend on. */
function dependedOn(world: DemoWorld): string[] {
  const named = (kind: string, id: string | undefined): string[] => (id === undefined ? [] : [`${kind}:${id}`]);
  return [
    ...world.nodes.map(({ node }) => `node:${node}`),
    ...named('storage', world.storages[0]?.storage),
    ...named('vnet', world.areas.sdn.vnets[0]?.id),
    ...world.areas.config.mappings.pci.slice(0, 1).map(({ id }) => `mapping:${String(id)}`),
    'bridge:vmbr0',
    'vlan:20',
  ];
}

/** A task of every node, kind and ending, running ones and those without a log too. */
function taskVariety(world: DemoWorld): DemoTask[] {
  const kinds = new Map<string, DemoTask>();
  for (const task of [...world.tasks.values()].flat()) {
    const kind = `${task.node} ${task.type} ${task.status?.replace(/[:\d].*/, '') ?? 'running'} ${task.log() === undefined}`;
    if (!kinds.has(kind)) kinds.set(kind, task);
  }
  return [...kinds.values()];
}
