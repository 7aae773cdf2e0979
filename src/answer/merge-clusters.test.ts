import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { NO_GAPS } from '../api/reading.ts';
import type { Answer } from './answer.ts';
import { mergeAnswers, overClusters, resumeAt } from './merge-clusters.ts';
import { inOrder, pageOf, progressOf } from './page.ts';
import { compareSortKeys } from './sort-key.ts';
import { entries, int, type Paged, prose, record, type SortKey, table, text } from './spec.ts';

interface Row {
  readonly [column: string]: string | number;
  readonly node: string;
  readonly id: number;
}
const output = {
  rows: table({ node: text(), id: int() }),
  facts: record({ cluster: text(), quorum: text() }),
  more: entries(),
  log: prose(),
};

function answerOf(rows: Paged<Row> | readonly Row[], rest: Partial<Answer> = {}): Answer {
  return { headline: 'h', sections: { rows }, gaps: NO_GAPS, ...rest };
}

/** Numbers that are the same in every run. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const keyOf = (row: Row): SortKey => [row.node, row.id];

/** A reader that resumes, reads so many rows or whole nodes, and then stops. */
function readSome(all: readonly Row[], after: SortKey | undefined, most: number, byNode: boolean): Paged<Row> {
  const sorted = [...all].sort((a, b) => compareSortKeys(keyOf(a), keyOf(b)));
  const rest = sorted.filter((row) => after === undefined || compareSortKeys(keyOf(row), after) > 0);
  if (!byNode) {
    const rows = rest.slice(0, most);
    const last = rows.at(-1);
    return {
      rows,
      key: keyOf,
      ...(last === undefined || rest.length <= most ? {} : { unfinished: { after: keyOf(last), why: 'time' } }),
    };
  }
  // Stops between two nodes: the key it stops at is of no row, and shorter than those of rows.
  const nodes = [...new Set(rest.map((row) => row.node))];
  const rows = rest.filter((row) => nodes.indexOf(row.node) < most);
  const next = nodes[most];
  return { rows, key: keyOf, ...(next === undefined ? {} : { unfinished: { after: [next], why: 'time' } }) };
}

describe('paging over several clusters', () => {
  it.each(Array.from({ length: 60 }, (_, seed) => seed))('shows every row once and in one order (%i)', (seed) => {
    const random = sequence(seed + 1);
    const clusters = new Map<string, { rows: Row[]; most: number; byNode: boolean }>();
    for (const name of ['alpha', 'beta', 'gamma'].slice(0, 1 + Math.floor(random() * 3))) {
      const rows = Array.from({ length: Math.floor(random() * 25) }, () => ({
        node: `pve${Math.floor(random() * 4)}`,
        id: Math.floor(random() * 8),
      }));
      // One row a key in a cluster, the same keys in all of them.
      const unique = [...new Map(rows.map((row) => [JSON.stringify(keyOf(row)), row])).values()];
      clusters.set(name, { rows: unique, most: 1 + Math.floor(random() * 6), byNode: random() < 0.5 });
    }
    const limit = 1 + Math.floor(random() * 7);
    const seen: string[] = [];
    let after: SortKey | undefined;
    let pages = 0;
    do {
      const parts = [...clusters].map(([cluster, { rows, most, byNode }]) => ({
        cluster,
        answer: answerOf(readSome(rows, resumeAt(after, cluster), most, byNode)),
      }));
      const merged: unknown = mergeAnswers(output, parts, { after, limit }).sections['rows'];
      const page = pageOf(merged as Paged<Row>, { after, limit });
      const shown = page.rows.map(({ row }) => `${row.node} ${row.id} ${row['cluster']}`);
      seen.push(...shown);
      after = progressOf(page, shown.length).after;
      pages += 1;
    } while (after !== undefined && pages < 300);
    const all = [...clusters].flatMap(([cluster, { rows }]) => rows.map((row) => `${row.node} ${row.id} ${cluster}`));
    expect(seen).toEqual(all.sort());
  });
});

