import type { Paged, SortKey } from '../../answer/spec.ts';
import { counted } from '../../answer/units.ts';
import type { Call } from '../../api/call.ts';
import { type Gaps, mergeGaps, NO_GAPS, visibleWord } from '../../api/reading.ts';
import { readableGuests, scanGuestConfigs } from '../../cluster/config-scan.ts';
import { guestsInQuestion, parseTarget, readImpactFacts, type Target } from '../../cluster/impact-facts.ts';
import { readInventory } from '../../cluster/inventory.ts';
import { holdsMemory, runsNow } from '../../insights/capacity.ts';
import { type Dependent, dependentGuest, dependentObjects, impactNotes } from '../../insights/impact.ts';
import type { PageRequest } from '../define-tool.ts';

/** Running guests come first, then the others, then jobs, rules and the like: each in an order that a cursor resumes. */
const RUNNING = 1;
const RESTING = 2;
const OBJECTS = 3;

/** What depends on something, with everything that has to be said about it. */
export interface Dependents {
  readonly headline: string;
  readonly rows: Paged<ReturnType<typeof toRow>>;
  readonly gaps: Gaps;
  readonly notes: readonly string[];
}

/**
 * What depends on a node, storage, bridge, VNet, VLAN or mapping: one request for each guest that may, the running ones
 * first, until time is up; then a cursor goes on.
 */
export async function dependentsOf(call: Call, text: string, page: PageRequest): Promise<Dependents> {
  const target = parseTarget(text);
  const inventory = await readInventory(call);
  const facts = await readImpactFacts(call, target, inventory);
  const candidates = guestsInQuestion(facts.data);
  const readable = new Set(readableGuests(inventory).map((g) => g.vmid));
  const [stage = RUNNING, position = 0] = page.after ?? [];
  const rows: { key: SortKey; dependent: Dependent }[] = [];
  const gaps: Gaps[] = [facts];
  let unfinished: Paged<object>['unfinished'];
  let read = 0;
  for (const at of [RUNNING, RESTING]) {
    if (unfinished !== undefined || (typeof stage === 'number' && at < stage)) continue;
    const here = candidates.filter((g) => runsNow(g) === (at === RUNNING));
    const rest = at === stage && typeof position === 'number' ? here.filter((g) => g.vmid > position) : here;
    const scan = await scanGuestConfigs(
      call,
      rest.filter((g) => readable.has(g.vmid)),
      { current: true },
    );
    gaps.push(scan.gaps);
    read += scan.configs.length;
    const configs = new Map(scan.configs.map(({ guest, config }) => [guest.vmid, config]));
    for (const guest of rest) {
      const dependent = dependentGuest(facts.data, guest, configs.get(guest.vmid));
      if (dependent !== undefined) rows.push({ key: [at, guest.vmid], dependent });
    }
    if (scan.stoppedAfter !== undefined)
      unfinished = { after: [at, scan.stoppedAfter], why: 'time ran out before every guest configuration was read' };
  }
  for (const dependent of dependentObjects(facts.data)) rows.push({ key: [OBJECTS, dependent.kind, dependent.id], dependent });
  const all = mergeGaps(NO_GAPS, ...gaps);
  return {
    headline: headlineOf(
      target,
      rows.map((r) => r.dependent),
      read,
      all,
      page.after !== undefined,
      unfinished,
    ),
    rows: paged(rows, unfinished),
    gaps: all,
    notes: impactNotes(facts.data),
  };
}

function paged(
  rows: readonly { readonly key: SortKey; readonly dependent: Dependent }[],
  unfinished: Paged<object>['unfinished'],
) {
  const keys = new Map<object, SortKey>();
  const shown = rows.map(({ key, dependent }) => {
    const row = toRow(dependent);
    keys.set(row, key);
    return row;
  });
  return { rows: shown, key: (row: object) => keys.get(row) ?? [9], unfinished };
}

function toRow({ kind, id, name, node, status, why, lost }: Dependent) {
  return { status, kind, id, name, node: kind === 'node' ? undefined : node, why, lost };
}

/** Never "nothing depends on it" where guests could not be looked into. */
function headlineOf(
  target: Target,
  dependents: readonly Dependent[],
  read: number,
  gaps: Gaps,
  continued: boolean,
  unfinished: Paged<object>['unfinished'],
): string {
  const guests = dependents.filter((d) => d.kind === 'guest');
  const running = guests.filter((d) => d.status !== undefined && holdsMemory(d.status)).length;
  const others = dependents.length - guests.length;
  const scope = `${counted(read, 'guest configuration')} read`;
  const title = `${target.kind} ${target.id}`;
  if (dependents.length === 0) {
    const sure = gaps.coverage === 'complete' && !continued && unfinished === undefined;
    return `${title}: ${sure ? 'nothing depends on it' : `no ${continued ? 'further ' : ''}dependent seen`} (${scope})`;
  }
  const word = `${continued ? 'further ' : ''}${visibleWord(gaps)}`;
  const objects = others === 0 || unfinished !== undefined ? '' : `; ${counted(others, 'other thing')} too`;
  if (guests.length === 0)
    return `${title}: no ${word}guest seen that depends on it${objects.replace(' too', ` ${others === 1 ? 'does' : 'do'}`)} (${scope})`;
  const depend = guests.length === 1 ? 'depends' : 'depend';
  return `${title}: ${counted(guests.length, `${word}guest`)} ${depend} on it, ${running} running${objects} (${scope})`;
}
