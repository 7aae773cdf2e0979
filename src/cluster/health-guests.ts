/** The facts of single guests: what costs requests for each of them, read in the order of their vmids as far as time goes. */
import type { Call } from '../api/call.ts';
import { toApiError } from '../api/errors.ts';
import { gapFrom, type Problem } from '../api/reading.ts';
import { agentRight, mayAskAgent } from './agent.ts';
import { readableGuests, scanInOrder } from './config-scan.ts';
import { readRulesOfLevel } from './firewall.ts';
import { agentEnabled, parseGuestConfig } from './guest-config.ts';
import {
  type Fact,
  type FactData,
  type FactName,
  type GuestDetail,
  type HealthFacts,
  type Lack,
  lacksOf,
} from './health-facts.ts';
import type { HealthBase } from './health-read.ts';
import type { Guest } from './inventory.ts';
import { readPending } from './pending.ts';
import { readSnapshots } from './snapshots.ts';

/** Which guests are looked at. */
export interface GuestScope {
  /** Only those of this node. */
  readonly node: string | undefined;
  /** Only this one. */
  readonly vmid: number | undefined;
  /** Only those behind this vmid; 0 for all. */
  readonly after: number;
  /** None behind this vmid. */
  readonly upTo: number | undefined;
}

/** What is said of the checks that need all guests when time ran out before: how to get them. */
export interface Advice {
  readonly oneGo: string;
  readonly everyFirewall: string;
}

type GuestFacts = Pick<HealthFacts, 'details' | 'snapshots' | 'agents' | 'guestFirewalls' | 'oneGo' | 'everyFirewall'>;

export interface HealthScan {
  readonly facts: GuestFacts;
  /** Set when time ran out: guests up to this vmid were looked at, none after it. */
  readonly stoppedAfter: number | undefined;
  /** Guests that were looked at. */
  readonly done: number;
}

/** What went wrong, by what was read. */
interface Trouble {
  readonly details: Problem[];
  readonly snapshots: Problem[];
  readonly agents: Problem[];
  readonly guestFirewalls: Problem[];
}

/** Guests that are looked at before the time is: fewer than of one request each. */
const CHUNK = 24;

/** Guests that a deep check looks at: those whose node is online, without templates, by vmid. */
export function guestsToScan(base: HealthBase, only: Partial<Pick<GuestScope, 'node' | 'vmid'>>): readonly Guest[] {
  return readableGuests(base.inventory).filter((g) => !g.template && isAbout(g, only));
}

function isAbout(guest: Guest, { node, vmid }: Partial<Pick<GuestScope, 'node' | 'vmid'>>): boolean {
  return (node === undefined || guest.node === node) && (vmid === undefined || guest.vmid === vmid);
}

/** Reads guests one after the other, some at a time. A part that can't be read is missing in its guest only. */
export async function scanGuests(
  call: Call,
  base: HealthBase,
  scope: GuestScope,
  read: ReadonlySet<FactName>,
  advice: Advice,
): Promise<HealthScan> {
  const asked = guestsToScan(base, scope);
  const wanted = asked.filter((g) => g.vmid > scope.after && (scope.upTo === undefined || g.vmid <= scope.upTo));
  const right = read.has('agents') ? await agentRight(call) : undefined;
  const asksAgents = right !== undefined && right.held !== false;
  const parts = {
    // Whether an agent may be asked is in the configuration.
    config: read.has('details') || asksAgents,
    snapshots: read.has('snapshots'),
    agents: asksAgents,
    firewalls: read.has('guestFirewalls'),
  };
  const trouble: Trouble = { details: [], snapshots: [], agents: [], guestFirewalls: [] };
  const { results, gaps, stoppedAfter } = await scanInOrder(call, wanted, (guest) => readDetail(call, guest, parts, trouble), {
    chunk: CHUNK,
    done: 'guests looked at',
    late: (guest) => `Guest ${guest.vmid} was not read in time.`,
  });
  const details = new Map(results.map(({ guest, data }) => [guest.vmid, data]));
  // Of a guest that was lost as a whole nothing is known.
  for (const problems of Object.values(trouble)) problems.push(...gaps.problems);
  const common = [...offlineLacks(base, scope), ...lacksOf(base.guests)];
  const fact = (problems: readonly Problem[]): Fact<FactData['details']> => ({
    data: details,
    lacks: [...problemLacks(problems), ...common],
  });
  const whole = wanted.length === asked.length && stoppedAfter === undefined;
  const cut = (how: string): Lack => ({ why: `only ${details.size} of ${asked.length} guests could be read in one go: ${how}` });
  return {
    facts: {
      details: fact(trouble.details),
      snapshots: fact(trouble.snapshots),
      // An agent that nobody may ask is neither silent nor well.
      agents:
        right?.held === false
          ? {
              data: undefined,
              lacks: [{ why: `guest agents: needs ${right.privilege} on /vms`, needs: `${right.privilege} on /vms` }],
            }
          : fact([...trouble.agents, ...trouble.details]),
      guestFirewalls: fact(trouble.guestFirewalls),
      oneGo: inOneGo(scope, whole, cut(advice.oneGo)),
      everyFirewall: everyFirewall(base, scope, whole, cut(advice.everyFirewall), trouble.guestFirewalls),
    },
    stoppedAfter,
    done: details.size,
  };
}

