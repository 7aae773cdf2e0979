import { missingText, reachText } from '../insights/token-words.ts';
import { VERSION } from '../server/version.ts';
import type { ClusterReport } from './check-cluster.ts';
import { verdictOf, worstExit } from './check-verdict.ts';

/** The reports for programs: stable keys, times in epoch seconds or milliseconds as their names say. Holds no secret. */
export function reportJson(reports: readonly ClusterReport[]): unknown {
  const verdicts = reports.map(verdictOf);
  return {
    program: `mcp-proxmox ${VERSION}`,
    exit_code: worstExit(verdicts.map((v) => v.exit)),
    clusters: reports.map((report, i) => ({
      cluster: report.name,
      token: report.tokenId,
      exit_code: verdicts[i]?.exit,
      reasons: verdicts[i]?.reasons,
      targets: report.targets.map(({ url, ms, failure, tls }) => ({
        url,
        ms,
        failure,
        tls: { state: tls.state, by: tls.by, why: tls.why, certificate: tls.leaf },
      })),
      failure: report.failure,
      release: report.version?.release,
      repoid: report.version?.repoid,
      clock_offset_ms: report.clockOffset,
      nodes: report.nodes,
      requests: report.timings,
      identity: report.access && { ...report.access.identity, owner: report.access.owner },
      areas: report.access?.areas.map((a) => ({
        area: a.area,
        sees: a.sees,
        missing: missingText(a.lacks),
        optional: missingText(a.couldSee),
        why: reachText(a),
      })),
      can_write: report.access?.canWrite,
      excess: report.access?.excess,
      grants: report.access?.grants,
      problems: report.problems,
      write_probe: report.writes,
    })),
  };
}
