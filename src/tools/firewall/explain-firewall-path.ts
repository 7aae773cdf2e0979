import { z } from 'zod';
import { list, record, table, text } from '../../answer/spec.ts';
import type { Call } from '../../api/call.ts';
import { ApiError } from '../../api/errors.ts';
import { mergeGaps } from '../../api/reading.ts';
import { GUEST_FIREWALL_READS } from '../../cluster/firewall.ts';
import { readPath } from '../../cluster/firewall-path.ts';
import type { Guest, Inventory } from '../../cluster/inventory.ts';
import { requireOnlineNode, resolveGuest } from '../../cluster/resolve.ts';
import { protoName } from '../../insights/firewall-match.ts';
import type { LevelResult, PathVerdict } from '../../insights/firewall-path.ts';
import { type PathQuestion, type TracedNic, type TracedPath, traceAll } from '../../insights/firewall-trace.ts';
import { parseIpRange } from '../../insights/ip-ranges.ts';
import { defineTool } from '../define-tool.ts';
import { guestTitle } from '../guests/guest-words.ts';
import { guest } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

const WITH_PORTS: ReadonlySet<string> = new Set(['tcp', 'udp', 'sctp']);
const EVERYWHERE = '0.0.0.0/0';

export const explainFirewallPath = defineTool({
  name: 'explain_firewall_path',
  title: 'Explain a firewall path',
  toolset: 'firewall',
  description:
    'May source reach a port of a guest? Follows the Proxmox VE firewall through every level (datacenter, guests, VNets) and names the rule that decides.',
  params: {
    source: z.string().min(1).max(128).describe('IP address, CIDR, "any", or vmid or name of a guest'),
    vmid: guest.vmid,
    name: guest.name,
    port: z.number().int().min(1).max(65_535).optional(),
    protocol: z.string().min(1).max(12).describe('tcp (default), udp, icmp (ping), ...').optional(),
    nic: z
      .string()
      .regex(/^net\d{1,2}$/)
      .describe('Only this interface of the guest')
      .optional(),
  },
  output: {
    verdict: record({
      verdict: text('reachable, blocked, not filtered or cannot know'),
      decided_by: text(),
      from: text(),
      to: text(),
      traffic: text(),
    }),
    interfaces: table({
      nic: text(),
      from: text('interface of the source guest'),
      bridge: text(),
      addresses: list(),
      verdict: text(),
      decided_by: text(),
    }),
    path: table({
      level: text(),
      rule: text('position; 1.0: first rule of the group that stands at 1'),
      what: text(),
      result: text('match, no-match, off, ignored, unknown; or what the level does'),
      why: text(),
      decides: text(),
    }),
  },
  reads: [
    '/cluster/resources',
    '/cluster/nextid',
    '/cluster/firewall/options',
    '/cluster/firewall/groups/{group}',
    '/cluster/firewall/aliases',
    '/cluster/firewall/ipset',
    '/cluster/firewall/ipset/{name}',
    '/cluster/sdn/vnets',
    '/cluster/sdn/vnets/{vnet}/firewall/options',
    '/cluster/sdn/vnets/{vnet}/firewall/rules',
    '/nodes/{node}/firewall/options',
    '/nodes/{node}/qemu/{vmid}/config',
    '/nodes/{node}/lxc/{vmid}/config',
    '/nodes/{node}/qemu/{vmid}/agent/network-get-interfaces',
    '/nodes/{node}/lxc/{vmid}/interfaces',
    ...GUEST_FIREWALL_READS,
    '/version',
    ...RIGHTS_READS,
  ],
  async run(args, call) {
    const proto = protoName(args.protocol ?? 'tcp');
    if (WITH_PORTS.has(proto) && args.port === undefined) throw new ApiError('bad-argument', `Which port? ${proto} needs port.`);
    const { guest: target, inventory } = await resolveGuest(call, { vmid: args.vmid, name: args.name });
    requireOnlineNode(inventory, target.node);
    const source = await sourceOf(args.source, call, inventory);
    if ('guest' in source && source.guest.vmid === target.vmid)
      throw new ApiError('bad-argument', 'source and target are the same guest: no firewall is in between.');
    const question: PathQuestion = { source, target, nic: args.nic, proto, port: WITH_PORTS.has(proto) ? args.port : undefined };
    const { data, ...gaps } = await readPath(call, target, 'guest' in source ? source.guest : undefined);
    const path = traceAll(question, data);
    if (path.traces.length === 0) throw withoutNic(target, args.nic, path);
    const { verdict, by } = overall(path.traces);
    const from = sourceText(args.source, source, path);
    const traffic = question.port === undefined ? proto : `${proto}/${question.port}`;
    const [only] = path.traces;
    return {
      headline: `${from} to ${guestTitle(target)}, ${traffic}: ${verdict}`,
      sections: {
        verdict: { verdict, decided_by: by, from, to: targetText(target, path.traces), traffic },
        interfaces: path.traces.length < 2 ? undefined : path.traces.map(nicRow),
        path: stepsOf(path.traces.length === 1 && only !== undefined ? only.result.levels : uniqueLevels(path.traces)),
      },
      gaps: verdict === 'cannot know' ? mergeGaps(gaps, path.addressGaps) : gaps,
      notes: notesOf(question, path),
      next: [`get_firewall_rules vmid=${target.vmid} shows all rules`],
    };
  },
});

