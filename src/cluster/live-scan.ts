import type { Call } from '../api/call.ts';
import type { EndpointPath } from '../api/endpoints.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS } from '../api/reading.ts';
import { atLeast } from '../api/release.ts';
import { agentRight, mayAskAgent, readAgentHostName, readAgentInterfaces } from './agent.ts';
import { scanInOrder } from './config-scan.ts';
import { agentEnabled, type GuestConfig, readGuestConfig } from './guest-config.ts';
import { type LiveInterfaces, parseLxcInterfaces } from './guest-network.ts';
import type { Guest } from './inventory.ts';

/** What the guests themselves are asked for. */
export interface LiveWish {
  readonly interfaces: boolean;
  readonly hostNames: boolean;
}

/** What one running guest told. */
export interface LiveAnswer {
  readonly guest: Guest;
  /** Undefined: could not be read (addresses of containers are told all the same). */
  readonly config: GuestConfig | undefined;
  /** Undefined: not asked for, or there is nobody to ask. */
  readonly live: LiveInterfaces | undefined;
  readonly hostName: string | undefined;
  /** False: a machine without an enabled agent. */
  readonly asked: boolean;
}

export interface LiveScan {
  readonly answers: readonly LiveAnswer[];
  readonly gaps: Gaps;
  /** Set when time ran out: every guest up to this vmid was asked, none after it. */
  readonly stoppedAfter: number | undefined;
}

/** With a right on single guests only, at most so many agents are tried. */
const FEW = 24;
/** Guests that are asked at the same time: a little more than may be under way, so that they come to their end in order. */
const CHUNK = 16;

/** Guests that could be asked now, by vmid: running ones, containers only for their interfaces. */
export function askable(guests: readonly Guest[], wish: LiveWish): readonly Guest[] {
  return guests.filter((g) => g.status === 'running' && (g.type === 'qemu' || wish.interfaces));
}

/**
 * Asks running guests for their addresses or host names: containers from outside, machines through their agent where it is
 * enabled. A silent agent costs seconds, so this comes after everything else, stops when time is up and is resumed.
 *
 * @param guests by vmid, as `askable` gives them
 * @param configs configurations that were read already, undefined for one that could not be; others are read where they matter
 *
 * Source: GET /nodes/{node}/lxc/{vmid}/interfaces (8.1+, VM.Audit), .../qemu/{vmid}/agent/{network-get-interfaces,get-host-name}
 * (VM.GuestAgent.Audit; up to 8.4 VM.Monitor), .../qemu/{vmid}/config.
 */
export async function scanLive(
  call: Call,
  guests: readonly Guest[],
  configs: ReadonlyMap<number, GuestConfig | undefined>,
  wish: LiveWish,
): Promise<LiveScan> {
  const release = await call.release();
  const few = guests.filter((g) => g.type === 'qemu').length <= FEW;
  const right = few ? undefined : await agentRight(call);
  const refused = right?.held === false;
  const containers = atLeast(release, '8.1');
  const asked = guests.filter((g) => (g.type === 'qemu' ? !refused : containers));
  const scan = await scanInOrder(call, asked, (guest) => ask(call, guest, configs, wish), {
    chunk: CHUNK,
    done: 'guests asked',
    late: (guest) => `Guest ${guest.vmid} did not answer in time.`,
  });
  const agents: Gaps = refused
    ? {
        problems: [],
        coverage: 'partial',
        hidden: [{ what: 'what guest agents tell', privilege: right.privilege, path: '/vms' }],
      }
    : NO_GAPS;
  const old: Gaps =
    !containers && guests.some((g) => g.type === 'lxc')
      ? { ...NO_GAPS, coverage: 'unknown', why: 'this release does not tell the addresses of containers (8.1 and later)' }
      : NO_GAPS;
  return {
    answers: scan.results.map(({ data }) => data),
    gaps: mergeGaps(scan.gaps, agents, old),
    stoppedAfter: scan.stoppedAfter,
  };
}

async function ask(
  call: Call,
  guest: Guest,
  configs: ReadonlyMap<number, GuestConfig | undefined>,
  wish: LiveWish,
): Promise<LiveAnswer> {
  const where = { node: guest.node, vmid: guest.vmid };
  const readConfig = () => readGuestConfig(call, guest, { current: true });
  if (guest.type === 'lxc') {
    const { data } = await call.get('/nodes/{node}/lxc/{vmid}/interfaces', where);
    // Stopped meanwhile: no namespace, no interfaces.
    const live = { source: 'lxc-interfaces' as const, interfaces: data === null ? [] : parseLxcInterfaces(data) };
    // Only to tell which interface is which; that a configuration can't be read is told where all are.
    const config = configs.has(guest.vmid) ? configs.get(guest.vmid) : (await attempt(where, readConfig)).data;
    return { guest, config, live, hostName: undefined, asked: true };
  }
  const config = configs.has(guest.vmid) ? configs.get(guest.vmid) : await readConfig();
  const none = { guest, config, live: undefined, hostName: undefined };
  // Whether there is an agent stands in the configuration: without it nobody is asked.
  if (!mayAskAgent(guest, agentEnabled(config?.values.get('agent')))) return { ...none, asked: false };
  const interfaces = wish.interfaces ? await readAgentInterfaces(call, guest) : undefined;
  const hostName = wish.hostNames ? await readAgentHostName(call, guest) : undefined;
  return {
    ...none,
    live: interfaces === undefined ? undefined : { source: 'agent', interfaces },
    hostName,
    asked: true,
  };
}

/** Endpoints that are read, for the permission docs. */
export const LIVE_READS = [
  '/version',
  '/access/permissions',
  '/nodes/{node}/qemu/{vmid}/config',
  '/nodes/{node}/lxc/{vmid}/config',
  '/nodes/{node}/qemu/{vmid}/agent/network-get-interfaces',
  '/nodes/{node}/qemu/{vmid}/agent/get-host-name',
  '/nodes/{node}/lxc/{vmid}/interfaces',
] as const satisfies readonly EndpointPath[];