/** Guests are compared with each other only when all are there that can be read: of the cluster, or of the one node. */
function inOneGo({ vmid }: GuestScope, whole: boolean, cut: Lack): Fact<FactData['oneGo']> {
  if (vmid !== undefined)
    return {
      data: undefined,
      lacks: [{ why: 'only one guest was asked about: without vmid guests are compared', spared: true }],
    };
  return whole ? { data: true, lacks: [] } : { data: undefined, lacks: [cut] };
}

/** That something is in no guest's rules can be said when all rules are known; those of offline nodes are named. */
function everyFirewall(
  base: HealthBase,
  { node, vmid }: GuestScope,
  whole: boolean,
  cut: Lack,
  problems: readonly Problem[],
): Fact<FactData['everyFirewall']> {
  if (node !== undefined || vmid !== undefined)
    return { data: undefined, lacks: [{ why: 'needs the rules of all guests: without node and vmid', spared: true }] };
  if (!whole) return { data: undefined, lacks: [cut] };
  if (base.guests.coverage !== 'complete') return { data: undefined, lacks: lacksOf(base.guests) };
  if (problems.length > 0) return { data: undefined, lacks: problemLacks(problems) };
  const readable = new Set(readableGuests(base.inventory).map((g) => g.vmid));
  return {
    data: { unreachable: base.inventory.guests.filter((g) => !g.template && !readable.has(g.vmid)).map((g) => g.vmid) },
    lacks: [],
  };
}

function offlineLacks({ inventory }: HealthBase, scope: GuestScope): readonly Lack[] {
  const guests = inventory.guests.filter((g) => isAbout(g, scope));
  const down = inventory.nodes.filter((n) => n.status !== 'online' && guests.some((g) => g.node === n.node));
  return down.map((n) => ({ why: `${n.node} is ${n.status}`, nodes: [n.node] }));
}

/** Many guests with the same trouble are one lack. */
function problemLacks(problems: readonly Problem[]): readonly Lack[] {
  const groups = new Map<string, { problem: Problem; vmids: Set<number> }>();
  for (const problem of problems) {
    const needs = problem.needs?.replace(/\/vms\/\d+/, '/vms/VMID');
    const key = `${problem.kind} ${needs ?? problem.message.replace(/\d+/g, 'N')}`;
    const group = groups.get(key) ?? { problem, vmids: new Set<number>() };
    if (problem.where.vmid !== undefined) group.vmids.add(problem.where.vmid);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ problem, vmids }) => {
    const [first, ...others] = [...vmids].sort((a, b) => a - b);
    const who = first === undefined ? '' : `guest ${first}${others.length === 0 ? '' : ` and ${others.length} more`}: `;
    const what = problem.needs === undefined ? problem.message.replace(/\.$/, '') : `needs ${problem.needs}`;
    return { why: `${who}${what}`, needs: problem.needs, kind: problem.needs === undefined ? problem.kind : undefined };
  });
}

interface Parts {
  readonly config: boolean;
  readonly snapshots: boolean;
  readonly agents: boolean;
  readonly firewalls: boolean;
}

async function readDetail(call: Call, guest: Guest, parts: Parts, trouble: Trouble): Promise<GuestDetail> {
  const { node, vmid, type } = guest;
  const part = async <T>(wanted: boolean, into: Problem[], read: () => Promise<T>): Promise<T | undefined> => {
    if (!wanted) return undefined;
    try {
      return await read();
    } catch (thrown) {
      into.push(...gapFrom(thrown, { node, vmid }).problems);
      return undefined;
    }
  };
  const [pending, snapshots, firewall] = await Promise.all([
    part(parts.config, trouble.details, () => readPending(call, guest)),
    part(parts.snapshots, trouble.snapshots, () => readSnapshots(call, guest)),
    part(parts.firewalls, trouble.guestFirewalls, () => readRulesOfLevel(call, { scope: 'guest', node, vmid, type })),
  ]);
  const config = pending === undefined ? undefined : parseGuestConfig(pending.running, type);
  const asks = parts.agents && config !== undefined && mayAskAgent(guest, agentEnabled(config.values.get('agent')));
  const agent = await part(asks, trouble.agents, () => readAgentState(call, guest));
  return { guest, config, changes: pending?.changes, snapshots, firewall, agent };
}

/**
 * Whether the agent answers. Only the node's own word that it does not counts as silence: a time-out of ours may be the node's.
 *
 * Source: GET /nodes/{node}/qemu/{vmid}/agent/info (VM.GuestAgent.Audit; up to 8.4 VM.Monitor).
 */
async function readAgentState(call: Call, guest: Guest): Promise<'answers' | 'silent' | undefined> {
  try {
    await call.get('/nodes/{node}/qemu/{vmid}/agent/info', { node: guest.node, vmid: guest.vmid });
    return 'answers';
  } catch (thrown) {
    const error = toApiError(thrown);
    if (error.kind === 'timeout' && error.status === 500) return 'silent';
    // Stopped meanwhile, or switched off: nothing to say.
    if (error.kind === 'not-configured') return undefined;
    throw error;
  }
}
