import type { Paged, SortKey } from '../../answer/spec.ts';
import { counted } from '../../answer/units.ts';
import type { Call } from '../../api/call.ts';
import { type Gaps, mergeGaps, NO_GAPS, visibleWord } from '../../api/reading.ts';
import { type AddressSources, readAddressSources } from '../../cluster/address-sources.ts';
import { type ConfigScan, readableGuests, scanGuestConfigs } from '../../cluster/config-scan.ts';
import { agentEnabled, type GuestConfig } from '../../cluster/guest-config.ts';
import {
  type Guest,
  guestCoverage,
  type Inventory,
  offlineGaps,
  readInventory,
  storageCoverage,
} from '../../cluster/inventory.ts';
import {
  type Finding,
  foundGuest,
  parseSearch,
  type Search,
  searchConfig,
  searchInventory,
} from '../../cluster/inventory-search.ts';
import { askable, type LiveAnswer, type LiveScan, type LiveWish, scanLive } from '../../cluster/live-scan.ts';
import {
  type AddressEntry,
  type AddressQuery,
  addressesOpen,
  duplicatesOf,
  duplicateWords,
  entriesOfConfig,
  entriesOfLive,
  entriesOfSources,
  entryWords,
  matchEntries,
  parseAddressQuery,
} from '../../insights/address-book.ts';
import type { PageRequest } from '../define-tool.ts';

/**
 * Where a row was found, which is also the order of the answer: 0 what costs no request for a guest, 1 configurations,
 * 2 what running guests tell themselves. Within the last two the order is that of the scan, so that a cursor resumes it.
 */
type Stage = 0 | 1 | 2;

interface Found {
  readonly stage: Stage;
  readonly finding: Finding;
}

/** What a search is about, and how far it goes. */
interface Plan {
  readonly text: string;
  readonly search: Search;
  readonly address: AddressQuery | undefined;
  /** Guest configurations are read: for addresses, which stand nowhere else, and when asked for. */
  readonly configs: boolean;
  /** Running guests are asked; undefined: they are not. */
  readonly live: LiveWish | undefined;
}

const HOST_NAME = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

function planOf(text: string, deep: boolean): Plan {
  const search = parseSearch(text);
  const address = parseAddressQuery(text);
  const live: LiveWish = {
    interfaces: address?.kind === 'ip' || address?.kind === 'mac',
    hostNames: address === undefined && !search.inConfigs && HOST_NAME.test(search.text),
  };
  return {
    text,
    search,
    address,
    configs: deep || address !== undefined,
    live: deep && (live.interfaces || live.hostNames) ? live : undefined,
  };
}

/** Rows of a search by text, with everything that has to be said about them. */
export interface Things {
  readonly headline: string;
  readonly rows: Paged<ReturnType<typeof toRow>>;
  readonly gaps: Gaps;
  readonly notes: readonly string[];
  readonly next: readonly string[];
}

/**
 * Searches the inventory; for an address or a VLAN also the configurations, the SDN's address management and the nodes;
 * with `deep` every configuration and the running guests themselves.
 */
