import { DEEP_FACTS, FACT_NAMES, FACTS, type FactName } from '../../src/cluster/health-facts.ts';
import { HEALTH_THRESHOLDS } from '../../src/config/health-thresholds.ts';
import { AREAS, type Check } from '../../src/insights/health/check.ts';

const NOTE = '<!-- Generated: `npm run docs` writes this page from the checks themselves, and a test compares it. -->';

/** docs/health-checks.md: every check, the thresholds, and what each group of facts costs. */
export function healthChecksPage(checks: readonly Check[]): string {
  const lines = [
    NOTE,
    '# Health checks',
    '',
    `What \`check_health\` looks for: ${checks.length} checks in ${AREAS.length} areas. An id is never given to another check. Severities:`,
    '`critical` is broken or about to lose data, `warning` will hurt if it stays, `info` is worth knowing; a check with limits grades',
    'each finding, and the table shows the gravest. A check whose facts can not be read is listed in the answer as not checked, with the',
    'reason; it never counts as passed.',
    '',
    '## Accepting findings, changing limits',
    '',
    'In the configuration file (`PROXMOX_CONFIG`); `on` is a node, guest, storage or the name that the finding shows, and everything when left out:',
    '',
    '```json',
    '{',
    '  "health": {',
    '    "ignore": [{ "id": "PVE-M05", "on": "graphite-old", "reason": "kept for the archive" }],',
    '    "thresholds": { "storage-warning": 90 }',
    '  }',
    '}',
    '```',
    '',
    'Accepted findings are counted in the headline; `ignored=true` shows them with their reasons. An unknown threshold is refused at the start.',
    '',
  ];
  for (const area of AREAS) {
    lines.push(
      `## ${area}`,
      '',
      '| id | gravest | finding | why it matters | limits | read with |',
      '| --- | --- | --- | --- | --- | --- |',
    );
    for (const c of checks.filter((check) => check.area === area)) {
      const limits = c.thresholds.map((name) => `\`${name}\``).join(', ');
      lines.push(`| ${c.id} | ${c.severity} | ${c.what} | ${c.why} | ${limits} | ${readWith(c)} |`);
    }
    lines.push('');
  }
  lines.push('## Limits', '', '| name | default | about |', '| --- | --- | --- |');
  for (const [name, threshold] of Object.entries(HEALTH_THRESHOLDS)) {
    lines.push(
      `| \`${name}\` | ${threshold.default}${threshold.unit === '%' ? '%' : threshold.unit === '' ? '' : ` ${threshold.unit}`} | ${threshold.about} |`,
    );
  }
  lines.push(
    '',
    '## What it reads',
    '',
    'Without arguments it makes at most 40 requests on up to five nodes, and four more for each further node: the facts are read in this',
    'order, and what does not fit is named in the answer together with the `area` that reads it. `area` reads everything about these areas',
    'but single guests; `deep=true` reads everything, and `check` everything that single checks need.',
    '',
    'A deep check of many guests goes on from page to page. Checks that read `all guests` compare them with each other, and no page holds',
    'them all then: the answer says that they were not made and how to ask for them with `check`, which takes one or two requests a guest',
    'instead of five. Where even these do not fit into one call, the answer says so; `node` then compares the guests of one node, except',
    'for security groups, which any guest may use. Checks that read `all nodes` are not made with `node` or `vmid`.',
    '',
    '| facts | requests a cluster | a node | a guest | |',
    '| --- | --- | --- | --- | --- |',
  );
  for (const name of FACT_NAMES) {
    const cost = FACTS[name];
    if (cost.along !== undefined) continue;
    lines.push(
      `| ${cost.what} | ${count(cost.cluster)} | ${count(cost.node)} | ${count(cost.guest)} | ${DEEP_FACTS.has(name) ? 'deep' : ''} |`,
    );
  }
  lines.push('', 'Unusual replication schedules cost one more request each, five at most.');
  return `${lines.join('\n')}\n`;
}

function count(requests: number): string {
  return requests === 0 ? '' : String(requests);
}

/** Whether a check is made at once, or only when its areas or a deep check are asked for. */
function readWith(check: Check): string {
  const facts: readonly FactName[] = check.needs;
  const words = [
    ...(facts.some((name) => DEEP_FACTS.has(name)) ? ['`deep`'] : []),
    ...(facts.includes('oneGo') || facts.includes('everyFirewall') ? ['all guests'] : []),
    ...(facts.includes('everyNode') ? ['all nodes'] : []),
  ];
  return words.join(', ');
}
