import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Harness, openHarness } from '../../test/support/harness.ts';
import type { ToolsetName } from '../config/toolsets.ts';
import { createScrubber } from '../redact/scrub-text.ts';
import { catalog } from '../tools/catalog.ts';
import { auditLine, type CallRecord } from './audit-log.ts';
import { createMcpServer } from './create-server.ts';
import { INSTRUCTIONS } from './instructions.ts';

describe('resources, prompts, completion', () => {
  let h: Harness;
  let client: Client;
  beforeAll(async () => {
    h = await openHarness();
    client = (await connected({ runtime: async () => h.runtime })).some;
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
      const { some } = await connected({ runtime: async () => h.runtime, caller: { name: 'some', toolsets } });
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
    const told = expect.stringMatching(/bad-argument.*needs the argument guest/);
    await expect(client.getPrompt({ name: 'triage_guest' })).rejects.toMatchObject({ code: -32_602, message: told });
  });

  test('a resource that cannot be read says why in the words of its tool', async () => {
    const off = h.demo.faults.add({ kind: 'html', match: '/cluster/resources' });
    h.session.forget();
    await expect(client.readResource({ uri: 'proxmox://guests/100' })).rejects.toThrow(/Error \(malformed-answer\)/);
    off();
  });

  test('whatever asks the cluster is told to the log, with what it cost', async () => {
    const calls: CallRecord[] = [];
    const { server, some } = await connected({ runtime: async () => h.runtime, audit: (call) => calls.push(call) });
    h.session.forget();
    await some.listResources();
    h.session.forget();
    const argument = { name: 'guest', value: 'web' };
    await some.complete({ ref: { type: 'ref/prompt', name: 'triage_guest' }, argument });
    const off = h.demo.faults.add({ kind: 'html', match: '/cluster/resources' });
    h.session.forget();
    await some.listResources();
    off();
    // Nothing is known about releases, and nothing is asked.
    await some.complete({ ref: { type: 'ref/prompt', name: 'check_before_upgrade' }, argument: { name: 'release', value: '9' } });
    await some.listPrompts();
    await server.close();
    const lines: unknown[] = calls.map((call) => JSON.parse(auditLine(call, createScrubber([]))));
    const shared = { caller: 'local', clusters: ['demo'], as: [h.session.identity], requests: expect.any(Number) };
    expect(lines).toMatchObject([
      { ...shared, tool: 'resources/list', outcome: 'ok' },
      { ...shared, tool: 'completion/complete', args: { guest: 'web' }, outcome: 'ok' },
      { ...shared, tool: 'resources/list', outcome: 'malformed-answer' },
    ]);
    for (const call of calls) expect(call.outcome?.stats.requests).toBeGreaterThan(0);
  });
});

interface Connected {
  readonly server: ReturnType<typeof createMcpServer>;
  readonly some: Client;
}

async function connected(parts: Parameters<typeof createMcpServer>[0]): Promise<Connected> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = createMcpServer(parts);
  await server.connect(far);
  const some = new Client({ name: 'test', version: '1' });
  await some.connect(near);
  return { server, some };
}

describe('a fault of this program', () => {
  test.each<[string, (client: Client) => Promise<unknown>]>([
    ['tools/list', (some) => some.listTools()],
    ['tools/call', (some) => some.callTool({ name: 'list_guests', arguments: {} })],
    ['resources/list', (some) => some.listResources()],
    ['resources/templates/list', (some) => some.listResourceTemplates()],
    ['resources/read', (some) => some.readResource({ uri: 'proxmox://cluster' })],
    ['prompts/list', (some) => some.listPrompts()],
    ['prompts/get', (some) => some.getPrompt({ name: 'daily_health' })],
    [
      'completion/complete',
      (some) => some.complete({ ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'guest', value: '' } }),
    ],
  ])('behind %s is named as one, without its own words', async (method, ask) => {
    const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const { server, some } = await connected({ runtime: () => Promise.reject(new Error(`EACCES /srv/${method}`)) });
    const failed: unknown = await ask(some).catch((thrown: unknown) => thrown);
    await server.close();
    expect(failed).toMatchObject({ code: -32_603, message: expect.stringContaining('internal') });
    expect(String(failed)).not.toContain('EACCES');
    expect(log.mock.calls.join('')).toContain(`EACCES /srv/${method}`);
    log.mockRestore();
  });
});
