import type { Fault, FaultSwitch } from './types.ts';

/** The switch for tests, with the engine's side of it. */
export interface FaultBoard extends FaultSwitch {
  /** The fault that hits a request for this path (decoded, below /api2/json), if any; counts it. */
  take(path: string): Fault | undefined;
}

interface ActiveFault {
  readonly fault: Fault;
  left: number;
}

/** Creates a board without faults. Of several that match, the one switched on first hits. */
export function createFaultBoard(): FaultBoard {
  const active = new Set<ActiveFault>();
  return {
    add(fault) {
      const entry = { fault, left: fault.times ?? Number.POSITIVE_INFINITY };
      active.add(entry);
      return () => {
        active.delete(entry);
      };
    },
    clear() {
      active.clear();
    },
    take(path) {
      for (const entry of active) {
        if (!matches(entry.fault.match, path)) continue;
        entry.left -= 1;
        if (entry.left <= 0) active.delete(entry);
        return entry.fault;
      }
      return undefined;
    },
  };
}

function matches(match: string | RegExp, path: string): boolean {
  if (typeof match === 'string') return path.startsWith(match);
  // `search` has no memory, unlike `test` with a global or sticky expression.
  return path.search(match) !== -1;
}