export async function findThings(call: Call, text: string, deep: boolean, page: PageRequest): Promise<Things> {
  const plan = planOf(text, deep);
  const { search, address } = plan;
  const [inventory, guests, storages] = await Promise.all([readInventory(call), guestCoverage(call), storageCoverage(call)]);
  const sources =
    address === undefined
      ? undefined
      : await readAddressSources(call, inventory, { addresses: address.kind !== 'vlan', vnets: address.kind === 'vlan' });
  const readable = readableGuests(inventory);
  const [stage, position] = page.after ?? [];
  const toScan = plan.configs && stage !== 2 ? behind(readable, stage === 1 ? position : 0) : undefined;
  // Addresses in use are those of the running configuration, whatever is to change.
  const scan = toScan === undefined ? undefined : await scanGuestConfigs(call, toScan, { current: address !== undefined });
  // What could not be read is not read again by the next stage.
  const configs = new Map<number, GuestConfig | undefined>(toScan?.map(({ vmid }) => [vmid, undefined]));
  for (const { guest, config } of scan?.configs ?? []) configs.set(guest.vmid, config);
  const asked =
    plan.live !== undefined && scan?.stoppedAfter === undefined
      ? await scanLive(call, behind(askable(readable, plan.live), stage === 2 ? position : 0), configs, plan.live)
      : undefined;

  const matched: AddressEntry[] = [];
  const match = (entries: readonly AddressEntry[]): readonly AddressEntry[] => {
    const hits = address === undefined ? [] : matchEntries(entries, address);
    matched.push(...hits);
    return hits;
  };
  const first = [
    ...searchInventory(inventory, search),
    ...(sources === undefined ? [] : sourceFindings(match(entriesOfSources(sources.data)), inventory)),
  ];
  const named = new Set(first.map((f) => (f.kind === 'guest' ? f.id : '')));
  const vnets = sources?.data.vnets ?? [];
  const second = scannedFindings(plan, scan, asked, match, vnets, named);
  const rows: Found[] = [...mergeSame(first).map((finding) => ({ stage: 0 as const, finding })), ...second];
  const unfinished = unfinishedOf(scan, asked);
  return {
    headline: headlineOf(plan, rows.length, scan, asked, mergeGaps(guests, storages)),
    rows: paged(rows, unfinished),
    gaps: mergeGaps(
      guests,
      storages,
      // Names and states of offline guests are missing, and neither they nor their configurations can be asked.
      readable.length < inventory.guests.length ? offlineGaps(inventory) : NO_GAPS,
      sources ?? NO_GAPS,
      scan?.gaps ?? NO_GAPS,
      asked?.gaps ?? NO_GAPS,
      unasked(plan, scan, asked),
    ),
    notes: [
      ...duplicateWords(duplicatesOf(matched)),
      ...(plan.configs ? foreignWords(address, sources?.data) : plainNotes(search, rows.length)),
    ],
    next: unfinished === undefined ? nextStep(plan, rows.length, readable, scan) : [],
  };
}

/** Guests behind the one at which a cursor stands. */
function behind(guests: readonly Guest[], position: string | number | undefined): readonly Guest[] {
  return typeof position === 'number' && position > 0 ? guests.filter((g) => g.vmid > position) : guests;
}

function unfinishedOf(scan: ConfigScan | undefined, asked: LiveScan | undefined): Paged<object>['unfinished'] {
  if (scan?.stoppedAfter !== undefined)
    return { after: [1, scan.stoppedAfter], why: 'time ran out before every guest configuration was read' };
  if (asked?.stoppedAfter !== undefined)
    return { after: [2, asked.stoppedAfter], why: 'time ran out before every running guest was asked' };
  return undefined;
}

/** The inventory's findings first, the best ones before all; the others in the order of the scan. */
function paged(rows: readonly Found[], unfinished: Paged<object>['unfinished']): Things['rows'] {
  const keys = new Map<object, SortKey>();
  const shown = rows.map(({ stage, finding }) => {
    const row = toRow(finding);
    keys.set(row, keyOf(stage, finding));
    return row;
  });
  return { rows: shown, key: (row) => keys.get(row) ?? [9], unfinished };
}

const KINDS: readonly Finding['kind'][] = ['guest', 'node', 'storage', 'pool', 'network'];

function keyOf(stage: Stage, f: Finding): readonly (string | number)[] {
  return stage === 0 ? [0, f.rank, KINDS.indexOf(f.kind), f.kind === 'guest' ? Number(f.id) : f.id] : [stage, Number(f.id)];
}

function toRow(f: Finding) {
  return {
    kind: f.kind,
    id: f.id,
    name: f.name,
    node: f.node,
    status: f.status,
    pool: f.pool,
    tags: f.tags.length === 0 ? undefined : f.tags,
    match: f.match,
  };
}

function guestFinding(guest: Guest, match: readonly string[], rank: Finding['rank']): Finding {
  return { ...foundGuest(guest), match, rank };
}

