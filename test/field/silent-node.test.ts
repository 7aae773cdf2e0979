/**
 * A node that is online while its status daemon says nothing: the cluster lists it without figures and its guests as
 * `unknown`. Neither may read as if the node were down, or as if nobody knew why.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listOf } from '../../src/api/lenient.ts';
import type { Session } from '../../src/api/session.ts';
import { catalog } from '../../src/tools/catalog.ts';
import { runTool } from '../../src/tools/run-tool.ts';
import { type Harness, openHarness } from '../support/harness.ts';

let h: Harness;
beforeAll(async () => {
  h = await openHarness();
});
afterAll(() => h.close());

/** The session at a cluster of which one node has reported nothing for minutes. */
function silent(session: Session, node: string): Session {
  return {
    ...session,
    scrubber: session.scrubber,
    async get(path, params, query, caller) {
      const got = await session.get(path, params, query, caller);
      if (path !== '/cluster/resources') return got;
      const data = listOf(got.data, 'rows').map((row) => {
        if (row['node'] !== node) return row;
        const { id, type, vmid, name, pool } = row;
        return type === 'node' ? { id, type, node, status: 'online' } : { id, type, vmid, name, pool, node, status: 'unknown' };
      });
      return { ...got, data };
    },
  };
}

async function ask(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const tool = catalog.find((t) => t.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return (await runTool(tool, args, silent(h.session, 'pve1'), { form: 'text', maxChars: 20_000 })).text;
}

it('list_guests: its guests are not called those of an offline node', async () => {
  const text = await ask('list_guests');
  expect(text).toMatch(/^35 guests: 6 running, 3 unknown \(node offline\), 24 unknown \(not reported by their node\)/);
  expect(text).toMatch(/^Note: pve1: online, but no fresh report/m);
});

it('list_nodes: says why there are no figures', async () => {
  expect(await ask('list_nodes')).toMatch(/^Note: pve1: online, but no fresh figures/m);
});

it('get_guest_status: the node itself is asked', async () => {
  expect(await ask('get_guest_status', { vmid: 100 })).toMatch(/^web-01 \(VM 100\) on pve1: running/);
});
