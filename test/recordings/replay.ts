import { z } from 'zod';
import { type EndpointFacts, matchTemplate } from '../contract/facts.ts';
import {
  loadRecordings,
  OFFLINE_NODES,
  objectOf,
  type QueryValues,
  type Recording,
  type RecordingSet,
  rowsOf,
} from './recording-set.ts';

/**
 * Picks the recorded answer to a request, or derives it from a recorded one where the API's own rule is known and the
 * recordings prove it (`replay.test.ts` checks each rule against an answer that was recorded for real). A request whose
 * answer would be a guess gets none: the server then says so loudly instead of inventing data.
 */

export interface ReplayRequest {
  /** Decoded path below `/api2/json`. */
  readonly path: string;
  readonly query: QueryValues;
  readonly template: string;
  readonly params: Readonly<Record<string, string>>;
  readonly facts: EndpointFacts;
}

type Rule = (set: RecordingSet, request: ReplayRequest) => Recording | undefined;

/** The answer to a valid request, or undefined when nothing recorded tells it. */
export function replay(set: RecordingSet, request: ReplayRequest): Recording | undefined {
  const query = withoutDefaults(request);
  const exact = set.find(request.path, query);
  if (exact) return exact;
  const plain = { ...request, query };
  return (
    RULES[request.template]?.(set, plain) ??
    refusal(set, plain) ??
    unreachable(plain) ??
    missingGuest(plain) ??
    muteAgent(set, plain)
  );
}

/** Parameters at the value the API assumes anyway, or that don't change what is recorded here. */
const MEANINGLESS: Readonly<Record<string, readonly string[]>> = {
  'current=0': ['/nodes/{node}/qemu/{vmid}/config', '/nodes/{node}/lxc/{vmid}/config'],
  'full=0': ['/nodes/{node}/qemu', '/access/users'],
  'cf=AVERAGE': [
    '/nodes/{node}/rrddata',
    '/nodes/{node}/qemu/{vmid}/rrddata',
    '/nodes/{node}/lxc/{vmid}/rrddata',
    '/nodes/{node}/storage/{storage}/rrddata',
  ],
  'history=0': ['/cluster/metrics/export'],
  'local-only=0': ['/cluster/metrics/export'],
  'include-partitions=0': ['/nodes/{node}/disks/list'],
  // The recorded list of disks is empty, so there is no SMART column to leave out.
  'skipsmart=0': ['/nodes/{node}/disks/list'],
  'skipsmart=1': ['/nodes/{node}/disks/list'],
  'verbose=1': ['/nodes/{node}/hardware/pci'],
  'start=0': ['/nodes/{node}/tasks', '/nodes/{node}/tasks/{upid}/log', '/nodes/{node}/replication/{id}/log'],
  'pending=0': ['/cluster/sdn/zones', '/cluster/sdn/vnets', '/cluster/sdn/controllers'],
  'running=0': ['/cluster/sdn/zones', '/cluster/sdn/vnets', '/cluster/sdn/controllers'],
};

function withoutDefaults({ query, template }: ReplayRequest): QueryValues {
  return Object.fromEntries(
    Object.entries(query).filter(([name, value]) => !MEANINGLESS[`${name}=${value}`]?.includes(template)),
  );
}

