import { describe, expect, it } from 'vitest';
import { CLIENTS } from './clients.ts';
import { lineDiff } from './diff.ts';
import { type ClientPiece, clientPiece, type EntryOptions } from './entry.ts';
import { appendJsonc, parseJsonc, setJsonc } from './jsonc-edit.ts';
import { mergeClientFile } from './merge.ts';

const OPTIONS: EntryOptions = {
  name: 'proxmox',
  launch: { command: 'npx', args: ['-y', 'mcp-proxmox'] },
  windows: false,
  demo: true,
  secretBy: 'file',
  envFile: '~/x.env',
  toolsets: undefined,
  values: {},
};

function merge(
  id: string,
  text: string | undefined,
  options: Partial<EntryOptions> = {},
): { text: string; change: string; piece: ClientPiece } {
  const client = CLIENTS.find((c) => c.id === id);
  if (client === undefined) throw new Error(`no client ${id}`);
  const piece = clientPiece(client, { ...OPTIONS, ...options });
  const merged = mergeClientFile(client, piece, text);
  if (!merged.ok) throw new Error(merged.why);
  return { ...merged, piece };
}

describe('JSON files', () => {
  const text = [
    '// my settings',
    '{',
    '    "theme": "dark", // of course',
    '    "mcpServers": {',
    '        "files": { "command": "x", "env": { "API_KEY": "sk-123" } }, /* keep */',
    '    },',
    '    "n": 1.50,',
    '}',
    '',
  ].join('\n');

  it('keeps comments, order, indentation, trailing commas and numbers as written', () => {
    const { text: merged, change } = merge('gemini', text);
    expect(change).toBe('added');
    expect(merged).toBe(
      text.replace(
        '/* keep */\n',
        [
          '/* keep */',
          '        "proxmox": {',
          '            "command": "npx",',
          '            "args": [',
          '                "-y",',
          '                "mcp-proxmox",',
          '                "--demo"',
          '            ]',
          '        }',
          '',
        ].join('\n'),
      ),
    );
  });

  it('changes nothing the second time', () => {
    const once = merge('gemini', text).text;
    expect(merge('gemini', once)).toMatchObject({ change: 'none', text: once });
  });

  it('replaces an entry of the same name, and only that', () => {
    const once = merge('gemini', text).text;
    const { text: twice, change } = merge('gemini', once, { demo: false });
    expect(change).toBe('replaced');
    expect(twice).toContain('"~/x.env"');
    expect(twice).not.toContain('--demo');
    expect(twice).toContain('"files": { "command": "x"');
  });

  it.each([
    ['no file', undefined],
    ['an empty file', ' \n'],
    ['an empty object', '{}'],
    ['an object with a comment only', '{ // nothing yet\n}'],
    ['no servers yet', '{"a": 1}'],
    ['an empty list of servers', '{"mcpServers": {}}'],
    ['a byte order mark', '\uFEFF{"a": 1}'],
    ['the same key twice, of which the last one counts', '{"mcpServers": {"a": 1}, "mcpServers": {"b": 2}}'],
  ])('%s', (_, before) => {
    const { text: after, piece } = merge('cursor', before);
    const value = parseJsonc(after);
    expect(value).toMatchObject({ mcpServers: { proxmox: piece.entry } });
    expect(after.endsWith('}') || after.endsWith('}\n')).toBe(true);
  });

  it('keeps Windows line ends', () => {
    const { text: merged } = merge('cursor', '{\r\n\t"mcpServers": {\r\n\t\t"a": {}\r\n\t}\r\n}\r\n');
    expect(merged.replaceAll('\r\n', '')).not.toContain('\n');
    expect(merged).toContain('\r\n\t\t"proxmox": {\r\n\t\t\t"command"');
  });

  it('VS Code: inputs are added once', () => {
    const { text: merged } = merge('vscode', '{"inputs": [{"id": "proxmox-url"}], "servers": {}}', {
      demo: false,
      secretBy: 'prompt',
    });
    expect(parseJsonc(merged)).toMatchObject({
      inputs: [{ id: 'proxmox-url' }, { id: 'proxmox-token-id' }, { id: 'proxmox-token-secret', password: true }],
    });
    expect(merge('vscode', merged, { demo: false, secretBy: 'prompt' }).change).toBe('none');
  });

  it.each([
    ['no JSON', '{ "a": }', 'line 1 is not JSON'],
    ['an end too early', '{\n"a": 1', 'line 2 is not JSON: the file ends too early'],
    ['a list', '[]', 'the file is not an object'],
    ['servers that are no object', '{"mcpServers": []}', 'mcpServers is not an object'],
    ['something behind', '{} {}', 'line 1 is not JSON'],
    ['a number that is none', '{"a": 1.2.3}', 'line 1 is not JSON'],
  ])('refuses %s', (_, before, why) => {
    expect(() => merge('cursor', before)).toThrow(why);
  });

  it('sets and appends anywhere', () => {
    expect(setJsonc('{"a":{"b":[1]}}', ['a', 'b'], 2)).toBe('{"a":{"b":2}}');
    expect(appendJsonc('{"a":{"b":[1]}}', ['a', 'b'], 2)).toBe('{"a":{"b":[\n  1,\n  2\n]}}');
    expect(parseJsonc('{"__proto__": {"x": 1}, "y": "\\u00e9 // no comment"}')).toEqual(
      JSON.parse('{"__proto__": {"x": 1}, "y": "é // no comment"}'),
    );
  });
});

