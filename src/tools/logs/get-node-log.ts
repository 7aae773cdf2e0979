import { z } from 'zod';
import { prose } from '../../answer/spec.ts';
import { isoTime } from '../../answer/units.ts';
import type { Call } from '../../api/call.ts';
import { ApiError } from '../../api/errors.ts';
import { attempt, type Gaps, NO_GAPS } from '../../api/reading.ts';
import { readInventory } from '../../cluster/inventory.ts';
import {
  type LogPart,
  type LogWish,
  MAX_SEARCHED,
  readCephLog,
  readClusterLog,
  readFirewallLog,
  readGuestFirewallLog,
  readJournal,
  readSyslog,
} from '../../cluster/node-log.ts';
import { requireNode, requireOnlineNode, resolveGuest } from '../../cluster/resolve.ts';
import { defineTool } from '../define-tool.ts';
import { node, since, until, vmid } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';
import { parseTimeParam } from '../time-param.ts';

const SOURCES = ['journal', 'syslog', 'cluster', 'firewall', 'ceph'] as const;
type Source = (typeof SOURCES)[number];
const DEFAULT_LINES = 50;

export const getNodeLog = defineTool({
  name: 'get_node_log',
  title: 'Log of a node',
  toolset: 'logs',
  description:
    "Newest lines of a node's journal, syslog, firewall or Ceph log, or of the cluster log (logins, tasks). Needs Sys.Syslog.",
  params: {
    node: node.describe('Optional for the cluster log').optional(),
    vmid: vmid.describe('Firewall log of this guest; needs VM.Console').optional(),
    source: z.enum(SOURCES).describe('Default journal').optional(),
    lines: z.number().int().min(1).max(500).describe(`Default ${DEFAULT_LINES}`).optional(),
    since: since.optional(),
    until: until.optional(),
    grep: z.string().min(1).max(100).describe('Only lines with this text').optional(),
  },
  output: {
    lines: prose('newest first'),
  },
  reads: [
    '/cluster/resources',
    '/nodes/{node}/journal',
    '/nodes/{node}/syslog',
    '/nodes/{node}/time',
    '/nodes/{node}/firewall/log',
    '/nodes/{node}/qemu/{vmid}/firewall/log',
    '/nodes/{node}/lxc/{vmid}/firewall/log',
    '/nodes/{node}/ceph/log',
    '/cluster/log',
    '/cluster/nextid',
    ...RIGHTS_READS,
  ],
  async run(args, call, { asked }) {
    const source = args.source ?? (args.vmid === undefined ? 'journal' : 'firewall');
    if (args.vmid !== undefined && source !== 'firewall')
      throw new ApiError('bad-argument', `vmid goes with source=firewall only: a guest has no ${source} here.`);
    if (source === 'ceph' && (args.since !== undefined || args.until !== undefined))
      throw new ApiError('bad-argument', "The Ceph log can't be read by time.", { hint: 'Use grep and lines.' });
    const wanted = args.lines ?? DEFAULT_LINES;
    const wish = {
      // A search looks at more lines than it shows.
      lines: args.grep === undefined ? wanted : MAX_SEARCHED,
      since: args.since === undefined ? undefined : parseTimeParam('since', args.since, asked),
      until: args.until === undefined ? undefined : parseTimeParam('until', args.until, asked),
    };
    if (wish.since !== undefined && wish.until !== undefined && wish.since >= wish.until)
      throw new ApiError('bad-argument', 'since is not before until.');
    const { part, gaps } = await read(call, source, args, wish);
    const found = args.grep === undefined ? part.lines : matching(part.lines, args.grep);
    const shown = found.slice(0, wanted);
    return {
      headline: headline(
        source,
        args.vmid === undefined ? args.node : `guest ${args.vmid}`,
        part,
        found.length,
        shown.length,
        args.grep,
      ),
      sections: { lines: shown.length === 0 ? undefined : shown.join('\n') },
      gaps,
      notes: [
        ...part.notes,
        ...(source === 'cluster' || source === 'ceph' || shown.length === 0
          ? []
          : ["Times in the lines are in the node's own time zone."]),
        ...(args.grep !== undefined && part.total !== undefined && part.total > part.lines.length
          ? [`Only the newest ${part.lines.length} of ${part.total} lines were searched; a shorter span reaches the rest.`]
          : []),
      ],
    };
  },
});

