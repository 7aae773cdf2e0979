/**
 * FIELD T25, T27: what clients are shown. Names, titles, descriptions and schemas of all tools are golden-filed, so that
 * a change is seen and meant (`UPDATE_GOLDEN=1 npx vitest run test/golden` writes the file); the weight of the list in
 * tokens is bounded, since every conversation pays for it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFAULT_TOOLSETS, TOOLSETS } from '../../src/config/toolsets.ts';
import { instructionsFor } from '../../src/server/instructions.ts';
import { describeTool } from '../../src/server/tool-handlers.ts';
import { catalog, toolsOf } from '../../src/tools/catalog.ts';

const GOLDEN = new URL('./tools.json', import.meta.url);
const MAX_DEFAULT_TOKENS = 6_000;
const MAX_DEFAULT_TOOLS = 30;
const MAX_INSTRUCTIONS_BYTES = 2_048;

/** A sentence that offers to change something ("pending reboot" does not). */
const CHANGES = /(?:^|[.;:,]\s*|\b(?:and|or|to|can|will)\s+)(?:creat|delet|remov|restart|reboot|migrat|modif|start|stop|shut down|writ|set)(?:es|e|s|ies|y)?\s+(?:a|an|the|one|any|guests?|nodes?|backups?)\b/im;

const listOf = (toolsets: typeof TOOLSETS | typeof DEFAULT_TOOLSETS) =>
  toolsOf(toolsets).map((tool) => describeTool(tool, false));
/** The usual rule of thumb: four characters a token. */
const tokensOf = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4);

describe('tools/list', () => {
  it('is what the golden file holds', () => {
    const shown = {
      default: listOf(DEFAULT_TOOLSETS).map(({ name }) => name),
      tools: listOf(TOOLSETS).map(({ annotations: _, ...tool }) => tool),
    };
    const text = `${JSON.stringify(shown, null, 2)}\n`;
    if (process.env['UPDATE_GOLDEN'] !== undefined) writeFileSync(GOLDEN, text);
    expect(existsSync(GOLDEN), 'UPDATE_GOLDEN=1 npx vitest run test/golden writes the file').toBe(true);
    expect(text, 'meant? then UPDATE_GOLDEN=1 npx vitest run test/golden').toBe(readFileSync(GOLDEN, 'utf8'));
  });

  it('T27 is light enough: the default set within 6,000 tokens and 30 tools', () => {
    const [byDefault, all] = [listOf(DEFAULT_TOOLSETS), listOf(TOOLSETS)];
    const heaviest = all
      .map((tool) => ({ name: tool.name, tokens: tokensOf(tool) }))
      .sort((a, b) => b.tokens - a.tokens)
      .slice(0, 6)
      .map(({ name, tokens }) => `${name} ${tokens}`);
    process.stderr.write(
      `tools/list: default ${byDefault.length} tools, ${tokensOf(byDefault)} tokens; all ${all.length} tools, ${tokensOf(all)} tokens; heaviest: ${heaviest.join(', ')}\n`,
    );
    expect(tokensOf(byDefault)).toBeLessThanOrEqual(MAX_DEFAULT_TOKENS);
    expect(byDefault.length).toBeLessThanOrEqual(MAX_DEFAULT_TOOLS);
  });

  it('T25 every tool is annotated as reading only, and titled', () => {
    for (const tool of listOf(TOOLSETS)) {
      expect(tool.annotations, tool.name).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
      expect(tool.title?.trim(), tool.name).not.toBe('');
    }
  });

  it('names are unique, snake_case and start with a reading verb', () => {
    const names = catalog.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^(?:list|get|check|search|explain|review|compare|find)_[a-z]+(?:_[a-z]+)*$/);
  });

  it('no description speaks of changing anything, and every tool it names exists', () => {
    const names = new Set(catalog.map(({ name }) => name));
    for (const { name, description, title } of catalog) {
      expect(description.length, name).toBeLessThanOrEqual(400);
      for (const text of [description, title]) {
        expect(text, name).not.toMatch(CHANGES);
        for (const [word] of text.matchAll(/\b(?:list|get|check|search|explain|review)_[a-z_]+\b/g)) expect(names, name).toContain(word);
      }
    }
  });

  it('schemas are portable: objects without $ref, one type each, no arguments beyond the declared', () => {
    for (const { name, inputSchema } of listOf(TOOLSETS)) {
      const text = JSON.stringify(inputSchema);
      expect(inputSchema.type, name).toBe('object');
      expect(inputSchema['additionalProperties'], name).toBe(false);
      expect(text, name).not.toMatch(/"\$ref"|"type":\[|9007199254740991|"(?:anyOf|oneOf|allOf)"/);
    }
  });
});

describe('T25 instructions', () => {
  it('fit, name only tools that exist, and speak of no change', () => {
    const names = new Set(catalog.map(({ name }) => name));
    for (const clusters of [1, 2]) {
      const text = instructionsFor(clusters);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_INSTRUCTIONS_BYTES);
      for (const [word] of text.matchAll(/\b(?:list|get|check|search|explain|review)_[a-z_]+\b/g)) expect(names).toContain(word);
      expect(text).not.toMatch(CHANGES);
    }
  });

  it('speak of the cluster argument only where there is one', () => {
    expect(instructionsFor(1)).not.toMatch(/its cluster/);
    expect(instructionsFor(2)).toMatch(/needs its cluster \(search_inventory finds it\)/);
  });
});
