import { formatDuration, formatTime } from '../answer/units.ts';
import type { Excess, OwnerFacts, TokenAccess } from '../insights/token-access.ts';
import type { Grant } from '../insights/token-grants.ts';
import { expiryText, missingText, pathsText, reachText } from '../insights/token-words.ts';
import type { ClusterReport, Failure, TargetReport } from './check-cluster.ts';
import { verdictOf } from './check-verdict.ts';
import { EXIT } from './exit-codes.ts';
import { alignColumns, hangingColumns, type Paint, wrapWords } from './terminal.ts';
import type { ProbeResult } from './write-probe.ts';

export interface ReportOptions {
  readonly paint: Paint;
  /** Characters of a line. */
  readonly width: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

const INDENT = '  ';
/** A skew below this can't be told from the way there and the header's whole seconds. */
const SKEW_MS = 2_500;

/** The report for a person, as text with a line feed at its end. Pure. */
export function renderReport(report: ClusterReport, options: ReportOptions): string {
  const { paint } = options;
  const blocks: (readonly string[])[] = [
    [paint.strong(`${report.name}: ${report.tokenId}`)],
    titled(
      'Connection',
      report.targets.flatMap((t) => targetLines(t, options)),
      options,
    ),
  ];
  if (report.failure === undefined) {
    blocks.push(titled('Cluster', clusterLines(report, options), options));
    blocks.push(titled('Requests', timingLines(report, options), options));
    if (report.access !== undefined) blocks.push(...accessBlocks(report.access, options));
    if (report.problems.length > 0) {
      blocks.push(
        titled(
          'Could not be read',
          report.problems.map((p) => p.message),
          options,
        ),
      );
    }
    if (report.writes !== undefined) blocks.push(titled('Write probe', writeLines(report.writes, options), options));
  }
  blocks.push(verdictLines(report, options));
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function titled(title: string, lines: readonly string[], { paint }: ReportOptions): readonly string[] {
  return [paint.strong(title), ...lines.map((line) => (line === '' ? line : INDENT + line))];
}

function paragraph(text: string, { width }: ReportOptions): readonly string[] {
  return wrapWords(text, width - INDENT.length * 2);
}

function targetLines(target: TargetReport, options: ReportOptions): readonly string[] {
  const { paint } = options;
  const { failure, ms } = target;
  const head =
    failure === undefined
      ? `${target.url}  ${paint.good(`answered in ${ms ?? 0} ms`)}`
      : `${target.url}  ${paint.bad('no answer')}`;
  return [
    head,
    ...(failure === undefined ? [] : failureLines(failure, options).map((line) => INDENT + line)),
    ...tlsLines(target, options).map((line) => INDENT + line),
  ];
}

function failureLines({ message, hint }: Failure, options: ReportOptions): readonly string[] {
  return [...paragraph(message, options), ...(hint === undefined ? [] : paragraph(hint, options))];
}

/** OpenSSL's codes for "the chain leads nowhere known"; the words for each of the others that a node may cause. */
const TRUST_WORDS: Readonly<Record<string, string>> = {
  pin: 'it is not one of those in PROXMOX_TLS_FINGERPRINT',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'it is for another name; use a name from it in PROXMOX_URL, or give one in PROXMOX_TLS_SERVERNAME',
  CERT_HAS_EXPIRED: 'it has expired; renew it on the node',
  CERT_NOT_YET_VALID: 'it is not valid yet; compare the clocks of the node and of this machine',
};

function tlsLines({ tls, failure }: TargetReport, options: ReportOptions): readonly string[] {
  const { paint, now } = options;
  const lines: string[] = [];
  if (tls.state === 'none') lines.push('TLS: none, plain http on this machine');
  if (tls.state === 'failed' && failure?.kind !== 'unreachable')
    lines.push(`TLS: no handshake (${tls.why ?? 'no reason given'})`);
  if (tls.state === 'verified')
    lines.push(
      paint.good(
        tls.by === 'ca' ? 'TLS: verified by PROXMOX_CA_FILE' : "TLS: verified by this machine's certificate authorities",
      ),
    );
  if (tls.state === 'pinned')
    lines.push(paint.good(`TLS: pinned by PROXMOX_TLS_FINGERPRINT${tls.by === 'ca' ? ' and verified by PROXMOX_CA_FILE' : ''}`));
  if (tls.state === 'unchecked')
    lines.push(paint.warn('TLS: NOT verified (PROXMOX_VERIFY_TLS=false): anyone in between can take the token'));
  if (tls.state === 'untrusted') {
    const why =
      TRUST_WORDS[tls.why ?? ''] ??
      `no certificate authority known ${tls.by === 'ca' ? 'from PROXMOX_CA_FILE' : 'to this machine'} has signed it (${tls.why ?? ''})`;
    lines.push(...wrapWords(`TLS: not trusted: ${why}`, options.width - 6).map((line) => paint.bad(line)));
  }
  if (tls.leaf === undefined) return lines;
  const { leaf } = tls;
  const until = leaf.validUntil === undefined ? undefined : formatTime(leaf.validUntil, now);
  lines.push(
    `certificate  ${leaf.subject}, issued by ${leaf.issuer}`,
    `names        ${leaf.names.join(', ') || '-'}`,
    ...(until === undefined ? [] : [`valid until  ${until}`]),
    `SHA-256      ${leaf.fingerprint}`,
  );
  if (tls.state === 'untrusted' || tls.state === 'unchecked') lines.push(...trustAdvice(options));
  return lines;
}

/** How to come to trust a certificate; turning verification off is no way. */
function trustAdvice(options: ReportOptions): readonly string[] {
  return [
    ...paragraph(
      'Compare this fingerprint with the one the node itself shows (Node > System > Certificates, or on its console: openssl x509 -in /etc/pve/local/pve-ssl.pem -noout -fingerprint -sha256). Where it is the same, pin it:',
      options,
    ),
    `${INDENT}PROXMOX_TLS_FINGERPRINT=<the fingerprint above; several nodes comma-separated>`,
    ...paragraph(
      "or, for all nodes at once, copy the cluster's own CA (/etc/pve/pve-root-ca.pem of any node) and name the copy:",
      options,
    ),
    `${INDENT}PROXMOX_CA_FILE=/path/to/pve-root-ca.pem`,
  ];
}

function clusterLines({ version, nodes, clockOffset }: ClusterReport, { paint }: ReportOptions): readonly string[] {
  const offline = nodes?.filter((n) => n.status !== 'online').map((n) => `${n.node} ${n.status}`) ?? [];
  const skew = clockOffset === undefined ? undefined : clockOffset + 500;
  return [
    `release  ${version === undefined ? 'not told' : `Proxmox VE ${version.release}${version.repoid === undefined ? '' : ` (repoid ${version.repoid})`}`}`,
    ...(nodes === undefined
      ? []
      : [
          `nodes    ${nodes.length - offline.length} of ${nodes.length} online${offline.length === 0 ? '' : ` (${offline.join(', ')})`}`,
        ]),
    `clock    ${skewText(skew, paint)}`,
  ];
}

function skewText(skew: number | undefined, paint: Paint): string {
  if (skew === undefined) return 'not told by the node';
  if (Math.abs(skew) < SKEW_MS) return 'agrees with this machine (within 2 s)';
  return paint.warn(
    `the node's clock is ${formatDuration(Math.round(Math.abs(skew) / 1000))} ${skew > 0 ? 'ahead of' : 'behind'} this machine's; ages in answers follow this machine`,
  );
}

function timingLines({ timings }: ClusterReport, { paint }: ReportOptions): readonly string[] {
  const rows = timings.map((t) => [`${t.ms} ms`.padStart(8), t.path, outcome(t.failure, t.needs)]);
  return alignColumns(rows).map((line, i) => {
    const failure = timings[i]?.failure;
    if (failure === undefined) return line;
    return failure.kind === 'forbidden' ? paint.warn(line) : paint.bad(line);
  });
}

function outcome(failure: Failure | undefined, needs: string | undefined): string {
  if (failure === undefined) return 'ok';
  return failure.kind === 'forbidden' ? `not allowed${needs === undefined ? '' : `: needs ${needs}`}` : failure.message;
}

function accessBlocks(access: TokenAccess, options: ReportOptions): readonly (readonly string[])[] {
  return [
    titled('Token', tokenLines(access, options), options),
    titled('Sees (of what PVEAuditor shows)', areaLines(access, options), options),
    titled('Can it write? (told from its permissions; nothing was sent)', excessLines(access, options), options),
    ...(access.grants.length === 0 ? [] : [grantLines(access, options)]),
  ];
}

function tokenLines({ identity, owner }: TokenAccess, options: ReportOptions): readonly string[] {
  const { now, paint } = options;
  const unread = 'may not be read (Sys.Audit on /access/groups)';
  const token = owner?.token;
  const rows = [
    ['user', `${identity.user}${ownerText(owner, now)}`],
    ['token', `${identity.name}${token?.comment === undefined ? '' : ` (${token.comment})`}`],
    ['separated', owner === undefined ? unread : separationText(token?.privsep)],
    ['expires', owner === undefined ? unread : (expiryText(token?.expires, now) ?? 'not told')],
  ];
  const expired = typeof token?.expires === 'number' && token.expires * 1000 < now;
  return alignColumns(rows).map((line, i) => (i === 3 && expired ? paint.bad(line) : line));
}

function ownerText(owner: OwnerFacts | undefined, now: number): string {
  if (owner === undefined) return '';
  const expires = owner.expires === 'never' ? undefined : expiryText(owner.expires, now);
  return `${owner.enabled === false ? ', disabled' : ''}${expires === undefined ? '' : `, expires ${expires}`}`;
}

function separationText(privsep: boolean | undefined): string {
  if (privsep === undefined) return 'not told';
  return privsep ? 'yes: it holds what both it and its user hold' : 'no: it holds whatever its user holds';
}

function areaLines(access: TokenAccess, options: ReportOptions): readonly string[] {
  const rows = access.areas.map((a) => {
    const missing = missingText(a.lacks);
    const optional = missingText(a.couldSee.filter((r) => r.read.kind === 'optional'));
    const discouraged = missingText(a.couldSee.filter((r) => r.read.kind === 'discouraged'));
    const more = [
      ...(missing.length === 0 ? [] : [`needs ${missing.join(', ')}`]),
      ...(optional.length === 0
        ? []
        : [`optional: ${optional.join(' and ')} for ${[...new Set(a.couldSee.map((r) => r.read.opens))].join(', ')}`]),
      ...(discouraged.length === 0 ? [] : [`would need ${discouraged.join(', ')}, which allows far more`]),
    ];
    const why = reachText(a);
    return [a.area, a.sees, [...(why === undefined ? [] : [why]), ...more].join('; ')];
  });
  return hangingColumns(rows, options.width - INDENT.length).flatMap((lines, i) => {
    const lacking = (access.areas[i]?.lacks.length ?? 0) > 0;
    return lacking ? lines.map((line) => options.paint.warn(line)) : lines;
  });
}

function excessLines(access: TokenAccess, options: ReportOptions): readonly string[] {
  const { paint } = options;
  if (!access.holdsAny) return ['No: it holds no privilege at all.'];
  if (access.excess.length === 0) return [paint.good('No: it holds audit privileges only.')];
  const head = access.canWrite
    ? paint.bad('Yes. This program never does, but whoever takes the token could. Beyond reading it holds:')
    : paint.good('No. Beyond the audit privileges it holds:');
  const groups = new Map<string, { cells: readonly string[]; names: string[] }>();
  for (const e of access.excess) {
    const cells = [e.effect, `on ${pathsText(e.paths)}`, justification(e)];
    const key = cells.join('\t');
    const group = groups.get(key) ?? { cells, names: [] };
    group.names.push(e.privilege);
    groups.set(key, group);
  }
  const rows = [...groups.values()].map(({ cells: [effect = '', where = '', why = ''], names }) => [
    effect,
    where,
    `${names.join(', ')} (${why})`,
  ]);
  return [...wrapWords(head, options.width - INDENT.length), ...hangingColumns(rows, options.width - INDENT.length).flat()];
}

function justification({ opens, justified }: Excess): string {
  if (opens.length === 0) return 'nothing here needs that';
  return justified ? `opens ${opens.join(', ')}` : `opens ${opens.join(', ')}, but allows far more`;
}

const KIND_WORDS: Readonly<Record<Grant['kind'], string>> = { core: 'missing', optional: 'optional', discouraged: 'discouraged' };

function grantLines(access: TokenAccess, options: ReportOptions): readonly string[] {
  const { paint } = options;
  const everything = access.grants.some((g) => g.everything);
  const lines = access.grants.flatMap((g) => {
    const narrower = everything && !g.everything && g.kind === 'core';
    const head = g.everything
      ? `all that is missing: ${g.opens.join(', ')}`
      : `${g.areas.join(', ')}, ${narrower ? 'this alone' : KIND_WORDS[g.kind]}: ${g.opens.join(', ')}`;
    return [...paragraph(head, options), ...g.lines.map((line) => `${INDENT}${paint.strong(line)}`)];
  });
  const notes = [...new Set(access.grants.flatMap((g) => g.notes))].flatMap((note) =>
    paragraph(`- ${note}`, options).map((line) => paint.faint(line)),
  );
  return titled('Grants (text only; for a root shell on any node, and only as far as wanted)', [...lines, ...notes], options);
}

const OUTCOME_WORDS: Readonly<Record<ProbeResult['outcome'], string>> = {
  denied: 'denied',
  allowed: 'WOULD BE ALLOWED',
  inconclusive: 'inconclusive',
  'not asked': 'not asked',
};

function writeLines(writes: readonly ProbeResult[], options: ReportOptions): readonly string[] {
  const { paint } = options;
  const rows = writes.map((w) => [
    w.status === undefined ? '-' : String(w.status),
    OUTCOME_WORDS[w.outcome],
    w.method,
    `${w.path}${w.detail === undefined ? '' : `  (${w.detail})`}`,
  ]);
  const lines = alignColumns(rows).map((line, i) => {
    const result = writes[i]?.outcome;
    if (result === 'denied') return paint.good(line);
    return result === 'allowed' ? paint.bad(line) : paint.warn(line);
  });
  const count = (outcome: ProbeResult['outcome']): number => writes.filter((w) => w.outcome === outcome).length;
  const summary = [
    `${count('denied')} of ${writes.length} denied`,
    ...(count('allowed') === 0 ? [] : [`${count('allowed')} would be allowed`]),
    ...(count('inconclusive') === 0 ? [] : [`${count('inconclusive')} inconclusive`]),
    ...(count('not asked') === 0 ? [] : [`${count('not asked')} not asked`]),
  ];
  const explained =
    'Each request carried a parameter that no release knows and lacked the required ones: nothing could be changed. 403 is a denial, 400 means that the right is there.';
  return [...lines, '', ...paragraph(`${summary.join(', ')}. ${explained}`, options)];
}

function verdictLines(report: ClusterReport, options: ReportOptions): readonly string[] {
  const { exit, reasons } = verdictOf(report);
  const { paint } = options;
  if (exit === EXIT.ok) return [paint.good('All good.')];
  if (exit === EXIT.unreachable)
    return wrapWords(`Nothing could be asked: ${reasons.join('; ')}`, options.width).map((line) => paint.bad(line));
  return wrapWords(`Not all good: ${reasons.join('; ')}.`, options.width).map((line) => paint.warn(line));
}
