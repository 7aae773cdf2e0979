import { z } from 'zod';
import { bytes, number, percent, rate, record, table, text, time } from '../../answer/spec.ts';
import { formatDuration, isoTime } from '../../answer/units.ts';
import { ApiError } from '../../api/errors.ts';
import { NO_GAPS } from '../../api/reading.ts';
import { atLeast } from '../../api/release.ts';
import {
  type MetricsTarget,
  type Point,
  readMetrics,
  SERIES,
  type SeriesSpec,
  TIMEFRAMES,
  type Unit,
} from '../../cluster/metrics.ts';
import { resolveMetricsTarget } from '../../cluster/metrics-target.ts';
import { closest } from '../../config/suggest.ts';
import {
  digestSeries,
  type Grid,
  gridOf,
  type Hole,
  holesOf,
  type SeriesDigest,
  thinned,
} from '../../insights/metrics-digest.ts';
import { defineTool } from '../define-tool.ts';
import { guest, node, storage } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

const MAX_POINTS = 60;

/** Columns of the digests, but for the unit of the figures. */
const WORDS = { missing: percent('of the span without a value'), spark: text('over the span, from zero') };

export const getMetrics = defineTool({
  name: 'get_metrics',
  title: 'Metrics over time',
  toolset: 'metrics',
  description:
    'History of a guest, a storage or a node: min, avg, p95, max, last, trend and sparkline of each series. Offline nodes too.',
  params: {
    ...guest,
    node: node.optional(),
    storage: storage.optional(),
    timeframe: z.enum(TIMEFRAMES).describe('Default day').optional(),
    series: z.array(z.string().min(1).max(40)).max(20).describe('Names, or all').optional(),
    points: z.boolean().describe('Points instead of the digest').optional(),
  },
  output: {
    span: record({
      from: time(),
      to: time(),
      resolution: text(),
      holes: text('times without any measurement'),
    }),
    shares: table({ series: text(), ...figures(percent), ...WORDS }, 'CPU: of its own cores'),
    sizes: table({
      series: text(),
      last: bytes(),
      limit: bytes(),
      used: percent('last of limit'),
      avg: bytes(),
      p95: bytes(),
      max: bytes(),
      min: bytes(),
      per_day: bytes(),
      ...WORDS,
    }),
    rates: table({ series: text(), ...figures(rate), ...WORDS }, 'bytes per second'),
    numbers: table({ series: text(), ...figures(number), limit: number(), ...WORDS }),
    points: table({
      time: time(),
      cpu: percent(),
      iowait: percent(),
      pressurecpusome: percent(),
      pressurecpufull: percent(),
      pressureiosome: percent(),
      pressureiofull: percent(),
      pressurememorysome: percent(),
      pressurememoryfull: percent(),
      memused: bytes(),
      memavailable: bytes(),
      swapused: bytes(),
      rootused: bytes(),
      arcsize: bytes(),
      mem: bytes(),
      memhost: bytes(),
      disk: bytes(),
      used: bytes(),
      netin: rate(),
      netout: rate(),
      diskread: rate(),
      diskwrite: rate(),
      loadavg: number(),
    }),
  },
  reads: [
    '/version',
    '/cluster/resources',
    '/cluster/nextid',
    '/nodes/{node}/rrddata',
    '/nodes/{node}/qemu/{vmid}/rrddata',
    '/nodes/{node}/lxc/{vmid}/rrddata',
    '/nodes/{node}/storage/{storage}/rrddata',
    ...RIGHTS_READS,
  ],
  async run(args, call) {
    const { target, words, nodeOnline, notes } = await resolveMetricsTarget(call, args);
    const timeframe = args.timeframe ?? 'day';
    if (timeframe === 'decade') {
      if (target.kind !== 'node')
        throw new ApiError('bad-argument', 'timeframe decade is kept of nodes only.', { hint: 'Use year.' });
      const release = await call.release();
      if (!atLeast(release, '9.0'))
        throw new ApiError('unsupported-by-this-release', `Proxmox VE ${release.text} keeps a year; decade came with 9.0.`, {
          hint: 'Use year.',
        });
    }
    const wanted = chosen(args.series, target);
    const measured = await readMetrics(call, target, timeframe);
    const grid = gridOf(measured);
    const digests = wanted.flatMap((series) => digestSeries(grid, series) ?? []);
    const holes = holesOf(measured);
    return {
      headline: headline(words, timeframe, grid, measured, holes),
      sections: {
        span: measured.length === 0 ? undefined : spanOf(measured, grid, holes),
        ...(args.points === true
          ? { points: pointRows(grid, wanted) }
          : {
              shares: rowsOf(digests, 'share'),
              sizes: sizeRows(digests),
              rates: rowsOf(digests, 'rate'),
              numbers: rowsOf(digests, 'number'),
            }),
      },
      gaps: NO_GAPS,
      notes: [
        ...notes,
        ...(args.points === true && grid.slots.length > MAX_POINTS
          ? [`Each row is the average of ${formatDuration((grid.slots.length * grid.step) / MAX_POINTS)}.`]
          : []),
        ...notesFor(wanted, digests, target, measured, nodeOnline),
      ],
    };
  },
});

