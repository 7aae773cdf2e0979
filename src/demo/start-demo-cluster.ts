import { loadFacts } from './facts.ts';
import { createHandlers } from './handlers/create-handlers.ts';
import { createDemoServer } from './server.ts';
import type { DemoCluster, DemoOptions } from './types.ts';
import { demoTokens } from './world/access-data.ts';
import { collectCanaries } from './world/canaries.ts';
import { createWorld } from './world/create-world.ts';

/**
 * Starts an embedded cluster: the data set, its handlers and the HTTPS server in front. It listens on 127.0.0.1 when
 * the promise resolves; `close()` ends it with all open connections.
 */
export async function startDemoCluster(options: DemoOptions = {}): Promise<DemoCluster> {
  const release = options.release ?? '9.2.11';
  const world = createWorld({ ...options, release });
  const tokens = demoTokens(world);
  const server = await createDemoServer({
    world,
    handlers: createHandlers(world),
    release,
    facts: await loadFacts(release),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.latencyMs === undefined ? {} : { latencyMs: options.latencyMs }),
    ...(options.authDelayMs === undefined ? {} : { authDelayMs: options.authDelayMs }),
    standingClock: options.standingClock,
  });
  return { ...server, token: (role) => tokens[role], canaries: collectCanaries(world), world };
}
