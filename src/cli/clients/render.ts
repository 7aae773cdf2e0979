import type { ClientDefinition } from './clients.ts';
import type { ClientPiece, ServerEntry } from './entry.ts';

/** A client's whole configuration file with this server alone, with a line feed at its end. */
export function renderFile(client: ClientDefinition, piece: ClientPiece): string {
  return client.format === 'toml'
    ? renderToml(client.root, piece)
    : `${JSON.stringify(documentOf(client, piece), undefined, 2)}\n`;
}

function documentOf(client: ClientDefinition, { name, entry, inputs }: ClientPiece): unknown {
  return { ...(inputs.length === 0 ? {} : { inputs }), [client.root]: { [name]: entry } };
}

/** The tables of one server, for Codex. */
export function renderToml(root: string, { name, entry }: Pick<ClientPiece, 'name' | 'entry'>): string {
  const { env, env_vars: names, command, args }: ServerEntry = entry;
  const table = `${root}.${tomlKey(name)}`;
  const lines = [`[${table}]`, `command = ${tomlString(command)}`, `args = ${tomlList(args)}`];
  if (names !== undefined) lines.push(`env_vars = ${tomlList(names)}`);
  if (env !== undefined && Object.keys(env).length > 0) {
    lines.push('', `[${table}.env]`, ...Object.entries(env).map(([key, value]) => `${tomlKey(key)} = ${tomlString(value)}`));
  }
  return `${lines.join('\n')}\n`;
}

function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : tomlString(key);
}

/** JSON's escapes are TOML's, but for DEL, which TOML wants escaped too. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

function tomlList(items: readonly string[]): string {
  return `[${items.map(tomlString).join(', ')}]`;
}
