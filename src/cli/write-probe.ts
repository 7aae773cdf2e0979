/**
 * The one place that sends anything but GET, for `check --check-write-denied` alone. It proves on the wire that the token may not
 * write, by writes that can do nothing twice over: each carries a parameter that no release knows, and lacks the required ones.
 * The API checks the right first (403), the parameters second (400); neither changes anything.
 *
 * Never add a request here that would act if the unknown parameter were ignored: no status/*, no config.
 */
import { Agent, buildConnector, request } from 'undici';
import { checkSegment } from '../api/segments.ts';
import { tlsConnector } from '../api/tls.ts';
import type { ClusterSettings } from '../config/settings.ts';
import { oneLine } from '../redact/plain-text.ts';

/** What the probes aim at; taken from what the token sees, so that every path exists. */
export interface ProbeTargets {
  readonly node: string | undefined;
  readonly storage: { readonly node: string; readonly storage: string } | undefined;
  readonly qemu: { readonly node: string; readonly vmid: number } | undefined;
  readonly lxc: { readonly node: string; readonly vmid: number } | undefined;
}

export interface ProbeResult {
  readonly method: 'PUT' | 'POST';
  /** Path below /api2/json, or the template when it was not asked. */
  readonly path: string;
  /**
   * - `denied`: 403
   * - `allowed`: 400, the request would have been let through to its parameters
   * - `inconclusive`: anything else
   * - `not asked`: the token sees nothing to aim at
   */
  readonly outcome: 'denied' | 'allowed' | 'inconclusive' | 'not asked';
  readonly status: number | undefined;
  /** What came instead of 403 or 400; or what is missing. */
  readonly detail: string | undefined;
}

const UNKNOWN_PARAMETER = 'mcp-proxmox-probe=1';
const TIMEOUT_MS = 10_000;
/** An answer is only looked at by its status; this much of it is read to keep the connection. */
const MAX_BODY_BYTES = 64 * 1024;

interface Probe {
  readonly method: 'PUT' | 'POST';
  readonly template: string;
  /** Undefined when there is nothing to aim at. */
  readonly path: string | undefined;
}

/** The ten requests, with their paths filled in. Pure. */
export function writeProbes(targets: ProbeTargets): readonly Probe[] {
  const { node, storage, qemu, lxc } = targets;
  const onNode = (name: string): string => `/nodes/${checkSegment('node', name)}`;
  const content = storage && `${onNode(storage.node)}/storage/${checkSegment('storage', storage.storage)}/content`;
  const snapshot = (type: 'qemu' | 'lxc', guest: ProbeTargets['qemu']): string | undefined =>
    guest && `${onNode(guest.node)}/${type}/${checkSegment('vmid', guest.vmid)}/snapshot`;
  const aimed = (template: string, path: string | undefined): Probe => ({ method: 'POST', template, path });
  const post = (path: string): Probe => aimed(path, path);
  return [
    { method: 'PUT', template: '/access/acl', path: '/access/acl' },
    post('/pools'),
    post('/storage'),
    post('/cluster/firewall/rules'),
    post('/cluster/backup'),
    post('/cluster/ha/resources'),
    aimed('/nodes/{node}/network', node && `${onNode(node)}/network`),
    aimed('/nodes/{node}/storage/{storage}/content', content),
    aimed('/nodes/{node}/qemu/{vmid}/snapshot', snapshot('qemu', qemu)),
    aimed('/nodes/{node}/lxc/{vmid}/snapshot', snapshot('lxc', lxc)),
  ];
}

/**
 * Sends the probes one after the other to one entry node, under the same TLS rules as everything else.
 *
 * @param url base URL of an entry node that answered
 */
export async function probeWrites(
  url: string,
  settings: ClusterSettings,
  targets: ProbeTargets,
): Promise<readonly ProbeResult[]> {
  const agent = new Agent({ connect: tlsConnector(buildConnector, settings.tls, 4_000), connections: 1, pipelining: 1 });
  try {
    const results: ProbeResult[] = [];
    for (const probe of writeProbes(targets)) results.push(await send(agent, url, settings, probe));
    return results;
  } finally {
    await agent.destroy();
  }
}

async function send(
  agent: Agent,
  url: string,
  settings: ClusterSettings,
  { method, template, path }: Probe,
): Promise<ProbeResult> {
  if (path === undefined) {
    return {
      method,
      path: template,
      outcome: 'not asked',
      status: undefined,
      detail: 'the token sees nothing of this kind on an online node',
    };
  }
  try {
    const answer = await request(`${url}/api2/json${path}`, {
      dispatcher: agent,
      method,
      headers: {
        authorization: `PVEAPIToken=${settings.tokenId}=${settings.tokenSecret.reveal()}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: UNKNOWN_PARAMETER,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    await answer.body.dump({ limit: MAX_BODY_BYTES });
    const { statusCode: status, statusText } = answer;
    if (status === 403) return { method, path, outcome: 'denied', status, detail: undefined };
    if (status === 400) return { method, path, outcome: 'allowed', status, detail: undefined };
    return { method, path, outcome: 'inconclusive', status, detail: oneLine(statusText, 100) };
  } catch (thrown) {
    return {
      method,
      path,
      outcome: 'inconclusive',
      status: undefined,
      detail: thrown instanceof Error ? oneLine(thrown.message, 200) : String(thrown),
    };
  }
}
