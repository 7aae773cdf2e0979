import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { createCall } from '../api/call.ts';
import { toApiError } from '../api/errors.ts';
import type { Session } from '../api/session.ts';
import { type Inventory, readInventory } from '../cluster/inventory.ts';
import { toolsOf } from '../tools/catalog.ts';
import type { Tool } from '../tools/define-tool.ts';
import { runTool, type ToolOutcome } from '../tools/run-tool.ts';
import type { Runtime } from './runtime.ts';

/** Guests that a listing names; the rest is reachable through the template. */
const MAX_LISTED = 200;
const MIME = 'text/plain';

/** A family of resources: what a tool answers, under an address. */
interface ResourceFamily {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly tool: string;
  readonly pattern: RegExp;
  readonly variable: 'node' | 'vmid' | undefined;
}

const FAMILIES: readonly ResourceFamily[] = [
  {
    uri: 'proxmox://cluster',
    name: 'Cluster',
    description: 'State of the cluster',
    tool: 'get_cluster_overview',
    pattern: /^proxmox:\/\/cluster$/,
    variable: undefined,
  },
  {
    uri: 'proxmox://nodes/{node}',
    name: 'Node',
    description: 'State of one node',
    tool: 'get_node_status',
    pattern: /^proxmox:\/\/nodes\/([^/]+)$/,
    variable: 'node',
  },
  {
    uri: 'proxmox://guests/{vmid}',
    name: 'Guest',
    description: 'Dossier of one guest',
    tool: 'get_guest',
    pattern: /^proxmox:\/\/guests\/([^/]+)$/,
    variable: 'vmid',
  },
  {
    uri: 'proxmox://guests/{vmid}/config',
    name: 'Guest configuration',
    description: 'Configuration of one guest',
    tool: 'get_guest_config',
    pattern: /^proxmox:\/\/guests\/([^/]+)\/config$/,
    variable: 'vmid',
  },
];

function families(runtime: Runtime): readonly { readonly family: ResourceFamily; readonly tool: Tool }[] {
  const tools = toolsOf(runtime.settings.toolsets);
  return FAMILIES.flatMap((family) => {
    const tool = tools.find((t) => t.name === family.tool);
    return tool === undefined ? [] : [{ family, tool }];
  });
}

/** What was asked of the cluster for a listing: what it cost, and why it may be empty. */
export type Asked = Pick<ToolOutcome, 'stats' | 'errorKind'>;

/** The cluster, its nodes and its first guests. With the cluster out of reach only what needs no look at it is listed. */
export async function listResources(
  runtime: Runtime,
  session: Session,
  signal: AbortSignal,
): Promise<{ readonly resources: Resource[]; readonly asked: Asked }> {
  const { inventory, asked } = await inventoryOf(session, signal);
  const resources = families(runtime).flatMap(({ family }): Resource[] => {
    const { uri, name, description } = family;
    if (family.variable === undefined) return [{ uri, name, description, mimeType: MIME }];
    if (inventory === undefined || family.uri.endsWith('/config')) return [];
    const values =
      family.variable === 'node'
        ? inventory.nodes.map((n) => ({ value: n.node, label: n.node }))
        : inventory.guests.slice(0, MAX_LISTED).map((g) => ({ value: String(g.vmid), label: g.name ?? String(g.vmid) }));
    return values.map(({ value, label }) => ({ uri: fill(uri, value), name: `${name} ${label}`, description, mimeType: MIME }));
  });
  return { resources, asked };
}

export function listResourceTemplates(runtime: Runtime): ResourceTemplateType[] {
  return families(runtime)
    .filter(({ family }) => family.variable !== undefined)
    .map(({ family: { uri, name, description } }) => ({ uriTemplate: uri, name, description, mimeType: MIME }));
}

/**
 * What the tool behind the address answers; undefined when there is no such address.
 *
 * @throws ProtocolError with the tool's own words when it can't be read
 */
export async function readResource(
  runtime: Runtime,
  session: Session,
  uri: string,
  signal: AbortSignal,
  told?: (tool: string, args: Readonly<Record<string, unknown>>, outcome: ToolOutcome) => void,
): Promise<ReadResourceResult | undefined> {
  for (const { family, tool } of families(runtime)) {
    const match = family.pattern.exec(uri);
    if (match === null) continue;
    const args = family.variable === undefined ? {} : { [family.variable]: decode(match[1] ?? '') };
    const outcome = await runTool(tool, args, session, { form: 'text', maxChars: runtime.settings.maxAnswerChars, signal });
    told?.(tool.name, args, outcome);
    if (
      outcome.isError &&
      (outcome.errorKind === 'not-found' || outcome.errorKind === 'wrong-node' || outcome.errorKind === 'bad-argument')
    )
      return undefined;
    if (outcome.isError) throw new ProtocolError(ProtocolErrorCode.InternalError, outcome.text);
    return { contents: [{ uri, mimeType: MIME, text: outcome.text }] };
  }
  return undefined;
}

/** What can be completed, by the name of the argument. */
const COMPLETED: Readonly<Record<string, (inventory: Inventory) => readonly string[]>> = {
  node: ({ nodes }) => nodes.map((n) => n.node),
  vmid: ({ guests }) => guests.map((g) => String(g.vmid)),
  guest: ({ guests }) => guests.flatMap((g) => [...(g.name === undefined ? [] : [g.name]), String(g.vmid)]),
};

export function isCompleted(argument: string): boolean {
  return Object.hasOwn(COMPLETED, argument);
}

/** Values that begin with what was typed, for a node or a guest (by vmid or name). */
export async function completeValue(
  session: Session,
  argument: string,
  typed: string,
  signal: AbortSignal,
): Promise<{ readonly values: readonly string[]; readonly asked: Asked }> {
  const { inventory, asked } = await inventoryOf(session, signal);
  const start = typed.toLowerCase();
  const candidates = (inventory && COMPLETED[argument]?.(inventory)) ?? [];
  return { values: [...new Set(candidates)].filter((c) => c.toLowerCase().startsWith(start)), asked };
}

/** Completion and listing are conveniences: a cluster that can't be asked leaves them empty, and the read itself says why. */
async function inventoryOf(
  session: Session,
  signal: AbortSignal,
): Promise<{ readonly inventory: Inventory | undefined; readonly asked: Asked }> {
  const call = createCall(session, { signal, budgetMs: 5_000 });
  try {
    return { inventory: await readInventory(call), asked: { stats: call.stats, errorKind: undefined } };
  } catch (thrown) {
    return { inventory: undefined, asked: { stats: call.stats, errorKind: toApiError(thrown).kind } };
  }
}

function fill(template: string, value: string): string {
  return template.replace(/\{[^}]+\}/, encodeURIComponent(value));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not an encoding: taken as it is, and refused by the tool if it is nothing.
    return text;
  }
}
