import type { Call } from '../api/call.ts';
import type { EndpointPath } from '../api/endpoints.ts';
import { ApiError, toApiError } from '../api/errors.ts';
import { byText, commaList, isRaw, listOf, type Raw, rawOf, rowsOf, textOf } from '../api/lenient.ts';
import { attempt, type Gaps, mergeGaps, NO_GAPS, type Reading } from '../api/reading.ts';
import { atLeast } from '../api/release.ts';
import { oneLine } from '../redact/plain-text.ts';
import { isNotHere } from './attempts.ts';
import { fanOut } from './fan-out.ts';
import { lineOf } from './shown-text.ts';

/** VNets whose subnets are read; each costs a request. */
export const MAX_SUBNET_READS = 24;

/** `applied`, or how the configuration differs from what runs: `new`, `changed`, `deleted` with the next apply. */
export type Pending = 'applied' | 'new' | 'changed' | 'deleted';

/** An SDN object as it will be once pending changes are applied; a deleted one as it still is. */
export interface SdnObject {
  readonly id: string;
  readonly type: string | undefined;
  readonly pending: Pending;
  /** What applying would change: `mtu: unset -> 1496`. */
  readonly changes: readonly string[];
  /** All other settings, as one-line texts; secrets are hidden. */
  readonly settings: ReadonlyMap<string, string>;
}

export interface SdnSubnet extends SdnObject {
  readonly vnet: string;
}

export interface SdnFabric {
  readonly fabric: SdnObject;
  /** Members with their address: `pve1 172.22.3.1`. */
  readonly nodes: readonly string[];
}

export const SDN_SECTIONS = ['zones', 'vnets', 'subnets', 'controllers', 'ipams', 'dns', 'fabrics'] as const;
export type SdnSection = (typeof SDN_SECTIONS)[number];

/** What was read; an absent part was not asked for, or is in the gaps. */
export interface Sdn {
  /** False: the packages are not there (before 8.1 they were optional). */
  readonly installed: boolean;
  readonly zones?: readonly SdnObject[] | undefined;
  readonly vnets?: readonly SdnObject[] | undefined;
  readonly subnets?: readonly SdnSubnet[] | undefined;
  /** VNets whose subnets were not read, beyond the most that are. */
  readonly vnetsLeft: number;
  readonly controllers?: readonly SdnObject[] | undefined;
  readonly ipams?: readonly SdnObject[] | undefined;
  readonly dns?: readonly SdnObject[] | undefined;
  /** False: the release is older than 9.0, which brought fabrics. */
  readonly fabricsKnown: boolean;
  readonly fabrics?: readonly SdnFabric[] | undefined;
}

/**
 * The wanted parts of the SDN configuration, from the list endpoints only (single objects need a right to change them).
 * One request a part, and one for each VNet's subnets. The API leaves out silently what the token may not see; that is told.
 *
 * Source: GET /cluster/sdn/{zones,vnets,controllers}?pending=1, /cluster/sdn/{ipams,dns}, /cluster/sdn/fabrics/all (9.0+),
 * /cluster/sdn/vnets/{vnet}/subnets; rows filtered by SDN.Audit.
 */
export async function readSdn(call: Call, sections: ReadonlySet<SdnSection>): Promise<Reading<Sdn>> {
  const has = (section: SdnSection) => sections.has(section);
  const fabricsKnown = !has('fabrics') || atLeast(await call.release(), '9.0');
  const pending = { pending: 1 };
  const [coverage, zones, vnets, controllers, ipams, dns, fabrics] = await Promise.all([
    sdnCoverage(call, sections),
    part(has('zones'), async () => parseSdnObjects((await call.get('/cluster/sdn/zones', {}, pending)).data, 'zone')),
    part(has('vnets') || has('subnets'), async () =>
      parseSdnObjects((await call.get('/cluster/sdn/vnets', {}, pending)).data, 'vnet'),
    ),
    part(has('controllers'), async () =>
      parseSdnObjects((await call.get('/cluster/sdn/controllers', {}, pending)).data, 'controller'),
    ),
    part(has('ipams'), async () => parseSdnObjects((await call.get('/cluster/sdn/ipams', {})).data, 'ipam')),
    part(has('dns'), async () => parseSdnObjects((await call.get('/cluster/sdn/dns', {})).data, 'dns')),
    part(has('fabrics') && fabricsKnown, async () =>
      parseSdnFabrics((await call.get('/cluster/sdn/fabrics/all', {}, pending)).data),
    ),
  ]);
  const parts = [zones, vnets, controllers, ipams, dns, fabrics];
  const asked = parts.filter((p) => p.asked);
  if (asked.length > 0 && asked.every((p) => p.missing)) {
    return { data: { installed: false, vnetsLeft: 0, fabricsKnown }, problems: [], coverage: 'complete', hidden: [] };
  }
  const subnets = has('subnets') ? await readSubnets(call, vnets.data ?? []) : undefined;
  return {
    data: {
      installed: true,
      zones: zones.data,
      vnets: has('vnets') ? vnets.data : undefined,
      subnets: vnets.data === undefined ? undefined : subnets?.data,
      vnetsLeft: subnets?.left ?? 0,
      fabricsKnown,
      controllers: controllers.data,
      ipams: ipams.data,
      dns: dns.data,
      fabrics: fabrics.data,
    },
    ...mergeGaps(coverage, ...parts.map((p) => p.gaps), ...(subnets === undefined ? [] : [subnets.gaps])),
  };
}

