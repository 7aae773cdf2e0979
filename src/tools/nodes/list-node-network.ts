import { z } from 'zod';
import { bool, int, list, prose, table, text } from '../../answer/spec.ts';
import { counted } from '../../answer/units.ts';
import { visibleWord } from '../../api/reading.ts';
import { readInventory } from '../../cluster/inventory.ts';
import { type NodeInterface, type PendingNetwork, readNodeNetwork } from '../../cluster/node-network.ts';
import { requireOnlineNode } from '../../cluster/resolve.ts';
import { scrubFreeText } from '../../redact/scrub-text.ts';
import { defineTool } from '../define-tool.ts';
import { node } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

export const listNodeNetwork = defineTool({
  name: 'list_node_network',
  title: 'Node network',
  toolset: 'nodes',
  description: "A node's interfaces: addresses, bridges, bonds, VLANs, MTU; and edits that are not applied yet.",
  params: {
    node,
    changes: z.boolean().describe('Show pending edits').optional(),
  },
  paged: true,
  output: {
    interfaces: table({
      iface: text(),
      type: text(),
      active: bool(),
      autostart: bool(),
      method: text(),
      addresses: list(),
      gateway: list(),
      ports: list('of a bridge, members of a bond'),
      vlan: text('id and the device it is on'),
      vlan_aware: text('VLANs that a VLAN-aware bridge lets through'),
      bond: text('mode'),
      bridge: text('Open vSwitch bridge that it belongs to'),
      mtu: int('when it is set'),
      options: list('further lines of its configuration'),
      altnames: list(),
      comment: text(),
    }),
    changes: prose('pending edits as a diff'),
  },
  reads: ['/cluster/resources', '/nodes/{node}/network', '/version', ...RIGHTS_READS],
  async run(args, call) {
    requireOnlineNode(await readInventory(call), args.node);
    const reading = await readNodeNetwork(call, args.node);
    const { interfaces, pending } = reading.data;
    const down = interfaces.filter((i) => i.autostart && !i.active).length;
    return {
      headline: `${counted(interfaces.length, `${visibleWord(reading)}interface`)} on ${args.node}${kinds(interfaces)}${down === 0 ? '' : `; ${down} not active although they start at boot`}${pending === undefined ? '' : '; edits are pending'}`,
      sections: {
        interfaces: { rows: interfaces.map(toRow), key: (row) => [row.iface ?? ''] },
        changes: args.changes === true && pending !== undefined ? scrubFreeText(pending.diff).text : undefined,
      },
      gaps: reading,
      notes: pending === undefined ? [] : [pendingNote(pending, args.changes === true)],
    };
  },
});

/** `: 2 bridge, 1 bond, 4 eth` */
function kinds(interfaces: readonly NodeInterface[]): string {
  const counts = new Map<string, number>();
  for (const { type } of interfaces) counts.set(type, (counts.get(type) ?? 0) + 1);
  const parts = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([type, n]) => `${n} ${type}`);
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

function pendingNote(pending: PendingNetwork, shown: boolean): string {
  return `The configuration was edited and not applied yet (lines added: ${pending.added}, removed: ${pending.removed}). It takes effect at the next reload or reboot.${shown ? '' : ' changes=true shows it.'}`;
}

function toRow(i: NodeInterface) {
  return {
    iface: i.name,
    type: i.type,
    active: i.active,
    autostart: i.autostart,
    method: method(i),
    addresses: some(i.addresses),
    gateway: some(i.gateways),
    ports: some(i.ports),
    vlan: vlan(i),
    vlan_aware: i.vlanAware === true ? (i.vids ?? 'yes') : undefined,
    bond: i.bond,
    bridge: i.bridge,
    mtu: i.mtu,
    options: some(i.options),
    altnames: some(i.altNames),
    comment: i.comment,
  };
}

/** IPv6 is worth a word only where it differs. */
function method(i: NodeInterface): string | undefined {
  if (i.method6 === undefined || i.method6 === i.method || (i.method6 === 'manual' && i.addresses.length < 2)) return i.method;
  return `${i.method ?? 'manual'}, v6 ${i.method6}`;
}

function vlan(i: NodeInterface): string | undefined {
  if (i.vlanId === undefined) return undefined;
  return i.vlanDevice === undefined ? String(i.vlanId) : `${i.vlanId} on ${i.vlanDevice}`;
}

function some(items: readonly string[]): readonly string[] | undefined {
  return items.length === 0 ? undefined : items;
}