const RULES: Readonly<Record<string, Rule>> = {
  '/access/permissions': permissionsAtPath,
  '/access/users': (set, { path, query }) =>
    only(query, ['full', 'enabled'])
      ? filtered(set.find(path, pick(query, ['full'])), (row) =>
          query.enabled === undefined ? true : Number(row.enable ?? 0) === Number(query.enabled),
        )
      : undefined,
  '/cluster/log': (set, { path, query }) =>
    only(query, ['max']) ? mapRows(set.find(path), (rows) => rows.slice(0, Number(query.max))) : undefined,
  '/cluster/nextid': nextId,
  '/cluster/resources': (set, { path, query }) =>
    only(query, ['type'])
      ? filtered(set.find(path), ({ type }) => (query.type === 'vm' ? type === 'qemu' || type === 'lxc' : type === query.type))
      : undefined,
  '/nodes/{node}/ceph/log': logPage,
  '/nodes/{node}/firewall/log': logPage,
  '/nodes/{node}/lxc/{vmid}/config': currentConfig,
  '/nodes/{node}/lxc/{vmid}/firewall/aliases': emptyGuestFirewall,
  '/nodes/{node}/lxc/{vmid}/firewall/ipset': emptyGuestFirewall,
  '/nodes/{node}/lxc/{vmid}/firewall/log': logPage,
  '/nodes/{node}/network': (set, { path, query }) =>
    only(query, ['type']) && NETWORK_TYPES.has(query.type ?? '')
      ? filtered(set.find(path), ({ type }) => type === query.type)
      : undefined,
  '/nodes/{node}/qemu/{vmid}/config': currentConfig,
  '/nodes/{node}/qemu/{vmid}/firewall/aliases': emptyGuestFirewall,
  '/nodes/{node}/qemu/{vmid}/firewall/ipset': emptyGuestFirewall,
  '/nodes/{node}/qemu/{vmid}/firewall/log': logPage,
  '/nodes/{node}/replication/{id}/log': logPage,
  '/nodes/{node}/storage': nodeStorages,
  '/nodes/{node}/storage/{storage}/content': storageContent,
  '/nodes/{node}/storage/{storage}/prunebackups': prunePreview,
  '/nodes/{node}/syslog': logPage,
  '/nodes/{node}/tasks': nodeTasks,
  '/nodes/{node}/tasks/{upid}/log': logPage,
  '/pools': poolMembers,
  '/storage': (set, { path, query }) =>
    only(query, ['type']) ? filtered(set.find(path), ({ type }) => type === query.type) : undefined,
};

/** The types that a row itself can have; the collective ones (`any_bridge`, ...) follow other rules. */
const NETWORK_TYPES = new Set(['bridge', 'bond', 'eth', 'alias', 'vlan', 'OVSBridge', 'OVSBond', 'OVSPort', 'OVSIntPort']);

/** Backup storages answer per guest; an error that is about the storage itself stands for any narrower question. */
function prunePreview(set: RecordingSet, { path, query }: ReplayRequest): Recording | undefined {
  const whole = set.find(path, pick(query, ['prune-backups']));
  const narrowed = filtered(
    whole,
    (row) =>
      (query.vmid === undefined || String(row.vmid) === query.vmid) && (query.type === undefined || row.type === query.type),
  );
  if (narrowed || (whole && whole.status !== 200)) return narrowed ?? whole;
  const plain = set.find(path);
  return messageOf(plain)?.includes('does not support backups') ? plain : undefined;
}

/** Rows of no guest stay in an answer that was asked for one guest, unless they are ISO images or templates. */
function storageContent(set: RecordingSet, { path, query, params }: ReplayRequest): Recording | undefined {
  const whole = set.find(path);
  const narrowed = filtered(whole, (row) => {
    const wanted = query.content === undefined || row.content === query.content;
    const noGuest = row.content === 'import' || row.content === 'snippets';
    return wanted && (query.vmid === undefined || (row.vmid === undefined ? noGuest : String(row.vmid) === query.vmid));
  });
  // Not online, disabled, does not exist: true whatever is asked of it.
  return narrowed ?? (whole && whole.status !== 200 ? whole : disabledStorage(set, path, params.storage));
}

/** A storage that the configuration disables says so before anything else. */
function disabledStorage(set: RecordingSet, path: string, storage = ''): Recording | undefined {
  const configured = rowsOf(set.find('/storage'))?.find((row) => row.storage === storage);
  if (Number(configured?.disable ?? 0) !== 1) return undefined;
  const message = `storage '${storage}' is disabled`;
  return { path, params: {}, status: 500, reason: message, body: { data: null, message: `${message}\n` } };
}

/** A guest without a single rule or option is taken to have no firewall file, as CT 201 and 202 were recorded: no aliases, no IP sets. */
function emptyGuestFirewall(set: RecordingSet, { path, query }: ReplayRequest): Recording | undefined {
  const base = path.replace(/[^/]+$/, '');
  const rules = rowsOf(set.find(`${base}rules`));
  const options = objectOf(set.find(`${base}options`));
  if (rules?.length !== 0 || !options || Object.keys(options).some((name) => name !== 'digest')) return undefined;
  return { path, params: query, status: 200, reason: 'OK', body: { data: [] } };
}