describe('a page over several clusters whose rows are all there', () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed))('is the page of all rows together (%i)', (seed) => {
    const random = sequence(seed + 1);
    const clusters = ['alpha', 'beta', 'gamma'].map((cluster) => {
      // The same keys again and again, within a cluster too.
      const rows = Array.from({ length: Math.floor(random() * 30) }, () => ({
        node: `pve${Math.floor(random() * 3)}`,
        id: Math.floor(random() * 3),
      }));
      return { cluster, rows: random() < 0.5 ? rows : inOrder(rows, keyOf), ordered: false };
    });
    for (const each of clusters) each.ordered = JSON.stringify(each.rows) === JSON.stringify(inOrder(each.rows, keyOf));
    const whole = clusters.flatMap(({ cluster, rows }) => rows.map((row) => ({ cluster, ...row })));
    const limit = 1 + Math.floor(random() * 9);
    let after: SortKey | undefined;
    let shown = 0;
    do {
      const parts = clusters.map(({ cluster, rows, ordered }) => ({ cluster, answer: answerOf({ rows, key: keyOf, ordered }) }));
      const merged: unknown = mergeAnswers(output, parts, { after, limit }).sections['rows'];
      const page = pageOf(merged as Paged<Row>, { after, limit });
      const expected = pageOf({ rows: whole, key: (row) => [...keyOf(row), `@${row.cluster}`] }, { after, limit });
      expect(page).toEqual(expected);
      shown += page.rows.length;
      after = progressOf(page, page.rows.length).after;
    } while (after !== undefined);
    expect(shown).toBe(whole.length);
  });
});

describe('one answer of several', () => {
  const dead = new ApiError('timeout', 'No answer.', { needs: 'nothing' });

  it('puts the cluster first everywhere', () => {
    const { facts, rows } = overClusters(output);
    expect(facts).toMatchObject({ form: 'table' });
    for (const section of [facts, rows]) expect(section?.form === 'table' && Object.keys(section.columns)[0]).toBe('cluster');
    // What the tool itself calls cluster is kept apart.
    expect(facts?.form === 'table' && Object.keys(facts.columns)).toEqual(['cluster', 'cluster_name', 'quorum']);
  });

  it('keeps every form of section, and says whose each is', () => {
    const one = {
      headline: 'one',
      sections: { facts: { cluster: 'corosync', quorum: 'yes' }, more: { a: 1 }, log: 'x' },
      gaps: NO_GAPS,
    };
    const merged = mergeAnswers(output, [
      { cluster: 'alpha', answer: one },
      { cluster: 'beta', answer: { ...one, sections: { more: { a: 2 } } } },
    ]);
    expect(merged.sections).toEqual({
      facts: [{ cluster: 'alpha', cluster_name: 'corosync', quorum: 'yes' }],
      more: { 'alpha a': 1, 'beta a': 2 },
      log: 'alpha:\nx',
    });
  });

  it('tells a dead cluster as a problem of that cluster and calls nothing complete', () => {
    const { headline, gaps } = mergeAnswers(output, [
      { cluster: 'alpha', answer: answerOf([]) },
      { cluster: 'beta', answer: dead },
    ]);
    expect(headline).toBe('1 of 2 clusters answered: alpha: h');
    expect(gaps).toMatchObject({
      coverage: 'partial',
      problems: [{ where: { cluster: 'beta' }, kind: 'timeout', message: 'No answer.', needs: 'nothing' }],
    });
  });

  it('keeps equal problems and hidden things of two clusters apart', () => {
    const gaps = {
      coverage: 'unknown' as const,
      why: 'v; w',
      problems: [{ where: { node: 'pve1' }, kind: 'timeout' as const, message: 'm' }],
      hidden: [{ what: 'guests', privilege: 'VM.Audit', path: '/vms' }],
    };
    const merged = mergeAnswers(
      output,
      ['alpha', 'beta'].map((cluster) => ({ cluster, answer: answerOf([], { gaps, notes: ['n'], next: ['list_nodes'] }) })),
    );
    expect(merged.gaps.problems.map((problem) => problem.where)).toEqual([
      { node: 'pve1', cluster: 'alpha' },
      { node: 'pve1', cluster: 'beta' },
    ]);
    expect(merged.gaps.hidden.map((hidden) => hidden.cluster)).toEqual(['alpha', 'beta']);
    expect(merged.gaps.why).toBe('cluster alpha: v; cluster alpha: w; cluster beta: v; cluster beta: w');
    expect(merged.notes).toEqual(['alpha: n', 'beta: n']);
    expect(merged.next).toEqual(['list_nodes (cluster=alpha)', 'list_nodes (cluster=beta)']);
  });

  it('makes notes of headlines that are too many for one line', () => {
    const parts = Array.from({ length: 20 }, (_, i) => ({
      cluster: `cluster-${i}`,
      answer: answerOf([], { headline: '40 guests: 31 running' }),
    }));
    const { headline, notes } = mergeAnswers(output, parts);
    expect(headline).toBe('20 clusters');
    expect(notes).toHaveLength(20);
  });
});