async function sourceOf(given: string, call: Call, inventory: Inventory): Promise<PathQuestion['source']> {
  const wanted = given.trim();
  const range = parseIpRange(wanted.toLowerCase() === 'any' ? EVERYWHERE : wanted);
  if (range !== undefined) return { range };
  if (/^[\d.:/]+$/.test(wanted) && !/^\d+$/.test(wanted))
    throw new ApiError('bad-argument', `source: ${JSON.stringify(wanted.slice(0, 60))} is no address.`, {
      hint: 'Such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::1.',
    });
  const vmid = /^(?:(?:qemu|lxc|vm|ct)[/:])?(\d{3,9})$/i.exec(wanted)?.[1];
  const { guest: found } = await resolveGuest(call, vmid === undefined ? { name: wanted } : { vmid: Number(vmid) });
  requireOnlineNode(inventory, found.node);
  return { guest: found };
}

function withoutNic(target: Guest, nic: string | undefined, path: TracedPath): ApiError {
  const names = (path.targetNics ?? []).map((n) => n.key);
  if (names.length === 0)
    return new ApiError('not-found', `Guest ${target.vmid} has no network interface, so nothing reaches it.`);
  return new ApiError('bad-argument', `Guest ${target.vmid} has no interface ${nic}.`, { hint: `It has ${names.join(', ')}.` });
}

/** One verdict for all interfaces, when they agree. */
function overall(traces: readonly TracedNic[]): { readonly verdict: PathVerdict; readonly by: string } {
  const [first] = traces;
  const kinds = new Set(traces.map((t) => t.result.verdict));
  if (first !== undefined && kinds.size === 1) return first.result;
  const ways = (kind: PathVerdict): string =>
    [...new Set(traces.filter((t) => t.result.verdict === kind).map((t) => t.nic))].join(', ');
  if (kinds.size === 2 && kinds.has('reachable') && kinds.has('not filtered'))
    return {
      verdict: 'reachable',
      by: `every interface lets it in: ${ways('reachable')} by its rules, ${ways('not filtered')} without a filter`,
    };
  const words = [...kinds].map((kind) => `${kind} by ${ways(kind)}`);
  return { verdict: 'cannot know', by: `it depends on the interface: ${words.join('; ')}. Give nic for one of them` };
}

function sourceText(given: string, source: PathQuestion['source'], path: TracedPath): string {
  if ('range' in source) return given.trim().toLowerCase() === 'any' ? `anywhere (${EVERYWHERE})` : given.trim();
  const addresses = path.sourceAddresses.length === 0 ? 'address not known' : path.sourceAddresses.join(', ');
  return `${guestTitle(source.guest)} (${addresses})`;
}

function targetText(target: Guest, traces: readonly TracedNic[]): string {
  const addresses = [...new Set(traces.flatMap((t) => t.addresses))];
  return `${guestTitle(target)} (${addresses.length === 0 ? 'address not known' : addresses.join(', ')})`;
}

function nicRow(t: TracedNic) {
  return {
    nic: t.nic,
    from: t.from,
    bridge: t.bridge,
    addresses: t.addresses.length === 0 ? undefined : t.addresses,
    verdict: t.result.verdict,
    decided_by: t.result.by,
  };
}

/** Levels that several ways have in common are shown once. */
function uniqueLevels(traces: readonly TracedNic[]): readonly LevelResult[] {
  const seen = new Map<string, LevelResult>();
  for (const level of traces.flatMap((t) => t.result.levels)) seen.set(JSON.stringify(level), level);
  return [...seen.values()];
}

function stepsOf(levels: readonly LevelResult[]) {
  return levels.flatMap((level) =>
    level.steps.map((s) => ({
      level: s.level,
      rule: s.rule,
      what: s.what,
      result: s.result,
      why: s.why === 'applies' ? undefined : s.why,
      decides: s.decides ? 'yes' : undefined,
    })),
  );
}

function notesOf(question: PathQuestion, path: TracedPath): readonly string[] {
  const notes = [
    "Not looked at: firewalls inside the guests, routers, NAT, other networks' firewalls, and whether anything listens there. Answers to an accepted connection always pass.",
  ];
  if (question.proto === 'icmp') notes.push('ICMP is judged for an echo request (ping).');
  if (question.target.status !== 'running') notes.push(`The guest is ${question.target.status}: this is what would apply.`);
  if (path.unplugged.length > 0) notes.push(`${path.unplugged.join(', ')} is unplugged (link_down) and not counted.`);
  if (path.family === 4 && 'guest' in question.source) notes.push('Judged for IPv4; give the IPv6 address as source for IPv6.');
  return notes;
}
