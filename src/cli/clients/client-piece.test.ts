import { describe, expect, it } from 'vitest';
import { CLIENTS, type Place } from './clients.ts';
import { clientPiece, DEFAULT_ENV_FILE, type EntryOptions } from './entry.ts';
import { installLink } from './links.ts';
import { renderFile } from './render.ts';

const NPX: EntryOptions = {
  name: 'proxmox',
  launch: { command: 'npx', args: ['-y', 'mcp-proxmox'] },
  windows: false,
  demo: false,
  secretBy: 'file',
  envFile: DEFAULT_ENV_FILE,
  toolsets: undefined,
  values: {},
};

function client(id: string) {
  const found = CLIENTS.find((c) => c.id === id);
  if (found === undefined) throw new Error(`no client ${id}`);
  return found;
}

describe('the file of each client', () => {
  it.each(CLIENTS.map((c) => c.id))('%s, settings from the env file, and the embedded cluster on Windows', (id) => {
    expect(renderFile(client(id), clientPiece(client(id), NPX))).toMatchSnapshot('env file');
    const demo = { ...NPX, name: 'proxmox-demo', demo: true, windows: true, toolsets: 'default,logs' };
    expect(renderFile(client(id), clientPiece(client(id), demo))).toMatchSnapshot('demo on Windows');
  });

  const others = CLIENTS.flatMap((c) => c.secretBy.filter((by) => by !== 'file').map((by) => [c.id, by] as const));
  it.each(others)('%s, settings from %s', (id, secretBy) => {
    const values = { PROXMOX_URL: 'https://pve1.example.com:8006', PROXMOX_CA_FILE: '/etc/pve-root-ca.pem' };
    expect(renderFile(client(id), clientPiece(client(id), { ...NPX, secretBy }))).toMatchSnapshot();
    expect(renderFile(client(id), clientPiece(client(id), { ...NPX, secretBy, values }))).toMatchSnapshot('with values');
  });

  it('has what a client needs to start the server, and nothing that would be a secret', () => {
    for (const each of CLIENTS) {
      for (const secretBy of each.secretBy) {
        const { entry, inputs } = clientPiece(each, { ...NPX, secretBy });
        const named = Object.keys(entry.env ?? {}).concat(entry.env_vars ?? []);
        if (secretBy === 'file') expect(entry.args).toContain('--settings');
        else expect(named.sort()).toEqual(['PROXMOX_TOKEN_ID', 'PROXMOX_TOKEN_SECRET', 'PROXMOX_URL']);
        if (entry.env?.['PROXMOX_TOKEN_SECRET'] !== undefined) expect(entry.env['PROXMOX_TOKEN_SECRET']).toMatch(/^\$\{.+\}$/);
        expect(inputs.filter((i) => i.password).length).toBe(secretBy === 'prompt' ? 1 : 0);
      }
    }
  });

  it('runs npx through cmd on Windows, and a program as it is', () => {
    const windows = { ...NPX, windows: true };
    expect(clientPiece(client('cursor'), windows).entry).toMatchObject({
      command: 'cmd',
      args: ['/c', 'npx', '-y', 'mcp-proxmox', '--settings', DEFAULT_ENV_FILE],
    });
    const launch = { command: 'node', args: ['C:\\src\\mcp-proxmox.mjs'] };
    expect(clientPiece(client('cursor'), { ...windows, launch }).entry.command).toBe('node');
    expect(renderFile(client('codex'), clientPiece(client('codex'), { ...windows, launch }))).toContain(
      '"C:\\\\src\\\\mcp-proxmox.mjs"',
    );
  });
});

describe('where the files are', () => {
  const linux: Place = { platform: 'linux', home: '/home/a', cwd: '/project', env: {} };
  const mac: Place = { platform: 'darwin', home: '/Users/a', cwd: '/project', env: {} };
  const windows: Place = {
    platform: 'win32',
    home: 'C:\\Users\\a',
    cwd: 'C:\\project',
    env: { APPDATA: 'C:\\Users\\a\\AppData\\Roaming' },
  };

  it('on each system', () => {
    const table = CLIENTS.map((c) => [c.id, c.file(linux), c.file(mac), c.file(windows)]);
    expect(table).toMatchSnapshot();
  });

  it('follows XDG_CONFIG_HOME and CODEX_HOME', () => {
    expect(client('zed').file({ ...linux, env: { XDG_CONFIG_HOME: '/cfg' } })).toBe('/cfg/zed/settings.json');
    expect(client('codex').file({ ...linux, env: { CODEX_HOME: '/cx' } })).toBe('/cx/config.toml');
  });
});

describe('install links', () => {
  it('hold the entry, readable by the client', () => {
    const piece = clientPiece(client('cursor'), { ...NPX, name: 'a b', demo: true });
    for (const id of ['cursor', 'lm-studio']) {
      const link = new URL(installLink(id, piece) ?? '');
      expect(link.searchParams.get('name')).toBe('a b');
      expect(JSON.parse(Buffer.from(link.searchParams.get('config') ?? '', 'base64').toString('utf8'))).toEqual(piece.entry);
    }
    const asking = clientPiece(client('vscode'), { ...NPX, secretBy: 'prompt' });
    const link = new URL(installLink('vscode', asking) ?? '');
    expect(JSON.parse(link.searchParams.get('config') ?? '')).toEqual(asking.entry);
    expect(JSON.parse(link.searchParams.get('inputs') ?? '')).toEqual(asking.inputs);
    expect(installLink('zed', piece)).toBeUndefined();
  });
});
