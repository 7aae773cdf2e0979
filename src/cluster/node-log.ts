import { isoTime } from '../answer/units.ts';
import type { Call } from '../api/call.ts';
import { ApiError } from '../api/errors.ts';
import { byText, intOf, listOf, numberOf, rawOf, textOf, timeOf } from '../api/lenient.ts';
import { attempt, type Gaps, mergeGaps } from '../api/reading.ts';
import type { Guest } from './inventory.ts';
import { lineOf } from './shown-text.ts';

/** Lines that a search looks at, newest first. */
export const MAX_SEARCHED = 5_000;
const MAX_LINE = 500;
/** The syslog endpoint walks through all that is in the span, so there always is one. */
const DEFAULT_SPAN_S = 86_400;

/** What is wanted of a log. Times are seconds since the epoch. */
export interface LogWish {
  readonly node: string;
  /** Newest lines, at most. */
  readonly lines: number;
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** Lines of a log, newest first, clean of secrets as well as patterns can. */
export interface LogPart {
  readonly lines: readonly string[];
  /** Lines that the span has altogether, where the API tells. */
  readonly total: number | undefined;
  /** Start of the span that was read, when there is one. */
  readonly since: number | undefined;
  readonly notes: readonly string[];
}

/**
 * The newest lines of a node's journal. With a span the API can't limit the number, so all of the span is read.
 *
 * Source: GET /nodes/{node}/journal (Sys.Syslog on the node).
 */
export async function readJournal(call: Call, wish: LogWish): Promise<LogPart> {
  const { node, since, until } = wish;
  const span = since !== undefined || until !== undefined;
  const from = spanStart(call, wish);
  const got = await call.get('/nodes/{node}/journal', { node }, span ? { since: from, until } : { lastentries: wish.lines });
  const all = parseJournal(got.data);
  return {
    lines: all.slice(-wish.lines).reverse().map(cleanLine),
    // Fewer than asked for: that is all there is.
    total: span || all.length < wish.lines ? all.length : undefined,
    since: span ? from : undefined,
    notes: [],
  };
}

/** Lines of a journal answer, oldest first, without the cursors that stand before and behind them. */
export function parseJournal(data: unknown): readonly string[] {
  if (!Array.isArray(data)) throw new ApiError('malformed-answer', "The API's answer for the journal is no list.");
  return data.flatMap((line) => textOf(line) ?? []).filter((line) => !/^s=[0-9a-f]+;i=[0-9a-f]+/.test(line));
}

/**
 * The newest lines of a node's syslog within a span, a day when none is said. The API pages from the oldest line, so the
 * total comes first and the end after. It wants times in the node's own zone.
 *
 * Source: GET /nodes/{node}/syslog (Sys.Syslog on the node; at most two requests), /nodes/{node}/time.
 */
export async function readSyslog(call: Call, wish: LogWish): Promise<LogPart> {
  const { node, until } = wish;
  const since = spanStart(call, wish);
  const clock = await attempt({ node }, async () => rawOf((await call.get('/nodes/{node}/time', { node })).data));
  const time = numberOf(clock.data?.['time']);
  const local = numberOf(clock.data?.['localtime']);
  const offset = time === undefined || local === undefined ? undefined : local - time;
  const query = {
    since: localText(since + (offset ?? 0)),
    until: until === undefined ? undefined : localText(until + (offset ?? 0)),
  };
  const part = await readTail(
    (start, limit) => call.get('/nodes/{node}/syslog', { node }, { ...query, start, limit }),
    wish.lines,
  );
  return {
    ...part,
    since,
    notes: offset === undefined ? [`The time zone of ${node} could not be read: the span was taken as UTC.`] : [],
  };
}

/**
 * The newest lines of Ceph's own log, which a node with a monitor has.
 *
 * Source: GET /nodes/{node}/ceph/log (Sys.Syslog on the node; at most two requests).
 */
export async function readCephLog(call: Call, { node, lines }: LogWish): Promise<LogPart> {
  const part = await readTail((start, limit) => call.get('/nodes/{node}/ceph/log', { node }, { start, limit }), lines);
  return { ...part, since: undefined, notes: [] };
}

/**
 * The newest lines that the firewall wrote about one guest.
 *
 * Source: GET /nodes/{node}/{qemu|lxc}/{vmid}/firewall/log (VM.Console on the guest; at most two requests).
 */
export async function readGuestFirewallLog(
  call: Call,
  { vmid, type }: Pick<Guest, 'vmid' | 'type'>,
  { node, lines, since, until }: LogWish,
): Promise<LogPart> {
  const where = { node, vmid };
  const part = await readTail(
    (start, limit) => call.get(`/nodes/{node}/${type}/{vmid}/firewall/log`, where, { since, until, start, limit }),
    lines,
  );
  return { ...part, since, notes: [] };
}

/**
 * The newest lines of a node's firewall log.
 *
 * Source: GET /nodes/{node}/firewall/log (Sys.Syslog on the node; at most two requests).
 */
export async function readFirewallLog(call: Call, wish: LogWish): Promise<LogPart> {
  const { node, since, until } = wish;
  const part = await readTail(
    (start, limit) => call.get('/nodes/{node}/firewall/log', { node }, { since, until, start, limit }),
    wish.lines,
  );
  return { ...part, since, notes: [] };
}

export type Page = (start: number, limit: number) => Promise<{ readonly data: unknown; readonly total: number | undefined }>;

/** The newest lines, newest first, of a log that the API pages from its oldest line: one request, two for a long log. */
export async function readTail(page: Page, lines: number): Promise<Pick<LogPart, 'lines' | 'total'>> {
  const first = await page(0, lines);
  const total = first.total ?? 0;
  const newest = total > lines ? await page(total - lines, lines) : first;
  const parsed = parseLogPage(newest.data);
  return { lines: [...parsed].reverse().map(cleanLine), total: parsed.length === 0 ? 0 : Math.max(total, parsed.length) };
}

/** Rows `{n, t}`, oldest first; an empty log comes as one made-up line. */
export function parseLogPage(data: unknown): readonly string[] {
  const lines = [...listOf(data, 'log lines')]
    .sort((a, b) => (intOf(a['n']) ?? 0) - (intOf(b['n']) ?? 0))
    .flatMap((row) => textOf(row['t']) ?? []);
  const [only] = lines;
  return lines.length === 1 && only !== undefined && /^(?:no content$|unable to open file - )/.test(only) ? [] : lines;
}

function spanStart(call: Call, { since, until }: LogWish): number {
  return since ?? Math.floor((until ?? call.now() / 1000) - DEFAULT_SPAN_S);
}

/** `2026-11-30 07:00:00`, of seconds that are already shifted into the zone. */
function localText(shiftedSeconds: number): string {
  return new Date(shiftedSeconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

const PRIORITIES = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'] as const;

export interface ClusterLogWish extends Omit<LogWish, 'node'> {
  /** Entries of this node only. */
  readonly node: string | undefined;
}

/**
 * The newest entries of the cluster's own log (logins, tasks, changes).
 *
 * Source: GET /cluster/log (one's own entries; all with Sys.Syslog on /).
 */
export async function readClusterLog(call: Call, wish: ClusterLogWish): Promise<{ readonly part: LogPart; readonly gaps: Gaps }> {
  const filtered = wish.node !== undefined || wish.since !== undefined || wish.until !== undefined;
  const max = filtered ? MAX_SEARCHED : wish.lines;
  const [got, gaps] = await Promise.all([call.get('/cluster/log', {}, { max }), clusterLogCoverage(call)]);
  const lines = parseClusterLog(got.data)
    .filter(
      (entry) =>
        (wish.node === undefined || entry.node === wish.node) &&
        (wish.since === undefined || (entry.time ?? 0) >= wish.since) &&
        (wish.until === undefined || (entry.time ?? 0) <= wish.until),
    )
    .map((entry) => entry.line);
  return {
    part: {
      lines: lines.slice(0, wish.lines),
      total: filtered || lines.length < max ? lines.length : undefined,
      since: wish.since,
      notes: [],
    },
    gaps,
  };
}

/** Without the right to read it whole, the cluster's log holds only the token's own entries, without a word. */
export async function clusterLogCoverage(call: Call): Promise<Gaps> {
  const all = await attempt({}, () => call.rights.has('Sys.Syslog', '/'));
  if (all.data !== false) return mergeGaps(all);
  const hidden = [{ what: 'entries of others in the cluster log', privilege: 'Sys.Syslog', path: '/' }];
  return { problems: [], coverage: 'partial', hidden };
}

/** An entry of the cluster's own log. */
export interface ClusterLogEntry {
  /** Seconds since the epoch. */
  readonly time: number | undefined;
  readonly node: string | undefined;
  readonly user: string | undefined;
  /** The program that wrote it. */
  readonly tag: string | undefined;
  /** As in syslog: 3 is an error, 4 a warning, 6 information. */
  readonly priority: number | undefined;
  readonly message: string;
  /** All of it as one line. */
  readonly line: string;
}

/** Rows of `/cluster/log`, newest first. */
export function parseClusterLog(data: unknown): readonly ClusterLogEntry[] {
  return listOf(data, 'the cluster log')
    .flatMap((row) => {
      const message = textOf(row['msg']);
      if (message === undefined) return [];
      const time = timeOf(row['time']);
      const node = textOf(row['node']);
      const user = textOf(row['user']);
      const tag = textOf(row['tag']);
      const pri = intOf(row['pri']);
      const priority = PRIORITIES[pri ?? -1];
      const head = [time === undefined ? undefined : isoTime(time), node, user, tag];
      const line = `${head.filter((part) => part !== undefined).join(' ')}${priority === undefined ? '' : ` [${priority}]`}: ${message}`;
      const uid = numberOf(row['uid']) ?? 0;
      return [{ time, node, user, tag, priority: pri, message: cleanLine(message), uid, line: cleanLine(line) }];
    })
    .sort((a, b) => (b.time ?? 0) - (a.time ?? 0) || b.uid - a.uid || byText(a.line, b.line));
}

function cleanLine(line: string): string {
  return lineOf(line, MAX_LINE);
}
