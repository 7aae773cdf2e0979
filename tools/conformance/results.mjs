/** What the suite wrote about each scenario, and how it compares with what is expected. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Failed checks by scenario, each with its words, from the folder that the suite wrote. */
export function readFailures(folder) {
  const failures = new Map();
  let checks = 0;
  const scenarios = [];
  for (const entry of readdirSync(folder)) {
    // `server-<scenario>-<time>`
    const scenario = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(entry)?.[1];
    if (scenario === undefined) continue;
    scenarios.push(scenario);
    for (const check of JSON.parse(readFileSync(join(folder, entry, 'checks.json'), 'utf8'))) {
      checks += 1;
      if (check.status !== 'FAILURE') continue;
      const list = failures.get(scenario) ?? [];
      list.push({ id: check.id, words: check.errorMessage ?? check.description ?? '' });
      failures.set(scenario, list);
    }
  }
  return { failures, checks, scenarios };
}

/**
 * Compares check by check, so that a scenario which is expected to fail in one point cannot hide another.
 *
 * @param expected list of `{ reason, scenarios: { name: [check ids] } }`
 * @returns failures that nobody expected, and expectations that did not come true (they must be taken off the list)
 */
export function compare(failures, expected) {
  const known = new Map();
  for (const { scenarios } of expected) {
    for (const [scenario, ids] of Object.entries(scenarios))
      known.set(scenario, new Set([...(known.get(scenario) ?? []), ...ids]));
  }
  const unexpected = [];
  for (const [scenario, list] of failures) {
    for (const { id, words } of list) if (!known.get(scenario)?.has(id)) unexpected.push(`${scenario} / ${id}: ${words}`);
  }
  const stale = [];
  for (const [scenario, ids] of known) {
    const failed = new Set((failures.get(scenario) ?? []).map(({ id }) => id));
    for (const id of ids) if (!failed.has(id)) stale.push(`${scenario} / ${id}`);
  }
  return { unexpected, stale };
}
