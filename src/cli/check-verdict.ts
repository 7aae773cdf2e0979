import type { ClusterReport } from './check-cluster.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** What is wrong, one clause each; nothing when all is well. */
export interface Verdict {
  readonly exit: ExitCode;
  readonly reasons: readonly string[];
}

/**
 * The verdict on one cluster: 3 when nothing could be asked; 1 when the token lacks something that PVEAuditor shows, holds what
 * this program never needs, when an entry node or a request failed, or when writes were not all proved to be denied.
 */
export function verdictOf(report: ClusterReport): Verdict {
  if (report.failure !== undefined) return { exit: EXIT.unreachable, reasons: [report.failure.message] };
  const reasons: string[] = [];
  for (const { url, failure } of report.targets) {
    if (failure !== undefined) reasons.push(`${new URL(url).host} does not answer`);
  }
  // A missing right is one of the areas below already.
  const failed = report.timings.filter((t) => t.failure !== undefined && t.failure.kind !== 'forbidden');
  if (failed.length > 0) reasons.push(`${failed.map((t) => t.path).join(', ')} failed`);
  if (report.access === undefined) reasons.push("the token's rights could not be read");
  const lacking = report.access?.areas.filter((a) => a.lacks.length > 0).map((a) => a.area) ?? [];
  if (lacking.length > 0) reasons.push(`not seen whole: ${lacking.join(', ')}`);
  const unneeded = report.access?.excess.filter((e) => e.effect === 'changes' && !e.justified) ?? [];
  if (unneeded.length > 0) {
    reasons.push(
      `${unneeded.length} ${unneeded.length === 1 ? 'privilege is' : 'privileges are'} held that nothing here justifies`,
    );
  }
  const holes = report.writes?.filter((w) => w.outcome === 'allowed').length ?? 0;
  if (holes > 0) reasons.push(`${holes} ${holes === 1 ? 'write' : 'writes'} would be allowed`);
  const open = report.writes?.filter((w) => w.outcome === 'inconclusive').length ?? 0;
  if (open > 0) reasons.push(`${open} write ${open === 1 ? 'probe' : 'probes'} brought no clear answer`);
  return { exit: reasons.length === 0 ? EXIT.ok : EXIT.failed, reasons };
}

/** The worst of several: unreachable before failed before ok. */
export function worstExit(codes: readonly ExitCode[]): ExitCode {
  if (codes.includes(EXIT.unreachable)) return EXIT.unreachable;
  return codes.find((code) => code !== EXIT.ok) ?? EXIT.ok;
}