/** Zones, and VNets with their subnets, have a right of their own. */
async function sdnCoverage(call: Call, sections: ReadonlySet<SdnSection>): Promise<Gaps> {
  if (sections.size === 0) return NO_GAPS;
  const narrow = [...sections].every((section) => section === 'zones' || section === 'vnets' || section === 'subnets');
  return call.rights.over({ privilege: 'SDN.Audit', under: narrow ? '/sdn/zones' : '/sdn', what: 'SDN objects' });
}

interface Part<T> {
  readonly asked: boolean;
  readonly data: T | undefined;
  readonly gaps: Gaps;
  /** The API has no such thing at all. */
  readonly missing: boolean;
}

async function part<T>(wanted: boolean, read: () => Promise<T>): Promise<Part<T>> {
  if (!wanted) return { asked: false, data: undefined, gaps: mergeGaps(), missing: false };
  const { data, ...gaps } = await attempt({}, read);
  return { asked: true, data, gaps, missing: gaps.problems.some(isNotHere) };
}

async function readSubnets(
  call: Call,
  vnets: readonly SdnObject[],
): Promise<{ readonly data: readonly SdnSubnet[]; readonly gaps: Gaps; readonly left: number }> {
  const ids = vnets.map((v) => v.id);
  const read = await fanOut(
    call,
    ids.slice(0, MAX_SUBNET_READS),
    () => ({}),
    async (vnet) => {
      try {
        const { data } = await call.get('/cluster/sdn/vnets/{vnet}/subnets', { vnet }, { pending: 1 });
        return parseSdnObjects(data, 'subnet');
      } catch (thrown) {
        // A VNet that is only in the running configuration any more (deleted, not applied) is refused here.
        if (toApiError(thrown).kind === 'not-found') return [];
        throw thrown;
      }
    },
  );
  const data = read.results.flatMap(({ item, data: subnets }) => subnets.map((subnet) => ({ ...subnet, vnet: item })));
  return { data: data.sort(bySubnet), gaps: read.gaps, left: Math.max(0, ids.length - MAX_SUBNET_READS) };
}

function bySubnet(a: SdnSubnet, b: SdnSubnet): number {
  return byText(a.vnet, b.vnet) || byText(a.id, b.id);
}

/** Keys that are told apart, or tell nothing. */
const HEAD_KEYS: ReadonlySet<string> = new Set(['type', 'digest', 'state', 'pending', 'zone-type']);

/**
 * Rows of a list with `pending=1` (or of one without pending changes at all). Where something is about to change, the
 * row is as it runs and `pending` holds the settings to come.
 *
 * @param idKey the key that holds the name: `zone`, `vnet`, `subnet`, ...
 */
export function parseSdnObjects(data: unknown, idKey: string): readonly SdnObject[] {
  return listOf(data, 'SDN objects')
    .flatMap((row) => sdnObject(row, idKey) ?? [])
    .sort((a, b) => byText(a.id, b.id));
}

