/**
 * The program as it ships, spoken to by the official client in both protocol eras: handshake, lists, every tool, wrong
 * arguments, unknown tools, cancellation, both output forms.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { DEFAULT_TOOLSETS } from '../../src/config/toolsets.ts';
import { startDemoCluster } from '../../src/demo/start-demo-cluster.ts';
import type { DemoCluster } from '../../src/demo/types.ts';
import { INSTRUCTIONS } from '../../src/server/instructions.ts';
import { catalog, toolsOf } from '../../src/tools/catalog.ts';
import { representatives } from '../support/combinations.ts';
import { worldOf } from '../support/demo-world.ts';
import { coveredTools, type Examples, examplesFor, examplesOf } from '../support/examples.ts';
import { type ConnectedClient, connectClient, ERAS, serverEnv } from '../support/server-process.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let demo: DemoCluster;
let examples: Examples;
beforeAll(async () => {
  demo = await startDemoCluster({ authDelayMs: 20 });
  examples = examplesFor(worldOf(demo));
});
afterAll(() => demo.close());

const Content = z.array(z.object({ type: z.literal('text'), text: z.string() })).length(1);
const textOf = (result: { content?: unknown }): string => Content.parse(result.content)[0]?.text ?? '';

describe.each(ERAS)('protocol %s', (era) => {
  let connected: ConnectedClient;
  beforeAll(async () => {
    connected = await connectClient(serverEnv(demo), [], era);
  });
  afterAll(() => connected.close());

  it('says who it is', () => {
    const { client } = connected;
    expect(client.getNegotiatedProtocolVersion()).toMatch(era === 'legacy' ? /^2025-/ : /^2026-07-28$/);
    expect(client.getServerVersion()?.name).toBe('mcp-proxmox');
    expect(client.getInstructions()).toBe(INSTRUCTIONS);
    expect(client.getServerCapabilities()?.tools).toBeDefined();
  });

  it('T25 lists every tool, annotated', async () => {
    const { tools } = await connected.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(catalog.map(({ name }) => name));
    for (const { annotations, name, outputSchema } of tools) {
      expect(annotations, name).toMatchObject({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
      expect(outputSchema, name).toBeUndefined();
    }
  });

  it.each(coveredTools)('%s answers', async (name, tool) => {
    const [args] = examplesOf(tool, examples);
    const result = await connected.client.callTool({ name, arguments: { ...args } });
    expect(textOf(result).length).toBeGreaterThan(10);
    // One form only: hosts show the model the structured one where there is one.
    expect(result.structuredContent).toBeUndefined();
    if (result.isError === true) expect(textOf(result)).toMatch(/^Error \((?:forbidden|not-configured|node-unreachable)\)/);
  });

  it('wrong arguments are told as an answer, with what is accepted', async () => {
    const wrong = await connected.client.callTool({ name: 'list_guests', arguments: { limit: 'many', foo: 1 } });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong)).toMatch(/limit[\s\S]*foo[\s\S]*Accepted: /);
    const missing = await connected.client.callTool({ name: 'get_guest_status', arguments: {} });
    expect(missing.isError).toBe(true);
    expect(textOf(missing)).toMatch(/vmid or name/);
  });

  it('an unknown tool is a protocol error', async () => {
    await expect(connected.client.callTool({ name: 'delete_guest', arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });

  it('a cancelled call ends, and the server goes on', async () => {
    const off = demo.faults.add({ kind: 'hang', match: '/nodes/pve1/status' });
    const abort = new AbortController();
    const started = performance.now();
    const call = connected.client.callTool({ name: 'get_node_status', arguments: { node: 'pve1' } }, { signal: abort.signal });
    setTimeout(() => abort.abort('enough'), 200);
    await expect(call).rejects.toThrow();
    expect(performance.now() - started).toBeLessThan(5_000);
    off();
    const next = await connected.client.callTool({ name: 'list_nodes', arguments: {} });
    expect(next.isError).not.toBe(true);
  });

  it('says nothing on standard error when all is well', () => {
    expect(connected.stderr()).toBe('');
  });
});

describe('tools/list', () => {
  it('is the same in both eras, and after the calls', async () => {
    const lists = await Promise.all(
      ERAS.map(async (era) => {
        const { client, close } = await connectClient(serverEnv(demo, 'noacl', { PROXMOX_TOOLSETS: 'default' }), [], era);
        const before = (await client.listTools()).tools;
        await client.callTool({ name: 'list_nodes', arguments: {} });
        const after = (await client.listTools()).tools;
        await close();
        expect(after).toEqual(before);
        return before;
      }),
    );
    expect(lists[0]).toEqual(lists[1]);
    expect(lists[0]?.map(({ name }) => name)).toEqual(toolsOf(DEFAULT_TOOLSETS).map(({ name }) => name));
  });
});

describe('the structured form', () => {
  let connected: ConnectedClient;
  beforeAll(async () => {
    connected = await connectClient(serverEnv(demo), ['--structured'], '2026-07-28');
  });
  afterAll(() => connected.close());

  it('every tool declares what it gives', async () => {
    const { tools } = await connected.client.listTools();
    for (const { name, outputSchema } of tools) expect(outputSchema, name).toMatchObject({ type: 'object' });
  });

  // The client itself validates structuredContent against the schema that was listed, and throws where it differs.
  it.each(coveredTools)('%s keeps to its schema, and the text is the same data', async (name, tool) => {
    await connected.client.listTools();
    for (const args of representatives(examplesOf(tool, examples), 2)) {
      const result = await connected.client.callTool({ name, arguments: { ...args } });
      if (result.isError === true) continue;
      expect(JSON.parse(textOf(result)), JSON.stringify(args)).toEqual(result.structuredContent);
    }
  });
});
