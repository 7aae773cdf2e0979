import type { DemoCluster } from '../../src/demo/types.ts';
import type { DemoWorld } from '../../src/demo/world/types.ts';

/** The data set behind an embedded cluster, with everything that is in it; tests compare answers with it. */
export function worldOf({ world }: DemoCluster): DemoWorld {
  if (!('areas' in world) || !('guests' in world)) throw new Error('this cluster was not made by startDemoCluster');
  // Only createWorld makes worlds with areas.
  return world as DemoWorld;
}
