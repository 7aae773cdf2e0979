import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoClusterSettings } from '../../src/demo/demo-settings.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster } from '../../src/demo/types.ts';
import { settingsFor } from '../support/harness.ts';
import { callTool, openHttp } from '../support/http.ts';

/** An entry node: a door to the cluster that can be shut in the middle of everything. */
interface Door {
  readonly url: string;
  /** Connections that were made through it. */
  passed(): number;
  /** Drops what is open and refuses what comes. */
  kill(): Promise<void>;
}

async function openDoor(target: string): Promise<Door> {
  const { port } = new URL(target);
  const sockets = new Set<Socket>();
  let passed = 0;
  const server: Server = createServer((from) => {
    passed += 1;
    const to = connect(Number(port), '127.0.0.1');
    for (const [a, b] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(a);
      a.on('error', () => b.destroy());
      a.on('close', () => {
        sockets.delete(a);
        b.destroy();
      });
      a.pipe(b);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `https://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    passed: () => passed,
    kill: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

let demo: DemoCluster;
beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20, latencyMs: 5 });
});
afterAll(() => demo.close());

describe('two base URLs of one cluster', () => {
  it('cost no failed call when one dies under load', async () => {
    const doors = await Promise.all([openDoor(demo.url), openDoor(demo.url)]);
    const [first, second] = doors;
    const server = await openHttp(settingsFor({ ...demoClusterSettings(demo), urls: doors.map((door) => door.url) }), {
      noAuth: true,
      rateLimit: '1000000',
      maxConcurrent: '1000',
    });
    const tools: [string, Record<string, unknown>][] = [
      ['list_guests', { limit: 5 }],
      ['get_guest_status', { vmid: 100 }],
      ['list_recent_tasks', { limit: 5 }],
      ['get_node_status', { node: 'pve2' }],
    ];
    const failed: string[] = [];
    let done = 0;
    let dead = false;
    let afterDeath = 0;
    const worker = async (seed: number): Promise<void> => {
      for (let i = seed; afterDeath < 100; i += 1) {
        const [name, args] = tools[i % tools.length] ?? ['', {}];
        const { status, isError, text } = await callTool(server.url, name, args);
        if (status !== 200 || isError || /Problem: .*(unreachable: |lost|No entry node)/.test(text))
          failed.push(`${name}: ${status} ${text.slice(0, 200)}`);
        done += 1;
        if (dead) afterDeath += 1;
      }
    };
    const workers = Array.from({ length: 20 }, (_, i) => worker(i));
    while (done < 40) await sleep(10);
    expect(first?.passed()).toBeGreaterThan(0);
    await first?.kill();
    dead = true;
    await Promise.all(workers);
    expect(failed).toEqual([]);
    expect(second?.passed()).toBeGreaterThan(0);
    await server.close();
    await second?.kill();
  });
});
