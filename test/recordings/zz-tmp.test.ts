import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { endpointsOf, matchTemplate, parameterProblems } from '../contract/facts.ts';
import { loadRecordings, RECORDED_ROLES, type RecordingSet } from './recording-set.ts';
import { replay } from './replay.ts';
const norm = (x: any, k?: string): any =>
  Array.isArray(x) ? x.map((v) => norm(v)).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  : x && typeof x === 'object' ? Object.fromEntries(Object.keys(x).sort().map((k) => [k, norm(x[k], k)]))
  : k === 'content' && typeof x === 'string' ? x.split(',').sort().join() : (k==='cpu'||k==='uptime'||k==='used'||k==='avail'||k==='used_fraction'||k==='pressurecpusome'||k==='disk'||k==='maxdisk'||k==='digest') ? 0 : x;
it.each(RECORDED_ROLES)('%s', (role) => {
  const set = loadRecordings(role);
  const none: string[] = [], bad: string[] = [];
  let ok = 0, p400 = 0;
  for (const line of readFileSync(`/work/shared/pve/recordings/${role}.jsonl`, 'utf8').split('\n')) {
    if (!line) continue;
    const r = JSON.parse(line);
    const path = decodeURIComponent(r.path);
    const query = Object.fromEntries(Object.entries(r.params).map(([k, v]) => [k, String(v)]));
    const hidden: RecordingSet = { ...set, all: set.all.filter((x) => x.path !== path || JSON.stringify(x.params) !== JSON.stringify(query)), find: (p, q = {}) => (p === path && JSON.stringify(Object.entries(q).sort()) === JSON.stringify(Object.entries(query).sort()) ? undefined : set.find(p, q)) };
    const m = matchTemplate('9.2.11', path);
    if (!m) { none.push(`501 ${path} ${r.status}`); continue; }
    const facts = endpointsOf('9.2.11').get(m.template)!;
    const problems = parameterProblems(facts, m.template, query, m.params);
    if (problems.length) { if (r.status === 400) p400++; else bad.push(`VALID? ${path} ${JSON.stringify(query)} ${r.status} ${JSON.stringify(problems)}`); continue; }
    const d = replay(hidden, { path, query, template: m.template, params: m.params, facts });
    if (!d) { if(process.env.NONE) none.push(`${path} ${JSON.stringify(query)} ${r.status}`); continue; }
    if (d.status === r.status && (d.status===403||d.reason === r.reason) && JSON.stringify(norm(d.body)).split(/[|)(, \\]/).sort().join() === JSON.stringify(norm(r.body)).split(/[|)(, \\]/).sort().join()) ok++;
    else bad.push(`${path} ${JSON.stringify(query)} want ${r.status} ${r.reason} ${JSON.stringify(norm(r.body)).slice(0, 300)} GOT ${d.status} ${d.reason} ${JSON.stringify(norm(d.body)).slice(0, 300)}`);
  }
  console.log(role, ok, p400, none.length, bad.length, '\n' + none.join('\n') + '\n' + bad.join('\n'));
});
