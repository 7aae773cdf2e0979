import { z } from 'zod';
import { int, list, type SortKey, table, text } from '../../answer/spec.ts';
import type { Call } from '../../api/call.ts';
import { type Gaps, type Hidden, mergeGaps, NO_GAPS, type Problem } from '../../api/reading.ts';
import { GUEST_FACTS, type HealthFacts, type Plan, planFacts, requestsPerGuest } from '../../cluster/health-facts.ts';
import { guestsToScan, scanGuests } from '../../cluster/health-guests.ts';
import { HEALTH_READS, type HealthBase, nodesWithPlugin, readHealthBase, readHealthFacts } from '../../cluster/health-read.ts';
import { offlineGaps } from '../../cluster/inventory.ts';
import { requireNode, resolveGuest } from '../../cluster/resolve.ts';
import { healthChecks } from '../../insights/health/catalog.ts';
import { AREAS, type Check, judging, SEVERITIES, type Severity } from '../../insights/health/check.ts';
import { type FindingGroup, factsOf, idRanges, judgeHealth, type Unchecked, type Verdict } from '../../insights/health/judge.ts';
import { defineTool } from '../define-tool.ts';
import { node, vmid } from '../params.ts';
import {
  type Asked,
  askedChecks,
  compareAdvice,
  comparingIds,
  guestFacts,
  howToCompare,
  isOfGuests,
  namesChecks,
  namesWhat,
} from './asked-checks.ts';

const findingColumns = {
  severity: text(SEVERITIES.join(', ')),
  id: text(),
  what: text(),
  on: list(),
  count: int('where it is more than one'),
  evidence: text(),
  why: text('why it matters'),
  command: text('for a person to run'),
};

export const checkHealth = defineTool({
  name: 'check_health',
  title: 'Check health',
  toolset: 'cluster',
  description:
    'Coded findings about everything that can be wrong, gravest first, and what could not be checked. At most about 40 requests; area reads all about some areas, check all for single checks; deep=true also looks into every guest (up to 5 requests each).',
  params: {
    area: z.array(z.enum(AREAS)).max(AREAS.length).optional(),
    check: z.array(z.string().min(1).max(12)).max(healthChecks.length).describe('Ids: G20').optional(),
    severity: z.enum(SEVERITIES).describe('The least grave to show').optional(),
    node: node.optional(),
    vmid: vmid.optional(),
    deep: z.boolean().optional(),
    ignored: z.boolean().describe('Also show accepted findings').optional(),
  },
  paged: true,
  output: {
    findings: table(findingColumns),
    not_checked: table({ checks: text(), nodes: list(), how: text('not at all or partly'), why: text() }),
    ignored: table({ id: text(), on: list(), what: text(), reason: text() }, 'accepted in the configuration'),
  },
  // Naming a guest that this token does not see takes one more question.
  reads: [...HEALTH_READS, '/cluster/nextid'],
  async run(args, call, page) {
    const asked = askedChecks(args);
    const base = await readHealthBase(call);
    if (args.node !== undefined) requireNode(base.inventory, args.node);
    const target = args.vmid === undefined ? undefined : (await resolveGuest(call, { vmid: args.vmid })).guest;
    // A guest's own node tells all that concerns the guest.
    const onNode = args.node ?? target?.node;
    const segment = segmentAt(page.after);
    const { from } = segment;
    const deep = args.deep === true || args.vmid !== undefined || namesChecks(args);
    const checks = from === 0 ? asked : asked.filter(isOfGuests);
    const plan = planFor(checks, base, { ...args, node: onNode }, deep);
    const guests = guestsToScan(base, args);
    // Rows of one page are cut where the answer is full: the next page must be made of the same guests, or what they
    // add to rows before the cut would never be told.
    const end = segment.end ?? WHOLE;
    const upTo = end === WHOLE || end >= (guests.at(-1)?.vmid ?? 0) ? undefined : end;
    const read = await readHealthFacts(call, base, {
      plan,
      node: onNode,
      thorough: deep || namesWhat(args),
    });
    const scan = [...GUEST_FACTS].some((fact) => plan.read.has(fact))
      ? await scanGuests(
          call,
          base,
          { node: args.node, vmid: args.vmid, after: from, upTo },
          plan.read,
          compareAdvice(checks, args.node),
        )
      : undefined;
    const facts: HealthFacts = scan === undefined ? read : { ...read, ...scan.facts };
    const { health } = call.session;
    const scope = { minimum: args.severity ?? 'info', node: args.node, vmid: args.vmid };
    const verdict = judgeHealth(checks, facts, plan, judging(call.now(), health.thresholds), scope, health.ignore);
    // What compares all guests does not go on from page to page: without anything else there is no next one.
    const unfinished = asked.some(isOfGuests) ? (scan?.stoppedAfter ?? upTo) : undefined;
    // A page that goes on where rows were cut keeps the end of the first one, even when it gets less far.
    const mark = segment.end ?? unfinished ?? WHOLE;
    const rows = verdict.groups.map(findingRow);
    return {
      headline: headlineOf(verdict, scope.minimum, unfinished !== undefined || from > 0),
      sections: {
        findings: {
          rows,
          key: (row) => [from, mark, SEVERITIES.indexOf(severityWord(row.severity)), row.id ?? ''],
          unfinished:
            unfinished === undefined
              ? undefined
              : {
                  after: [from, mark, LAST, '', unfinished],
                  why: `time ran out after guest ${unfinished}: ${scan?.done ?? 0} of ${guests.length} guests on this page`,
                },
        },
        not_checked: verdict.unchecked.length === 0 ? undefined : uncheckedRows(verdict.unchecked, checks),
        ignored:
          args.ignored === true
            ? verdict.ignored.map((g) => ({
                id: g.check.id,
                on: g.targets.map((t) => t.name),
                what: g.check.what,
                reason: g.reason,
              }))
            : undefined,
      },
      gaps: mergeGaps(base.guests, base.storages, offlineGaps(base.inventory), gapsOf(verdict.unchecked)),
      notes: notesOf(call, {
        verdict,
        deep,
        asked,
        guests: guests.length,
        from,
        only: args.vmid !== undefined ? `guest ${args.vmid}` : args.node,
      }),
    };
  },
});

