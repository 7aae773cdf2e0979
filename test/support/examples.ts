import type { DemoGuest, DemoTask, DemoWorld } from '../../src/demo/world/types.ts';
import { catalog } from '../../src/tools/catalog.ts';
import type { Tool } from '../../src/tools/define-tool.ts';

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

  return {
    list_nodes: whole,
    get_node_status: nodes,
    list_node_network: nodes,
    list_guests: [...whole, ...nodes, ...pools, ...(tag === undefined ? [] : [{ tag }]), { query: named[0] ?? '1' }],
    get_guest: [...vmids, ...byName, ...vmids.map((args) => ({ ...args, sections: ['agent', 'backups'] }))],
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
  };
}

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

/** A task of every node, kind and ending, running ones and those without a log too. */
function taskVariety(world: DemoWorld): DemoTask[] {
  const kinds = new Map<string, DemoTask>();
  for (const task of [...world.tasks.values()].flat()) {
    const kind = `${task.node} ${task.type} ${task.status?.replace(/[:\d].*/, '') ?? 'running'} ${task.log() === undefined}`;
    if (!kinds.has(kind)) kinds.set(kind, task);
  }
  return [...kinds.values()];
}