describe('TOML files', () => {
  const text = [
    'model = "x" # [mcp_servers.proxmox]',
    'notes = """',
    '[mcp_servers.proxmox]',
    '"""',
    '',
    '[mcp_servers.files]',
    'command = "f"',
    '',
    '# mine',
    "[mcp_servers.'proxmox']",
    'command = "old"',
    '[ mcp_servers . proxmox . env ]',
    'A = "1"',
    '',
    '# of the next',
    '[tui]',
    'theme = "dark"',
    '',
  ].join('\n');
  const mine = '[mcp_servers.proxmox]\ncommand = "npx"\nargs = ["-y", "mcp-proxmox", "--demo"]';

  it('replaces the tables of the server, and only those', () => {
    const { text: merged, change } = merge('codex', text);
    expect(change).toBe('replaced');
    expect(merged).toBe(text.replace(/\[mcp_servers\.'proxmox'\][\s\S]*A = "1"/, mine));
    expect(merge('codex', merged).change).toBe('none');
  });

  it('adds them at the end', () => {
    const { text: merged, change } = merge('codex', 'model = "x"\r\n\r\n');
    expect(change).toBe('added');
    expect(merged).toBe(`model = "x"\r\n\r\n${mine.replaceAll('\n', '\r\n')}\r\n`);
    expect(merge('codex', '').text).toBe(`${mine}\n`);
  });

  it.each([
    ['an inline table', 'mcp_servers = { proxmox = { command = "x" } }'],
    ['dotted keys', 'mcp_servers.proxmox.command = "x"'],
    ['a key of the parent', '[mcp_servers]\nproxmox = { command = "x" }'],
  ])('refuses %s', (_, before) => {
    expect(() => merge('codex', before)).toThrow(/defines mcp_servers.* without a table of its own/);
  });
});

describe('lineDiff', () => {
  it('shows what changes, without the secrets around it', () => {
    const before = '{\n  "a": {\n    "API_KEY": "sk-123",\n    "TOKEN": "${TOKEN}"\n  }\n}\n';
    const after = setJsonc(before, ['b'], 1);
    const lines = lineDiff(before, after);
    expect(lines).toEqual([
      '  ...',
      '    "a": {',
      '      "API_KEY": "***",',
      '      "TOKEN": "${TOKEN}"',
      '-   }',
      '+   },',
      '+   "b": 1',
      '  }',
    ]);
    expect(lineDiff(after, after)).toEqual([]);
    expect(lineDiff('', 'a\n')).toEqual(['+ a']);
  });
});
