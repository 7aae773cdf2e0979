import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import manifest from '../../package.json' with { type: 'json' };

/** Starts a server the way a client would, says who is there, and asks one question of the embedded cluster. */
export async function talkTo(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const client = new Client({ name: 'packaging-test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StdioClientTransport({ command, args: [...args], env: { PATH: process.env['PATH'] ?? '', ...env } }));
  try {
    const { tools } = await client.listTools();
    const version = client.getServerVersion()?.version;
    if (version !== manifest.version) throw new Error(`it says it is ${version}`);
    if (!tools.some((tool) => tool.name === 'list_nodes')) throw new Error('it has no list_nodes');
    const { content, isError } = await client.callTool({ name: 'list_nodes', arguments: {} });
    const [block] = content;
    if (isError === true || block?.type !== 'text') throw new Error(`no answer: ${JSON.stringify(content)}`);
    return block.text;
  } finally {
    await client.close();
  }
}