/** One row for each holder of an address; a guest that is not in the inventory is one that the token may not see. */
function sourceFindings(entries: readonly AddressEntry[], inventory: Inventory): readonly Finding[] {
  const groups = new Map<string, AddressEntry[]>();
  for (const entry of entries) {
    const key = JSON.stringify(entry.holder);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].flatMap((group): Finding[] => {
    const [first] = group;
    if (first === undefined) return [];
    const { holder } = first;
    const match = entryWords(group);
    const bare = { name: undefined, node: undefined, status: undefined, pool: undefined, tags: [], match, rank: 0 as const };
    if (holder.kind === 'network') return [{ ...bare, kind: 'network', id: holder.id }];
    if (holder.kind === 'node')
      return [
        {
          ...bare,
          kind: 'node',
          id: holder.node,
          status: inventory.nodes.find((n) => n.node === holder.node)?.status ?? 'unknown',
        },
      ];
    const guest = inventory.guests.find((g) => g.vmid === holder.vmid);
    return [guest === undefined ? { ...bare, kind: 'guest', id: String(holder.vmid) } : guestFinding(guest, match, 0)];
  });
}

/** What was found of one thing in several ways is one row. */
function mergeSame(findings: readonly Finding[]): readonly Finding[] {
  const groups = new Map<string, Finding>();
  for (const f of findings) {
    const key = `${f.kind} ${f.id}`;
    const known = groups.get(key);
    groups.set(
      key,
      known === undefined ? f : { ...known, match: [...known.match, ...f.match], rank: better(known.rank, f.rank) },
    );
  }
  return [...groups.values()];
}

/** The rank that says more; they are a closed set, which Math.min would forget. */
function better(a: Finding['rank'], b: Finding['rank']): Finding['rank'] {
  return b < a ? b : a;
}

/**
 * Findings in configurations, each with what the guest itself told if that is known by now; and what only the guests told.
 * A guest whose configuration had matched on an earlier page is not told again.
 */
function scannedFindings(
  plan: Plan,
  scan: ConfigScan | undefined,
  asked: LiveScan | undefined,
  match: (entries: readonly AddressEntry[]) => readonly AddressEntry[],
  vnets: AddressSources['vnets'],
  named: ReadonlySet<string>,
): readonly Found[] {
  const answers = new Map(asked?.answers.map((answer) => [answer.guest.vmid, answer]));
  const rows: Found[] = [];
  for (const { guest, config } of scan?.configs ?? []) {
    const own = match(entriesOfConfig(guest.vmid, config, vnets));
    const texts = searchConfig(config, plan.search).filter((hit) => !own.some((entry) => tells(hit, entry)));
    if (own.length === 0 && texts.length === 0) continue;
    const answer = answers.get(guest.vmid);
    const live = answer === undefined ? [] : match(liveEntries(plan, answer));
    rows.push({ stage: 1, finding: guestFinding(guest, [...entryWords([...own, ...live]), ...texts], 2) });
    answers.delete(guest.vmid);
  }
  for (const answer of answers.values()) {
    const { guest, config, hostName } = answer;
    const entries = liveEntries(plan, answer);
    const hits =
      plan.address === undefined
        ? hostNameHits(guest.vmid, hostName, plan.search, named.has(String(guest.vmid)))
        : match(entries);
    if (hits.length === 0 || (config !== undefined && matchesByConfig(plan, guest.vmid, config, vnets))) continue;
    rows.push({ stage: 2, finding: guestFinding(guest, entryWords(hits), 2) });
  }
  return rows;
}

function matchesByConfig(
  plan: Plan,
  vmid: number,
  config: NonNullable<LiveAnswer['config']>,
  vnets: AddressSources['vnets'],
): boolean {
  const { address } = plan;
  const hit = address !== undefined && matchEntries(entriesOfConfig(vmid, config, vnets), address).length > 0;
  return hit || searchConfig(config, plan.search).length > 0;
}

/** Whether a line of the configuration says no more than an entry does. */
function tells(line: string, { at }: AddressEntry): boolean {
  const nic = /^net(\d+)\b/.exec(at ?? '')?.[1];
  return nic !== undefined && (line.startsWith(`net${nic}: `) || line.startsWith(`ipconfig${nic}: `));
}

function liveEntries(plan: Plan, { guest, config, live }: LiveAnswer): readonly AddressEntry[] {
  return live === undefined || plan.address === undefined ? [] : entriesOfLive(guest.vmid, config, live);
}