/** Behind every severity: the mark of where the next guests begin. */
const LAST = SEVERITIES.length;
/** The end of a segment that holds all guests. */
const WHOLE = 0;

/** The guests that one page, or several when its rows do not fit, are made of: those behind `from`, up to `end`. */
interface Segment {
  readonly from: number;
  /** `WHOLE`, or the last guest; undefined on the first page of a segment, which finds out how far it gets. */
  readonly end: number | undefined;
}

/** Read out of the last row's key, or out of the mark behind the rows. */
function segmentAt(after: SortKey | undefined): Segment {
  const [from, end, rank, , next] = after ?? [];
  if (rank === LAST && typeof next === 'number') return { from: next, end: undefined };
  return { from: typeof from === 'number' ? from : 0, end: typeof end === 'number' ? end : undefined };
}

function planFor(checks: readonly Check[], { inventory }: HealthBase, args: Asked, deep: boolean): Plan {
  const nodes = inventory.nodes
    .filter((n) => n.status === 'online' && (args.node === undefined || n.node === args.node))
    .map((n) => n.node);
  const all = namesWhat(args);
  const withPlugin = (plugin: string): number => (all || deep ? nodes.length : nodesWithPlugin(inventory, plugin, nodes).length);
  return planFacts(factsOf(checks), {
    nodes: nodes.length,
    thinNodes: withPlugin('lvmthin'),
    zfsNodes: withPlugin('zfspool'),
    deep,
    all,
  });
}

function findingRow(group: FindingGroup) {
  const { check, severity, targets } = group;
  return {
    severity,
    id: check.id,
    what: check.what,
    on: targets.map((t) => t.name),
    count: targets.length > 1 ? targets.length : undefined,
    evidence: group.evidence,
    why: check.why,
    command: group.command,
  };
}

function severityWord(word: string | null | undefined): Severity {
  return SEVERITIES.find((s) => s === word) ?? 'info';
}

function headlineOf(verdict: Verdict, minimum: Severity, soFar: boolean): string {
  const shown = SEVERITIES.slice(0, SEVERITIES.indexOf(minimum) + 1);
  const counts = shown.map((s) => `${verdict.groups.filter((g) => g.severity === s).length} ${s}`);
  const none = verdict.groups.length === 0;
  const what = none
    ? `Nothing${minimum === 'info' ? '' : ` ${minimum} or graver`} found`
    : `${counts.join(', ')} ${verdict.groups.length === 1 ? 'finding' : 'findings'}`;
  const whole = new Set(verdict.unchecked.filter((u) => u.whole).flatMap((u) => u.checks));
  const partly = new Set(
    verdict.unchecked
      .filter((u) => !u.whole)
      .flatMap((u) => u.checks)
      .filter((c) => !whole.has(c)),
  );
  const made = verdict.total - whole.size;
  const checks = `${made} of ${verdict.total} checks made${partly.size === 0 ? '' : `, ${partly.size} of them only in part`}`;
  const accepted = verdict.ignored.reduce((sum, g) => sum + g.targets.length, 0);
  return `${soFar ? 'On this page: ' : ''}${what}; ${checks}${accepted === 0 ? '' : `; ${accepted} accepted and not shown`}`;
}

