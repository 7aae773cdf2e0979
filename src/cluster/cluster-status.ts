import type { Call } from '../api/call.ts';
import { boolOf, byText, intOf, listOf, rawOf, textOf } from '../api/lenient.ts';
import { attempt, mergeGaps, type Reading } from '../api/reading.ts';
import { cleaned } from './shown-text.ts';

/** A member of the cluster, or the one node that stands alone. */
export interface Member {
  readonly node: string;
  readonly online: boolean;
  /** The node that answered. */
  readonly local: boolean;
  readonly ip: string | undefined;
  readonly nodeId: number | undefined;
}

export interface ClusterStatus {
  /** False for a single node without cluster: a state, not a fault. */
  readonly clustered: boolean;
  readonly name: string | undefined;
  /** Whether the answering part holds the majority; undefined for a node alone, which needs none. */
  readonly quorate: boolean | undefined;
  readonly members: readonly Member[];
}

/**
 * Membership and quorum as the answering node sees them.
 *
 * Source: GET /cluster/status (Sys.Audit on /).
 */
export async function readClusterStatus(call: Call): Promise<ClusterStatus> {
  return parseClusterStatus((await call.get('/cluster/status', {})).data);
}

/** Rows come in any order; without a row of type `cluster` there is no cluster. */
export function parseClusterStatus(data: unknown): ClusterStatus {
  const rows = listOf(data, 'the cluster status');
  const cluster = rows.find((row) => textOf(row['type']) === 'cluster');
  const members = rows
    .flatMap((row) => {
      const node = cleaned(row['name']) ?? cleaned(row['id'])?.replace(/^node\//, '');
      if (textOf(row['type']) !== 'node' || node === undefined) return [];
      return [
        {
          node,
          // A node that stands alone answers, so it is there.
          online: boolOf(row['online']) ?? cluster === undefined,
          local: boolOf(row['local']) ?? false,
          ip: cleaned(row['ip']),
          nodeId: intOf(row['nodeid']),
        },
      ];
    })
    .sort((a, b) => byText(a.node, b.node));
  return {
    clustered: cluster !== undefined,
    name: cluster === undefined ? undefined : cleaned(cluster['name']),
    quorate: cluster === undefined ? undefined : (boolOf(cluster['quorate']) ?? false),
    members,
  };
}

/** An outside arbiter that gives a vote to one side. */
export interface QDevice {
  readonly state: string | undefined;
  readonly algorithm: string | undefined;
  readonly host: string | undefined;
  readonly model: string | undefined;
}

export interface CorosyncNode {
  readonly node: string;
  readonly nodeId: number | undefined;
  readonly votes: number;
  /** Addresses by link number. */
  readonly links: ReadonlyMap<number, string>;
}

/** The arithmetic behind the quorum. */
export interface Votes {
  /** All votes that the configuration gives, the outside arbiter's included. */
  readonly expected: number;
  /** Votes of members that are online, and the arbiter's when it is connected. */
  readonly present: number;
  /** Votes that make a majority. */
  readonly needed: number;
  /** Votes of the arbiter, when there is one whose rule is known. */
  readonly qdevice: number | undefined;
}

export interface Quorum {
  readonly nodes: readonly CorosyncNode[];
  readonly qdevice: QDevice | undefined;
  /** Undefined when the arbiter's share is not known. */
  readonly votes: Votes | undefined;
}

/**
 * Votes of the members and of the outside arbiter; only for a cluster, since a node alone has no such configuration.
 *
 * Source: GET /cluster/config/nodes and GET /cluster/config/qdevice (Sys.Audit on /).
 */
export async function readQuorum(call: Call, status: ClusterStatus): Promise<Reading<Quorum | undefined>> {
  const [nodes, device] = await Promise.all([
    attempt({}, async () => parseCorosyncNodes((await call.get('/cluster/config/nodes', {})).data)),
    attempt({}, async () => ({ found: parseQDevice((await call.get('/cluster/config/qdevice', {})).data) })),
  ]);
  const gaps = mergeGaps(nodes, device);
  if (nodes.data === undefined) return { data: undefined, ...gaps };
  const qdevice = device.data?.found;
  const votes = device.data === undefined ? undefined : countVotes(nodes.data, status.members, qdevice);
  return { data: { nodes: nodes.data, qdevice, votes }, ...gaps };
}

export function parseCorosyncNodes(data: unknown): readonly CorosyncNode[] {
  return listOf(data, 'corosync nodes')
    .flatMap((row) => {
      const node = cleaned(row['name']) ?? cleaned(row['node']);
      if (node === undefined) return [];
      const links = new Map<number, string>();
      for (const [key, value] of Object.entries(row)) {
        const link = /^ring(\d)_addr$/.exec(key)?.[1];
        const address = cleaned(value);
        if (link !== undefined && address !== undefined) links.set(Number(link), address);
      }
      return [{ node, nodeId: intOf(row['nodeid']), votes: intOf(row['quorum_votes']) ?? 1, links }];
    })
    .sort((a, b) => byText(a.node, b.node));
}

/** An empty answer means that there is no arbiter. */
export function parseQDevice(data: unknown): QDevice | undefined {
  const row = rawOf(data);
  const state = cleaned(row['State']);
  const model = cleaned(row['Model']);
  const algorithm = cleaned(row['Algorithm']);
  const host = cleaned(row['QNetd host']);
  if (state === undefined && model === undefined && algorithm === undefined && host === undefined) return undefined;
  return { state, model, algorithm, host };
}

/** Adds the votes up. */
export function countVotes(
  nodes: readonly CorosyncNode[],
  members: readonly Member[],
  qdevice: QDevice | undefined,
): Votes | undefined {
  const arbiter = qdevice === undefined ? 0 : qdeviceVotes(qdevice, nodes.length);
  if (arbiter === undefined) return undefined;
  const online = new Set(members.filter((m) => m.online).map((m) => m.node));
  const sum = (list: readonly CorosyncNode[]): number => list.reduce((total, n) => total + n.votes, 0);
  const expected = sum(nodes) + arbiter;
  const connected = /^connected/i.test(qdevice?.state ?? '');
  return {
    expected,
    present: sum(nodes.filter((n) => online.has(n.node))) + (connected ? arbiter : 0),
    needed: Math.floor(expected / 2) + 1,
    qdevice: qdevice === undefined ? undefined : arbiter,
  };
}

/** One vote to split even halves, or as many as there are nodes but one for the last man standing. */
function qdeviceVotes(qdevice: QDevice, nodes: number): number | undefined {
  const algorithm = qdevice.algorithm?.toLowerCase() ?? '';
  if (algorithm.includes('fifty') || algorithm.includes('split')) return 1;
  if (algorithm.includes('last man') || algorithm === 'lms') return Math.max(1, nodes - 1);
  return undefined;
}