/** A content filter also leaves out disabled storages; `format` and `target` change the answer itself. */
function nodeStorages(set: RecordingSet, { path, query }: ReplayRequest): Recording | undefined {
  if (!only(query, ['content', 'enabled', 'storage'])) return undefined;
  const contents = query.content?.split(/[,;\s]+/);
  return filtered(set.find(path), (row) => {
    const offered = String(row.content).split(',');
    const enabled = Number(row.enabled ?? 0) === 1;
    return (
      (query.storage === undefined || row.storage === query.storage) &&
      (query.enabled !== '1' || enabled) &&
      (contents === undefined || (enabled && contents.some((content) => offered.includes(content))))
    );
  });
}

/**
 * Finished tasks by default, newest first, 50 a page; `total` counts all matches and is absent when there are none.
 * `errors` and `statusfilter` let running tasks pass: they have no result yet.
 */
function nodeTasks(set: RecordingSet, { path, query }: ReplayRequest): Recording | undefined {
  const everything = set.find(path, { limit: '500', source: 'all' });
  const rows = rowsOf(everything);
  if (!everything || !rows) return undefined;
  const source = query.source ?? 'archive';
  const wantedResults = query.statusfilter?.split(/[,;\s]+/);
  const matches = rows.filter((row) => {
    const running = row.status === 'RUNNING';
    const start = Number(row.starttime);
    return (
      (source === 'all' || (source === 'active') === running) &&
      (query.errors !== '1' || row.status !== 'OK') &&
      (wantedResults === undefined || running || wantedResults.includes(taskResult(String(row.status)))) &&
      (query.vmid === undefined || row.id === query.vmid) &&
      (query.typefilter === undefined || row.type === query.typefilter) &&
      (query.userfilter === undefined || String(row.user).toLowerCase().includes(query.userfilter.toLowerCase())) &&
      (query.since === undefined || start >= Number(query.since)) &&
      (query.until === undefined || start <= Number(query.until))
    );
  });
  const first = Number(query.start ?? 0);
  const page = matches.slice(first, first + Number(query.limit ?? 50));
  return { ...everything, body: { data: page, ...(matches.length > 0 ? { total: matches.length } : {}) } };
}

function taskResult(status: string): string {
  if (status === 'OK') return 'ok';
  if (status === 'unexpected status') return 'unknown';
  return /^WARNINGS: \d+$/.test(status) ? 'warning' : 'error';
}

const LogBody = z.object({ data: z.array(z.object({ n: z.number(), t: z.string() })), total: z.number() });

/**
 * A page of a log, 50 lines by default, from the longest page that was recorded; none when that doesn't reach far enough.
 * The lines that the API makes up for a missing or an empty log stand on every page.
 */
function logPage(set: RecordingSet, { path, query }: ReplayRequest): Recording | undefined {
  if (!only(query, ['start', 'limit']) || query.limit === '0') return undefined;
  const recorded = set.find(path, { limit: '5000' }) ?? set.find(path);
  const log = LogBody.safeParse(recorded?.body);
  if (!recorded || !log.success) return undefined;
  const { data, total } = log.data;
  const only1 = data.length === 1 ? data[0]?.t : undefined;
  if (only1 === 'no content' || only1?.startsWith('unable to open file')) return recorded;
  const first = Number(query.start ?? 0);
  const end = Math.min(first + Number(query.limit ?? 50), total);
  if (end > data.length) return undefined;
  return { ...recorded, body: { data: data.slice(first, end), total } };
}

/** Without pending changes, the running configuration is the configuration. */
function currentConfig(set: RecordingSet, { path, query }: ReplayRequest): Recording | undefined {
  if (!only(query, ['current']) || query.current !== '1') return undefined;
  // What refuses the configuration (a container's environment variables) refuses both states of it.
  const plain = set.find(path);
  if (plain?.status === 403) return { ...plain, params: query };
  const pending = rowsOf(set.find(path.replace(/config$/, 'pending')));
  if (!pending || pending.some((row) => 'pending' in row || 'delete' in row)) return undefined;
  return set.find(path);
}

/**
 * Rights at a path that was not asked for when recording. The access list behind the recordings has no entry below what
 * was recorded for these three tokens, so a listed path tells itself, and another one inherits what propagates to it.
 */
