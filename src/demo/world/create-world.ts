import type { DemoOptions } from '../types.ts';
import { createAreas } from './create-areas.ts';
import { createCore } from './create-core.ts';
import type { DemoWorld } from './types.ts';

/**
 * Builds the data set: the hand-made cluster by default, a generated one when `nodes` or `guests` is given, a single
 * node without cluster configuration with `standalone`. Equal options (with `now`) give equal worlds.
 */
export function createWorld(options: DemoOptions = {}): DemoWorld {
  const core = createCore(options);
  const areas = createAreas(core);
  const { users, acl, roles } = areas.access;
  return { ...core, areas, users, acl, roles };
}
