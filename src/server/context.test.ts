import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Harness, openHarness } from '../../test/support/harness.ts';
import type { ToolsetName } from '../config/toolsets.ts';
import { catalog } from '../tools/catalog.ts';
import { createMcpServer } from './create-server.ts';
import { INSTRUCTIONS } from './instructions.ts';

describe('resources, prompts, completion', () => {
  let h: Harness;
  let client: Client;
  beforeAll(async () => {
    h = await openHarness();
    const [near, far] = InMemoryTransport.createLinkedPair();
    await createMcpServer({ runtime: async () => h.runtime }).connect(far);
    client = new Client({ name: 'test', version: '1' });
    await client.connect(near);
  });
  afterAll(async () => {
    await client.close();
    await h.close();
  });

  test('the cluster, its nodes and guests are listed and read as the tools answer', async () => {
    const { resources } = await client.listResources();
    const uris = resources.map((r) => r.uri);
    expect(uris).toContain('proxmox://cluster');
    expect(uris).toContain('proxmox://nodes/pve1');
    expect(uris).toContain('proxmox://guests/100');
    const { contents } = await client.readResource({ uri: 'proxmox://guests/100/config' });
    const direct = await h.call('get_guest_config', { vmid: 100 });
    expect(contents[0]).toMatchObject({ mimeType: 'text/plain', text: direct.text });
  });

  test('templates complete nodes and guests', async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map((t) => t.uriTemplate)).toContain('proxmox://nodes/{node}');
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'proxmox://nodes/{node}' },
      argument: { name: 'node', value: 'PVE' },
    });
    expect(completion.values).toEqual(['pve1', 'pve2', 'pve3']);
  });

  test('names of guests are completed for those who may use tools about guests', async () => {
    const complete = async (toolsets: ReadonlySet<ToolsetName>): Promise<readonly string[]> => {
      const [near, far] = InMemoryTransport.createLinkedPair();
      await createMcpServer({ runtime: async () => h.runtime, caller: { name: 'some', toolsets } }).connect(far);
      const some = new Client({ name: 'test', version: '1' });
      await some.connect(near);
      const argument = { name: 'vmid', value: '10' };
      const { completion } = await some.complete({ ref: { type: 'ref/resource', uri: 'proxmox://guests/{vmid}' }, argument });
      await some.close();
      return completion.values;
    };
    expect(await complete(new Set(['guests']))).toContain('100');
    expect(await complete(new Set(['nodes', 'storage']))).toEqual([]);
  });

  test.each([
    'proxmox://guests/99999',
    'proxmox://nodes/nope',
    'proxmox://nothing',
    'proxmox://nodes/pve1%2Fqemu%2F100',
    'file:///etc/passwd',
  ])('%s is not found', async (uri) => {
    const before = h.demo.requests.length;
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: expect.any(Number) });
    expect(h.demo.requests.slice(before).every((r) => !r.path.includes('passwd') && !r.path.includes('nope'))).toBe(true);
  });

  test('T25 prompts and instructions name only tools that exist', async () => {
    const names = new Set(catalog.map((t) => t.name));
    const { prompts } = await client.listPrompts();
    const texts = [INSTRUCTIONS];
    for (const prompt of prompts) {
      const args = Object.fromEntries((prompt.arguments ?? []).map((a) => [a.name, 'web-01']));
      const { messages } = await client.getPrompt({ name: prompt.name, arguments: args });
      texts.push(messages.map((m) => (m.content.type === 'text' ? m.content.text : '')).join('\n'));
    }
    for (const word of texts.join('\n').matchAll(/\b(?:get|list|check|search|explain|review)_[a-z_]+\b/g))
      expect(names, word[0]).toContain(word[0]);
    expect(INSTRUCTIONS.length).toBeLessThanOrEqual(2_048);
  });

  test('a prompt without its argument, and one that is not there, are told', async () => {
    await expect(client.getPrompt({ name: 'nope' })).rejects.toThrow(/no prompt/);
  });
});
