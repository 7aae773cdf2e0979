import { HandlerReply, type HandlerRequest, type HandlerTable } from '../types.ts';
import type { NodeUpkeep } from '../world/area-types.ts';
import { digestOf } from '../world/digests.ts';
import type { DemoWorld } from '../world/types.ts';
import { badParameter, logPage, nodeOf } from './answers.ts';

/** System journal, syslog and cluster log. Ceph's and the firewall's logs are answered with their areas. */
export function logsHandlers(world: DemoWorld): HandlerTable {
  const { maintenance, config } = world.areas;
  return {
    '/cluster/log': (request) => {
      const all = request.may('/', 'Sys.Syslog');
      const rows = config.log.filter((row) => all || row.user === request.identity);
      return rows.slice(0, Number(request.query.max ?? 50));
    },
    '/nodes/{node}/syslog': (request) => {
      const { node } = nodeOf(world, request);
      const { service, since, until } = request.query;
      const from = since === undefined ? undefined : parseTime('since', since);
      const to = until === undefined ? undefined : parseTime('until', until);
      const lines = maintenance
        .node(node)
        .journal.filter((entry) => service === undefined || entry.unit === service.replace(/\.service$/, ''))
        .filter((entry) => (from === undefined || entry.time >= from) && (to === undefined || entry.time <= to));
      return logPage(
        lines.map((entry) => lineOf(entry, node)),
        request,
      );
    },
    '/nodes/{node}/journal': (request) => {
      const { node } = nodeOf(world, request);
      return new HandlerReply(journal(maintenance.node(node).journal, node, request), {}, true);
    },
  };
}

type Entry = NodeUpkeep['journal'][number];

/** `Nov 30 07:00:01 pve1 systemd[1]: text` */
function lineOf(entry: Entry, node: string): string {
  const [, month, day, , clock] = new Date(entry.time * 1000)
    .toUTCString()
    .replace(/^(\w+), (\d+) (\w+)/, '$1 $3 $2')
    .split(' ');
  return `${month} ${day} ${clock} ${node} ${entry.unit}[${1_000 + (entry.time % 30_000)}]: ${entry.text}`;
}

/** `2026-11-30`, with or without a time, in epoch seconds (the node's zone is taken for UTC). */
function parseTime(name: string, text: string): number {
  const milliseconds = Date.parse(`${text.length === 10 ? `${text}T00:00:00` : text.replace(' ', 'T')}Z`);
  if (Number.isNaN(milliseconds)) throw badParameter(name, `invalid format - unable to parse '${text}'`);
  return Math.floor(milliseconds / 1000);
}

/** True when the syslog level (0 = emergency) is what `3` (and worse) or `2..4` asks for. */
function hasPriority(entry: Entry, wanted: string | undefined): boolean {
  if (wanted === undefined || wanted === '') return true;
  const [low, high] = wanted.split('..');
  return high === undefined ? entry.priority <= Number(low) : entry.priority >= Number(low) && entry.priority <= Number(high);
}

/** The reader's way: the lines between a cursor in front and one behind, nothing cut unless `lastentries` says so. */
function journal(entries: readonly Entry[], node: string, request: HandlerRequest): string[] {
  const { since, until, lastentries, startcursor, endcursor, service, unit, priority } = request.query;
  const wanted = (service ?? unit)?.replace(/\.service$/, '');
  const cursorOf = (entry: Entry) => `s=${digestOf(node).slice(0, 32)};i=${entry.time.toString(16)}`;
  const timeOf = (cursor: string) => Number.parseInt(cursor.replace(/^.*i=/, ''), 16);
  const chosen = entries
    .filter((entry) => since === undefined || entry.time >= Number(since))
    .filter((entry) => until === undefined || entry.time <= Number(until))
    .filter((entry) => startcursor === undefined || entry.time >= timeOf(startcursor))
    .filter((entry) => endcursor === undefined || entry.time <= timeOf(endcursor))
    .filter((entry) => hasPriority(entry, priority))
    .filter((entry) => wanted === undefined || entry.unit === wanted);
  const last = lastentries === undefined ? chosen : chosen.slice(Math.max(0, chosen.length - Number(lastentries)));
  const [first] = last;
  const final = last.at(-1);
  if (first === undefined || final === undefined) return [];
  return [cursorOf(first), ...last.map((entry) => lineOf(entry, node)), cursorOf(final)];
}
