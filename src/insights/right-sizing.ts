import type { Point } from '../cluster/metrics.ts';
import { quantile } from './forecast.ts';

/** What a guest has and used, and what would do. */
export interface Sizing {
  /** Fractions of its cores and of its memory. */
  readonly cpuTypical: number | undefined;
  readonly cpuMost: number | undefined;
  readonly memMost: number | undefined;
  /** Days with measurements. */
  readonly days: number;
  /** Advice, empty when its size is right. */
  readonly advice: readonly string[];
}

export interface SizedGuest {
  readonly type: 'qemu' | 'lxc';
  readonly cores: number | undefined;
  /** Bytes. */
  readonly memory: number | undefined;
}

const DAY = 86_400;
const GIB = 2 ** 30;
/** Less than this says nothing about a guest's weekly rhythm. */
const LEAST_DAYS = 3;
/** Below this, cores are not worth taking away: a second one is for the peaks. */
const LEAST_CORES = 4;
/** Room above what was used at most. */
const HEADROOM = 1.5;

/**
 * Whether a guest is too large or too small, from its own measurements: 95 % of the time for what is typical, 99 % for
 * the most it used (single peaks are no reason to grow). Too large is what never used half of it.
 */
export function sizingOf(guest: SizedGuest, points: readonly Point[]): Sizing {
  const cpu = points.flatMap((p) => p.values.get('cpu') ?? []);
  const mem = points.flatMap((p) => {
    const used = p.values.get('mem');
    const most = p.values.get('maxmem') ?? guest.memory;
    return used === undefined || most === undefined || most === 0 ? [] : [used / most];
  });
  const measured = points.filter((p) => p.values.has('cpu'));
  const days = ((measured.at(-1)?.time ?? 0) - (measured[0]?.time ?? 0)) / DAY;
  const sizing = {
    cpuTypical: cpu.length === 0 ? undefined : quantile(cpu, 0.95),
    cpuMost: cpu.length === 0 ? undefined : quantile(cpu, 0.99),
    memMost: mem.length === 0 ? undefined : quantile(mem, 0.99),
    days,
  };
  if (days < LEAST_DAYS) return { ...sizing, advice: [] };
  return { ...sizing, advice: [...cpuAdvice(guest, sizing), ...memoryAdvice(guest, sizing.memMost)] };
}

function cpuAdvice(guest: SizedGuest, { cpuTypical, cpuMost }: Pick<Sizing, 'cpuTypical' | 'cpuMost'>): readonly string[] {
  const { cores } = guest;
  if (cores === undefined || cpuTypical === undefined || cpuMost === undefined) return [];
  if (cpuTypical >= 0.85) return ['more cores: it is at its limit'];
  const enough = Math.max(1, Math.ceil(cpuMost * cores * HEADROOM));
  return cores >= LEAST_CORES && enough <= cores / 2 ? [`${enough} of its ${cores} cores would do`] : [];
}

function memoryAdvice(guest: SizedGuest, most: number | undefined): readonly string[] {
  const { memory, type } = guest;
  if (memory === undefined || most === undefined) return [];
  // A machine that does not tell what it caches looks full all the time.
  if (most >= 0.95) return type === 'lxc' ? ['more memory: it is at its limit'] : [];
  const enough = Math.ceil((most * memory * HEADROOM) / (GIB / 2)) * (GIB / 2);
  return memory >= 2 * GIB && most > 0 && enough <= memory / 2
    ? [`${enough / GIB} of its ${Number((memory / GIB).toFixed(1))} GiB would do`]
    : [];
}
