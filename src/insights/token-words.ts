import { formatTime } from '../answer/units.ts';
import type { AreaAccess, ReadAccess, TokenAccess } from './token-access.ts';

/** `never`, a time with its distance, or undefined when it is not told. */
export function expiryText(expires: number | 'never' | undefined, nowMs: number): string | undefined {
  return typeof expires === 'number' ? formatTime(expires, nowMs) : expires;
}

/** The privileges behind reads that are not complete: `VM.Audit on /vms`, each once. */
export function missingText(reads: readonly ReadAccess[]): readonly string[] {
  return [
    ...new Set(
      reads.flatMap((r) => {
        const [privilege] = r.read.any;
        return r.held === 'except' ? r.paths.map((path) => `${privilege} on ${path}`) : [`${privilege} on ${r.read.on}`];
      }),
    ),
  ];
}

/** How many paths are named before the rest is only counted. */
const NAMED_PATHS = 4;

/** Why an area is not seen whole, in a few words; undefined when there is nothing to add. */
export function reachText(area: AreaAccess): string | undefined {
  const words = area.reads.flatMap((r) => {
    if (r.held === 'some') return [`only ${pathsText(r.paths)}`];
    if (r.held === 'except') return [`closed: ${pathsText(r.paths)}`];
    return r.held === 'unknown' && r.why !== undefined ? [r.why] : [];
  });
  return words.length === 0 ? undefined : [...new Set(words)].join('; ');
}

export function pathsText(paths: readonly string[]): string {
  const rest = paths.length - NAMED_PATHS;
  return `${paths.slice(0, NAMED_PATHS).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** One line that says the most important things about a token. */
export function tokenHeadline(access: TokenAccess): string {
  const core = access.areas.filter((a) => a.reads.some((r) => r.read.kind === 'core'));
  const whole = core.filter((a) => a.lacks.length === 0).length;
  const sees =
    whole === core.length
      ? `sees all ${core.length} areas of PVEAuditor`
      : `sees ${whole} of ${core.length} areas of PVEAuditor whole`;
  return `${access.identity.id} ${sees}; ${writeText(access)}`;
}

/** Whether the token could change something, told from its permissions. */
export function writeText(access: TokenAccess): string {
  const changing = access.excess.filter((e) => e.effect === 'changes');
  if (changing.length > 0)
    return `it could change things: ${changing.length} ${changing.length === 1 ? 'privilege' : 'privileges'} beyond reading`;
  if (access.excess.length > 0) return 'it cannot write';
  return access.holdsAny ? 'it holds audit privileges only and cannot write' : 'it holds no privilege at all';
}
