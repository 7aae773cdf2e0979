import type { ClientPiece } from './entry.ts';

/** Addresses that open a client and offer to add the server; for the clients that have such a thing. */
export function installLink(clientId: string, { name, entry, inputs }: ClientPiece): string | undefined {
  const server = encodeURIComponent(name);
  if (clientId === 'vscode') {
    const asked = inputs.length === 0 ? '' : `&inputs=${encodeURIComponent(JSON.stringify(inputs))}`;
    return `https://insiders.vscode.dev/redirect/mcp/install?name=${server}${asked}&config=${encodeURIComponent(JSON.stringify(entry))}`;
  }
  if (clientId === 'cursor') return `https://cursor.com/en/install-mcp?name=${server}&config=${inBase64(entry)}`;
  if (clientId === 'lm-studio') return `https://lmstudio.ai/install-mcp?name=${server}&config=${inBase64(entry)}`;
  return undefined;
}

function inBase64(value: unknown): string {
  // Plus, slash and equals sign mean something else in a query.
  return encodeURIComponent(Buffer.from(JSON.stringify(value), 'utf8').toString('base64'));
}