function permissionsAtPath(set: RecordingSet, { path, query }: ReplayRequest): Recording | undefined {
  const asked = query.path;
  const whole = set.find(path);
  const listed = objectOf(whole);
  if (asked === undefined || !whole || !listed || !only(query, ['path'])) return undefined;
  if (!/^\/(?:vms|nodes|storage|pool|sdn|access|mapping)(?:\/|$)/.test(asked)) return undefined;
  const rights = listed[asked] ?? inheritedRights(set, path, asked);
  return rights === undefined ? undefined : { ...whole, params: query, body: { data: { [asked]: rights } } };
}

function inheritedRights(set: RecordingSet, path: string, asked: string): unknown {
  const segments = asked.split('/');
  for (let depth = segments.length - 1; depth >= 1; depth -= 1) {
    const ancestor = depth === 1 ? '/' : segments.slice(0, depth).join('/');
    const held = z.record(z.string(), z.literal([0, 1])).safeParse(objectOf(set.find(path, { path: ancestor }))?.[ancestor]);
    // A path whose own entry does not propagate (`/nodes` here) hands nothing down; its parent's entry does.
    if (held.success && Object.values(held.data).every((propagates) => propagates === 1)) return held.data;
  }
  return undefined;
}

/** Tells whether a guest id is free, to anyone: so it is answered from the whole inventory. */
function nextId(set: RecordingSet, { query }: ReplayRequest): Recording | undefined {
  if (query.vmid === undefined || !only(query, ['vmid'])) return undefined;
  const taken = guests().some((row) => String(row.vmid) === query.vmid);
  const known = taken ? '100' : '12345';
  const example = set.find('/cluster/nextid', { vmid: known });
  return example && { ...example, body: JSON.parse(JSON.stringify(example.body).replaceAll(known, query.vmid)) };
}

/** One pool with its members; nested pools list the guests of their own only. */
function poolMembers(set: RecordingSet, { query }: ReplayRequest): Recording | undefined {
  const { poolid, type } = query;
  if (poolid === undefined) return undefined;
  const list = set.find('/pools');
  const entry = rowsOf(list)?.find((row) => row.poolid === poolid);
  const whole = set.find('/pools', { poolid });
  const members =
    rowsOf(whole)?.[0]?.members ??
    objectOf(set.find(`/pools/${poolid}`))?.members ??
    rowsOf(set.find('/cluster/resources'))?.filter((row) => row.pool === poolid && row.vmid !== undefined);
  const rows = z.array(z.record(z.string(), z.unknown())).safeParse(members);
  if (!list || !entry || !rows.success) return undefined;
  const wanted = rows.data.filter((row) => type === undefined || row.type === type);
  return { ...list, body: { data: [{ ...entry, members: wanted }] } };
}

/**
 * Rights are checked first, by the node that is asked. Where every recorded answer of an endpoint is the same refusal but
 * for the names in it, it is one for the other guests, nodes and storages too.
 */
function refusal(set: RecordingSet, { path, query, template, params }: ReplayRequest): Recording | undefined {
  const siblings = siblingsOf(set, template);
  if (siblings.length === 0 || siblings.some(({ recording }) => recording.status !== 403)) return undefined;
  const shapes = new Set(siblings.map(({ shape }) => sortedPrivileges(shape)));
  const shape = siblings[0]?.shape;
  if (shape === undefined || shapes.size > 1 || !namesOnlyItself(shape)) return undefined;
  const message = shape.replaceAll(/\{([\w-]+)\}/g, (_, name: string) => params[name] ?? '');
  return { path, params: query, status: 403, reason: message.split('\n')[0] ?? '', body: { data: null, message } };
}

interface Sibling {
  readonly recording: Recording;
  /** Its message with the values of its path parameters as `{name}`. */
  readonly shape: string;
}

const siblingIndexes = new WeakMap<readonly Recording[], ReadonlyMap<string, readonly Sibling[]>>();

/** The recordings of the same endpoint for other objects. */
function siblingsOf({ all }: RecordingSet, template: string): readonly Sibling[] {
  let index = siblingIndexes.get(all);
  if (!index) {
    const byTemplate = new Map<string, Sibling[]>();
    for (const recording of all) {
      const matched = matchTemplate('9.2.11', recording.path);
      if (!matched) continue;
      const sibling = { recording, shape: shapeOf(recording, matched.params) };
      byTemplate.set(matched.template, [...(byTemplate.get(matched.template) ?? []), sibling]);
    }
    index = byTemplate;
    siblingIndexes.set(all, index);
  }
  return index.get(template) ?? [];
}