function uncheckedRows(unchecked: readonly Unchecked[], checks: readonly Check[]) {
  const rows = unchecked
    .filter((u) => u.spared !== 'node' && u.spared !== 'deep')
    .map((u) => ({
      checks: idRanges(u.checks, healthChecks),
      nodes: u.nodes.length === 0 ? undefined : u.nodes,
      how: u.whole ? 'not at all' : 'partly',
      why: u.why,
    }));
  for (const spared of ['node', 'deep'] as const) {
    for (const whole of [true, false]) {
      const groups = unchecked.filter((u) => u.spared === spared && u.whole === whole);
      if (groups.length === 0) continue;
      const those = checks.filter((c) => groups.some((u) => u.checks.includes(c)));
      const areas = [...new Set(those.map((c) => c.area))].join(',');
      rows.push({
        checks: idRanges(those, healthChecks),
        nodes: undefined,
        how: whole ? 'not at all' : 'partly',
        why:
          spared === 'node'
            ? `left out to make few requests: area=${areas} or deep=true`
            : 'needs requests for each guest or storage: deep=true',
      });
    }
  }
  return rows;
}

/** Refusals as hidden things, failures as problems; what was left out on purpose is neither. */
function gapsOf(unchecked: readonly Unchecked[]): Gaps {
  const hidden: Hidden[] = [];
  const problems: Problem[] = [];
  const byNeed = new Map<string, Set<Check>>();
  for (const u of unchecked) {
    for (const need of u.needs) byNeed.set(need, new Set([...(byNeed.get(need) ?? []), ...u.checks]));
    if (u.needs.length === 0 && u.kind !== undefined && u.spared === undefined)
      problems.push(
        ...(u.nodes.length === 0 ? [undefined] : u.nodes).map((n) => ({
          where: n === undefined ? {} : { node: n },
          kind: u.kind ?? 'upstream',
          message: u.why,
        })),
      );
  }
  for (const [need, those] of byNeed) {
    const match = /^(.+) on (\/\S*)$/.exec(need);
    if (match !== null)
      hidden.push({
        what: `facts of checks ${idRanges([...those], healthChecks)}`,
        privilege: match[1] ?? '',
        path: match[2] ?? '',
      });
  }
  const missing = unchecked.some((u) => u.spared === undefined);
  return {
    ...NO_GAPS,
    problems,
    hidden,
    coverage: missing ? 'partial' : 'complete',
    ...(missing ? { why: 'not_checked lists what could not be judged' } : {}),
  };
}

interface Said {
  readonly verdict: Verdict;
  readonly deep: boolean;
  readonly asked: readonly Check[];
  readonly guests: number;
  readonly from: number;
  /** The one thing that is asked about. */
  readonly only: string | undefined;
}

function notesOf(call: Call, { verdict, deep, asked, guests, from, only }: Said): readonly string[] {
  const notes: string[] = [];
  const left = verdict.unchecked.filter((u) => u.spared === 'node' || u.spared === 'deep');
  const comparing = comparingIds(asked);
  if (!deep && left.length > 0) {
    const each = requestsPerGuest(guestFacts(asked));
    const but = comparing === '' ? '' : `; ${comparing} need all guests in one go and then check=`;
    notes.push(
      `deep=true makes up to ${each} requests for each of ${guests} guests (${each * guests} in all) and some for each node and storage; when that takes too long it goes on with a cursor${but}.`,
    );
  }
  if (only !== undefined)
    notes.push(
      `Only findings about ${only}: those of the cluster as a whole, and what compares nodes or guests, are in the answer about everything.`,
    );
  if (deep) notes.push(`${call.stats.requests} requests were made.`);
  if (from > 0) {
    const left =
      comparing === '' ? '' : ` ${comparing} need all guests in one go, which that page did not hold: ${howToCompare(asked)}.`;
    notes.push(`The cluster and its nodes were judged on the first page.${left}`);
  }
  const unknown = call.session.health.ignore.filter((i) => !healthChecks.some((c) => c.id === i.id)).map((i) => i.id);
  if (unknown.length > 0) notes.push(`The configuration ignores ${[...new Set(unknown)].join(', ')}, which is no check.`);
  return notes;
}