async function read(
  call: Call,
  source: Source,
  place: { readonly node?: string | undefined; readonly vmid?: number | undefined },
  wish: Omit<LogWish, 'node'>,
): Promise<{ part: LogPart; gaps: Gaps }> {
  const wantedNode = place.node;
  if (place.vmid !== undefined) return { part: await readOfGuest(call, { ...place, vmid: place.vmid }, wish), gaps: NO_GAPS };
  if (source === 'cluster') {
    if (wantedNode !== undefined) requireNode(await readInventory(call), wantedNode);
    return readClusterLog(call, { ...wish, node: wantedNode });
  }
  if (wantedNode === undefined)
    throw new ApiError('bad-argument', `The ${source} of which node?`, { hint: 'Give node; list_nodes shows them.' });
  const name = requireOnlineNode(await readInventory(call), wantedNode);
  await requireSyslog(call, name);
  const readers = { journal: readJournal, syslog: readSyslog, firewall: readFirewallLog, ceph: readCephLog };
  return { part: await readers[source](call, { ...wish, node: name }), gaps: NO_GAPS };
}

async function readOfGuest(
  call: Call,
  place: { readonly node?: string | undefined; readonly vmid: number },
  wish: Omit<LogWish, 'node'>,
): Promise<LogPart> {
  const { guest, inventory } = await resolveGuest(call, place);
  const node = requireOnlineNode(inventory, guest.node);
  const may = await attempt({}, () => call.rights.has('VM.Console', `/vms/${guest.vmid}`));
  if (may.data === false)
    throw new ApiError('forbidden', `The firewall log of guest ${guest.vmid} is closed to this token.`, {
      needs: `VM.Console on /vms/${guest.vmid}`,
      hint: 'That privilege also opens its console; with Sys.Syslog the log of its node tells much of the same.',
    });
  return readGuestFirewallLog(call, guest, { ...wish, node });
}

/** Says what is missing without asking the node; when the rights can't be read, the API's own word counts. */
async function requireSyslog(call: Call, name: string): Promise<void> {
  const may = await attempt({}, () => call.rights.has('Sys.Syslog', `/nodes/${name}`));
  if (may.data !== false) return;
  throw new ApiError('forbidden', `The logs of node ${name} are closed to this token: PVEAuditor does not include them.`, {
    needs: `Sys.Syslog on /nodes/${name}`,
    hint: 'check_token_access shows the grant; get_task shows logs of tasks without it.',
  });
}

function matching(lines: readonly string[], grep: string): readonly string[] {
  const wanted = grep.toLowerCase();
  return lines.filter((line) => line.toLowerCase().includes(wanted));
}

const NAMES: Readonly<Record<Source, string>> = {
  journal: 'Journal',
  syslog: 'Syslog',
  cluster: 'Cluster log',
  firewall: 'Firewall log',
  ceph: 'Ceph log',
};

function headline(
  source: Source,
  wantedNode: string | undefined,
  part: LogPart,
  found: number,
  shown: number,
  grep: string | undefined,
): string {
  const from = part.since === undefined ? undefined : isoTime(part.since);
  const of = `${NAMES[source]}${wantedNode === undefined ? '' : ` of ${wantedNode}`}${from === undefined ? '' : ` since ${from}`}`;
  if (grep !== undefined) {
    const some = shown < found ? `, the newest ${shown} of them shown` : '';
    return `${of}: ${found} of ${part.lines.length} lines searched have ${JSON.stringify(grep)}${some}${found === 0 ? '' : ', newest first'}`;
  }
  if (shown === 0) return `${of}: no lines`;
  const total = part.total === undefined || part.total === shown ? '' : ` of ${part.total}`;
  return `${of}: ${total === '' && part.total !== undefined ? 'all' : 'newest'} ${shown}${total} lines, newest first`;
}