function shapeOf(recording: Recording, params: Readonly<Record<string, string>>): string {
  let shape = messageOf(recording) ?? '';
  for (const [name, value] of Object.entries(params)) {
    const escaped = value.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    shape = shape.replace(new RegExp(`/${escaped}(?![\\w.-])`), () => `/{${name}}`);
  }
  return shape;
}

/** Alternatives come in any order. */
function sortedPrivileges(message: string): string {
  return message.replace(/[\w.]+(?:\|[\w.]+)+/, (privileges) => privileges.split('|').sort().join('|'));
}

const ACL_WORDS = new Set('vms nodes storage pool sdn zones access groups realm mapping pci usb dir notifications'.split(' '));

/** Whether the ACL path in a refusal holds nothing that the request's own path doesn't tell (as the zone of a VNet would). */
function namesOnlyItself(shape: string): boolean {
  const aclPath = /\((\/[^,]*),/.exec(shape)?.[1] ?? '';
  return aclPath.split('/').every((segment) => segment === '' || ACL_WORDS.has(segment) || /^\{[\w-]+\}$/.test(segment));
}

/** What would be handed on to a node that does not answer. */
function unreachable({ path, query, params, facts }: ReplayRequest): Recording | undefined {
  if (facts.proxyto !== 'node' || !OFFLINE_NODES.includes(params.node ?? '')) return undefined;
  return { path, params: query, status: 595, reason: 'Connection refused', body: null };
}

/** A guest that is elsewhere, of the other type, or nowhere: the same 500 for all three. */
function missingGuest({ path, query, params }: ReplayRequest): Recording | undefined {
  const asked = /^\/nodes\/pve1\/(qemu|lxc)\/\d+\/(?:config|status\/current)$/.exec(path);
  if (!asked) return undefined;
  const here = guests().some((row) => row.node === 'pve1' && row.type === asked[1] && String(row.vmid) === params.vmid);
  if (here) return undefined;
  const file = `nodes/pve1/${asked[1] === 'qemu' ? 'qemu-server' : 'lxc'}/${params.vmid}.conf`;
  const message = `Configuration file '${file}' does not exist`;
  return { path, params: query, status: 500, reason: message, body: { data: null, message: `${message}\n` } };
}

/** An agent that doesn't answer is found out before any command is sent: the same error for each of them. */
function muteAgent(set: RecordingSet, { path, query }: ReplayRequest): Recording | undefined {
  const agent = /^(.*\/agent\/)[\w-]+$/.exec(path)?.[1];
  const recorded = agent === undefined ? undefined : set.find(`${agent}get-osinfo`);
  return recorded && messageOf(recorded)?.includes('is not running') ? { ...recorded, path, params: query } : undefined;
}

function guests(): Record<string, unknown>[] {
  return (rowsOf(loadRecordings('full').find('/cluster/resources')) ?? []).filter((row) => row.vmid !== undefined);
}

function filtered(recording: Recording | undefined, keep: (row: Record<string, unknown>) => boolean): Recording | undefined {
  return mapRows(recording, (rows) => rows.filter(keep));
}

function mapRows(
  recording: Recording | undefined,
  change: (rows: Record<string, unknown>[]) => Record<string, unknown>[],
): Recording | undefined {
  const rows = rowsOf(recording);
  const body = z.looseObject({}).safeParse(recording?.body);
  return recording && rows && body.success ? { ...recording, body: { ...body.data, data: change(rows) } } : undefined;
}

function messageOf(recording: Recording | undefined): string | undefined {
  const parsed = z.object({ message: z.string() }).safeParse(recording?.body);
  return parsed.success ? parsed.data.message : undefined;
}

const only = (query: QueryValues, names: readonly string[]): boolean => Object.keys(query).every((name) => names.includes(name));

const pick = (query: QueryValues, names: readonly string[]): QueryValues =>
  Object.fromEntries(Object.entries(query).filter(([name]) => names.includes(name)));
