import { int, list, table, text, time } from '../../answer/spec.ts';
import { mergeGaps, NO_GAPS } from '../../api/reading.ts';
import { type Certificate, readCertificates } from '../../cluster/certificates.ts';
import { fanOut } from '../../cluster/fan-out.ts';
import { offlineGaps, onlineNodes, readInventory } from '../../cluster/inventory.ts';
import { requireOnlineNode } from '../../cluster/resolve.ts';
import { defineTool } from '../define-tool.ts';
import { node } from '../params.ts';

const DAY = 86_400;
/** The cluster renews its own ones two weeks before they end; what is nearer than this deserves a word. */
const SOON_DAYS = 30;

const USES: Readonly<Record<Certificate['use'], string>> = {
  web: 'API and web interface',
  node: 'spare, own one is shown',
  ca: 'cluster authority',
  other: 'other',
};

export const listCertificates = defineTool({
  name: 'list_certificates',
  title: 'Certificates',
  toolset: 'maintenance',
  description: 'TLS certificates of the nodes with days left, names, issuer and fingerprint; first to expire first.',
  params: { node: node.optional() },
  paged: true,
  output: {
    certificates: table({
      nodes: list(),
      file: text(),
      use: text(),
      days_left: int('negative: expired'),
      expires: time(),
      subject: text(),
      issuer: text(),
      names: list(),
      key: text(),
      fingerprint: text('SHA-256'),
    }),
  },
  reads: ['/cluster/resources', '/nodes/{node}/certificates/info'],
  async run(args, call) {
    const inventory = await readInventory(call);
    const nodes = args.node === undefined ? onlineNodes(inventory) : [requireOnlineNode(inventory, args.node)];
    const out = await fanOut(
      call,
      nodes,
      (n) => ({ node: n }),
      (n) => readCertificates(call, n),
    );
    const now = call.now() / 1000;
    const rows = merge(out.results.map((r) => ({ node: r.item, certificates: r.data }))).map(({ certificate: c, nodes: on }) => ({
      nodes: on,
      file: c.file,
      use: USES[c.use],
      days_left: c.notAfter === undefined ? undefined : daysLeft(c.notAfter - now),
      expires: c.notAfter,
      subject: c.subject,
      issuer: c.issuer === c.subject ? 'itself' : c.issuer,
      names: c.san,
      key: c.key,
      fingerprint: c.fingerprint,
    }));
    return {
      headline:
        out.results.length === 0 ? `Certificates of ${nodesText(nodes)} could not be read` : headline(rows, out.results.length),
      sections: {
        certificates: { rows, key: (row) => [row.expires ?? Number.MAX_SAFE_INTEGER, row.nodes?.join() ?? '', row.file ?? ''] },
      },
      gaps: mergeGaps(out.gaps, args.node === undefined ? offlineGaps(inventory) : NO_GAPS),
    };
  },
});

function nodesText(nodes: readonly string[]): string {
  return nodes.length === 1 ? `node ${nodes[0]}` : `${nodes.length} nodes`;
}

/** Whole days; what is over is at least one day over. */
function daysLeft(seconds: number): number {
  return seconds < 0 ? Math.floor(seconds / DAY) : Math.round(seconds / DAY);
}

/** The cluster's authority is the same on every node: one row. */
function merge(perNode: readonly { readonly node: string; readonly certificates: readonly Certificate[] }[]) {
  const groups = new Map<string, { certificate: Certificate; nodes: string[] }>();
  for (const { node: name, certificates } of perNode) {
    for (const certificate of certificates) {
      const key =
        certificate.fingerprint === undefined ? `${name} ${certificate.file}` : `${certificate.file} ${certificate.fingerprint}`;
      const group = groups.get(key) ?? { certificate, nodes: [] };
      group.nodes.push(name);
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

interface Row {
  readonly nodes: readonly string[];
  readonly file: string;
  readonly days_left: number | undefined;
}

function headline(rows: readonly Row[], nodes: number): string {
  const expired = rows.filter((r) => r.days_left !== undefined && r.days_left < 0);
  const soon = rows
    .filter((r) => r.days_left !== undefined && r.days_left >= 0 && r.days_left < SOON_DAYS)
    .sort((a, b) => (a.days_left ?? 0) - (b.days_left ?? 0));
  const name = (r: Row): string => `${r.file} on ${r.nodes.join(', ')}`;
  const parts = [`${rows.length} certificates on ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`];
  if (expired.length > 0) parts.push(`${expired.length} EXPIRED (${expired.slice(0, 3).map(name).join('; ')})`);
  if (soon.length > 0)
    parts.push(
      `${soon.length} with less than ${SOON_DAYS} days left (${soon
        .slice(0, 3)
        .map((r) => `${name(r)}: ${r.days_left} d`)
        .join('; ')})`,
    );
  else if (expired.length === 0 && rows.length > 0) parts.push(`none has less than ${SOON_DAYS} days left`);
  return parts.join('; ');
}