/** Columns of a digest whose figures have one unit. */
function figures<C>(unit: (about?: string) => C) {
  return {
    last: unit(),
    avg: unit(),
    p95: unit(),
    max: unit('highest average of one step'),
    min: unit(),
    per_day: unit('straight-line trend'),
  };
}

/** The series asked for, in the order of the answer; without a wish those that matter for the kind. */
function chosen(names: readonly string[] | undefined, target: MetricsTarget): readonly SeriesSpec[] {
  const known = SERIES[target.kind].filter((s) => s.name !== 'disk' || target.kind !== 'guest' || target.type === 'lxc');
  if (names === undefined || names.length === 0) return known.filter((s) => s.byDefault === true);
  if (names.includes('all')) return known;
  const all = known.map((s) => s.name);
  for (const name of names) {
    if (all.includes(name)) continue;
    const near = closest(name, all);
    throw new ApiError('bad-argument', `series: ${JSON.stringify(name)} is not recorded of a ${kindWord(target)}.`, {
      hint: `${near === undefined ? '' : `Did you mean ${near}? `}Recorded: ${all.join(', ')}.`,
    });
  }
  return known.filter((s) => names.includes(s.name));
}

function kindWord(target: MetricsTarget): string {
  if (target.kind !== 'guest') return target.kind;
  return target.type === 'qemu' ? 'virtual machine' : 'container';
}

function headline(words: string, timeframe: string, grid: Grid, measured: readonly Point[], holes: readonly Hole[]): string {
  const of = `Metrics of ${words}, last ${timeframe}`;
  if (measured.every((p) => p.values.size === 0)) return `${of}: nothing was recorded`;
  const missing = holes.length === 0 ? 'no holes' : holeText(holes);
  return `${of}: ${resolutionText(grid)}, ${missing}`;
}

function spanOf(measured: readonly Point[], grid: Grid, holes: readonly Hole[]) {
  return {
    from: measured[0]?.time,
    to: measured.at(-1)?.time,
    resolution: resolutionText(grid),
    holes:
      holes.length === 0
        ? undefined
        : holes
            .slice(-5)
            .map((hole) => `${minutes(hole.from)} to ${minutes(hole.to)} (${formatDuration(hole.to - hole.from)})`)
            .join('; ') + (holes.length > 5 ? `; ${holes.length - 5} earlier` : ''),
  };
}

function resolutionText({ resolutions }: Grid): string {
  return resolutions
    .map(({ points, step }) => `${points} ${points === 1 ? 'point' : 'points'}${step === 0 ? '' : ` of ${formatDuration(step)}`}`)
    .join(', then ');
}

function holeText(holes: readonly Hole[]): string {
  const longest = formatDuration(Math.max(...holes.map((hole) => hole.to - hole.from)));
  return holes.length === 1 ? `1 hole of ${longest}` : `${holes.length} holes, the longest of ${longest}`;
}

function minutes(epochSeconds: number): string {
  return `${isoTime(epochSeconds)?.slice(0, 16) ?? '?'}Z`;
}

function rowsOf(digests: readonly SeriesDigest[], unit: Unit) {
  const rows = digests
    .filter((d) => d.series.unit === unit)
    .map((d) => ({
      series: d.series.name,
      last: d.last,
      avg: d.avg,
      p95: d.p95,
      max: d.max,
      min: d.min,
      per_day: d.perDay,
      limit: d.limit,
      missing: d.missing === 0 ? undefined : d.missing,
      spark: d.spark,
    }));
  return rows.length === 0 ? undefined : rows;
}

function sizeRows(digests: readonly SeriesDigest[]) {
  return rowsOf(digests, 'bytes')?.map((row) => ({
    ...row,
    used: row.limit === undefined || row.last === undefined ? undefined : row.last / row.limit,
  }));
}

function pointRows(grid: Grid, series: readonly SeriesSpec[]) {
  return thinned(grid, series, MAX_POINTS).map((point) => ({ time: point.time, ...Object.fromEntries(point.values) }));
}

function notesFor(
  wanted: readonly SeriesSpec[],
  digests: readonly SeriesDigest[],
  target: MetricsTarget,
  measured: readonly Point[],
  nodeOnline: boolean,
): string[] {
  const notes: string[] = [];
  const newest = measured.findLast((p) => p.values.size > 0)?.time;
  if (!nodeOnline)
    notes.push(
      newest === undefined
        ? `Node ${target.node} is not online and recorded nothing in this span; a longer timeframe may reach further back.`
        : `Node ${target.node} is not online: this is what was recorded before, last at ${minutes(newest)}.`,
    );
  const empty = wanted.filter((s) => !digests.some((d) => d.series === s)).map((s) => s.name);
  if (empty.length > 0 && newest !== undefined) notes.push(`Nothing was recorded of ${empty.join(', ')} in this span.`);
  const dead = measured.filter((p) => p.values.size === 0).length / Math.max(1, measured.length);
  if (target.kind === 'guest' && digests.some((d) => d.series.name === 'cpu' && d.missing > dead + 0.01))
    notes.push('While a guest is stopped its load is not recorded: those times are missing, not zero.');
  return notes;
}