function sdnObject(row: Raw, idKey: string): SdnObject | undefined {
  const id = textOf(row[idKey]) ?? textOf(row['id']);
  if (id === undefined) return undefined;
  const state = textOf(row['state']);
  const coming = rawOf(row['pending']);
  const settings = new Map<string, string>();
  for (const [key, value] of Object.entries(row)) {
    const text = HEAD_KEYS.has(key) || key === idKey ? undefined : valueText(value);
    if (text !== undefined) settings.set(key, text);
  }
  const changes: string[] = [];
  for (const key of Object.keys(coming).sort(byText)) {
    if (HEAD_KEYS.has(key) || key === idKey) continue;
    const before = settings.get(key);
    const after = coming[key] === 'deleted' ? undefined : valueText(coming[key]);
    if (before === after) continue;
    changes.push(`${key}: ${before ?? 'unset'} -> ${after ?? 'unset'}`);
    if (after === undefined) settings.delete(key);
    else settings.set(key, after);
  }
  const pending: Pending =
    state === 'new' || state === 'changed' || state === 'deleted' ? state : changes.length > 0 ? 'changed' : 'applied';
  return {
    id: oneLine(id, 100),
    type: textOf(row['type']) ?? textOf(coming['type']),
    pending,
    // All of a new thing is a change: its settings say so already.
    changes: pending === 'changed' ? changes : [],
    settings: new Map([...settings].sort(([a], [b]) => byText(a, b))),
  };
}

/** A setting as one line: lists joined, DHCP ranges as `from-to`. */
function valueText(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const parts = value.flatMap((item) => valueText(item) ?? []);
    return parts.length === 0 ? undefined : parts.join(', ');
  }
  if (isRaw(value)) {
    const from = textOf(value['start-address']);
    const to = textOf(value['end-address']);
    if (from !== undefined && to !== undefined) return lineOf(`${from}-${to}`);
    const parts = Object.entries(value).flatMap(([key, inner]) => {
      const text = valueText(inner);
      return text === undefined ? [] : [`${key}=${text}`];
    });
    return parts.length === 0 ? undefined : lineOf(parts.sort(byText).join(','));
  }
  if (typeof value === 'boolean') return value ? '1' : '0';
  const text = textOf(value);
  return text === undefined ? undefined : lineOf(text);
}

/** `/cluster/sdn/fabrics/all`: fabrics and their member nodes, either as rows or as rows of one named object. */
export function parseSdnFabrics(data: unknown): readonly SdnFabric[] {
  if (!isRaw(data)) throw new ApiError('malformed-answer', "The API's answer for SDN fabrics is no object.");
  const rows = [...unwrapped(data['fabrics']), ...unwrapped(data['nodes'])];
  const members = new Map<string, string[]>();
  const fabrics: Raw[] = [];
  for (const row of rows) {
    const of = textOf(row['fabric_id']) ?? textOf(rawOf(row['pending'])['fabric_id']);
    const node = textOf(row['node_id']) ?? textOf(rawOf(row['pending'])['node_id']);
    if (of === undefined || node === undefined) {
      if (textOf(row['id']) !== undefined) fabrics.push(row);
      continue;
    }
    const address = textOf(row['ip']) ?? textOf(row['ip6']);
    members.set(of, [...(members.get(of) ?? []), oneLine(address === undefined ? node : `${node} ${address}`, 80)]);
  }
  return parseSdnObjects(fabrics, 'id').map((fabric) => ({ fabric, nodes: (members.get(fabric.id) ?? []).sort(byText) }));
}

function unwrapped(value: unknown): readonly Raw[] {
  return rowsOf(value).flatMap((row) => {
    if (textOf(row['id']) !== undefined || textOf(row['node_id']) !== undefined) return [row];
    const inner = Object.values(row)
      .filter(isRaw)
      .filter((v) => textOf(v['id']) !== undefined || textOf(v['node_id']) !== undefined);
    return inner;
  });
}

/** Nodes a zone is limited to; empty: all. */
export function zoneNodes(zone: SdnObject): readonly string[] {
  return commaList(zone.settings.get('nodes'));
}

/** Endpoints that are read, for the permission docs. */
export const SDN_READS = [
  '/version',
  '/cluster/resources',
  '/cluster/sdn/zones',
  '/cluster/sdn/vnets',
  '/cluster/sdn/vnets/{vnet}/subnets',
  '/cluster/sdn/controllers',
  '/cluster/sdn/ipams',
  '/cluster/sdn/dns',
  '/cluster/sdn/fabrics/all',
] as const satisfies readonly EndpointPath[];