/** A host name is worth a row where the guest's own name had not led to it already. */
function hostNameHits(vmid: number, hostName: string | undefined, search: Search, known: boolean): readonly AddressEntry[] {
  if (known || hostName === undefined || !hostName.toLowerCase().includes(search.text)) return [];
  return [{ holder: { kind: 'guest', vmid }, what: 'host name', value: hostName, at: undefined, origin: 'agent', unique: false }];
}

function headlineOf(plan: Plan, count: number, scan: ConfigScan | undefined, asked: LiveScan | undefined, gaps: Gaps): string {
  const read = [
    scan === undefined ? undefined : `${counted(scan.configs.length, 'guest configuration')} read`,
    asked === undefined ? undefined : `${counted(asked.answers.filter((a) => a.asked).length, 'running guest')} asked`,
  ].filter((part) => part !== undefined);
  const found = counted(count, `${visibleWord(gaps)}thing`);
  return `${found} found for ${JSON.stringify(plan.text)}${read.length === 0 ? '' : ` (${read.join(', ')})`}`;
}

/**
 * Addresses that stand in no configuration and were not asked for: nobody may take them for absent. Machines without an
 * agent are silent whatever is done.
 */
function unasked(plan: Plan, scan: ConfigScan | undefined, asked: LiveScan | undefined): Gaps {
  if (plan.address?.kind !== 'ip' || scan === undefined) return NO_GAPS;
  const told = new Set(asked?.answers.filter((a) => a.asked).map((a) => a.guest.vmid));
  const open = scan.configs.filter(({ guest, config }) => !guest.template && !told.has(guest.vmid) && addressesOpen(config));
  if (open.length === 0) return NO_GAPS;
  const end = asked?.stoppedAfter ?? Number.POSITIVE_INFINITY;
  const silent = open.filter(({ guest }) => guest.status !== 'running' || guest.vmid <= end);
  if (asked !== undefined && silent.length === 0) return NO_GAPS;
  const why =
    asked === undefined
      ? `${counted(open.length, 'guest')} have interfaces without a configured address (DHCP, or set inside): only the running guest knows it`
      : `the addresses of ${counted(silent.length, 'guest')} are known to nobody here: not running, or no agent that answers`;
  return { ...NO_GAPS, coverage: 'unknown', why };
}

function foreignWords(address: AddressQuery | undefined, sources: AddressSources | undefined): readonly string[] {
  if (address?.kind !== 'ip' || sources === undefined || sources.foreignIpams.length === 0) return [];
  return [`Not readable through Proxmox VE: what ${sources.foreignIpams.join(', ')} (external IPAM) hold.`];
}

function plainNotes(search: Search, count: number): readonly string[] {
  if (count > 0 && !search.inConfigs) return [];
  return ['Only names, vmids, tags and pools were searched; volumes, notes and host names in the guests were not.'];
}

/** What the deep search would cost, so that nobody pays unknowingly. */
function nextStep(plan: Plan, count: number, readable: readonly Guest[], scan: ConfigScan | undefined): readonly string[] {
  const call = `search_inventory query=${JSON.stringify(plan.text)} deep=true`;
  if (plan.live !== undefined || readable.length === 0) return [];
  if (scan === undefined) {
    if (count > 0 && !plan.search.inConfigs) return [];
    const machines =
      HOST_NAME.test(plan.search.text) && !plan.search.inConfigs ? ', then asks running machines for their host names' : '';
    return [`${call} (reads ${readable.length} guest configurations${machines})`];
  }
  // Interfaces have the hardware addresses of their configurations: asking helps where none has it.
  if (plan.address === undefined || plan.address.kind === 'vlan' || (plan.address.kind === 'mac' && count > 0)) return [];
  const running = scan.configs.filter(({ guest }) => guest.status === 'running');
  const agents = running.filter(({ config }) => config.type === 'qemu' && agentEnabled(config.values.get('agent'))).length;
  const containers = readable.filter((g) => g.type === 'lxc' && g.status === 'running').length;
  if (agents + containers === 0) return [];
  return [
    `${call} (also asks ${counted(agents, 'guest agent')} and ${counted(containers, 'container')}; a silent agent takes seconds)`,
  ];
}
