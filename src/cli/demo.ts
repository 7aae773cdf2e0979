import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import type { DemoCluster } from '../demo/types.ts';
import { VERSION } from '../server/version.ts';
import { clientEntry, commandLine } from './client-config.ts';
import { ownLaunch } from './configure-client.ts';
import { QUESTIONS, type Question, type ToolCall, wayOf } from './demo-questions.ts';
import { answerForTerminal, callText, tokensOf } from './demo-text.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { clip, type Paint, paintFor, widthOf } from './terminal.ts';

export interface DemoFlags {
  /** Whole answers. */
  readonly full?: boolean | undefined;
}

/** Lines of an answer that are shown without --full. */
const MAX_LINES = 24;
const INDENT = '  ';

function tell(line: string): void {
  process.stderr.write(`mcp-proxmox demo: ${line}\n`);
}

/**
 * `mcp-proxmox demo`: the embedded cluster in this process, the real server as a child process, the official client, six
 * questions. Nothing is staged: the answers go the whole way over HTTPS and MCP.
 */
export async function runDemo(flags: DemoFlags): Promise<ExitCode> {
  const script = process.argv[1];
  if (script === undefined) throw new Error('the path of this program is not known');
  tell('starting the embedded cluster; nothing of it is real');
  const { startDemoCluster } = await import('../demo/start-demo-cluster.ts');
  const demo = await startDemoCluster();
  const folder = await mkdtemp(join(tmpdir(), 'mcp-proxmox-demo-'));
  try {
    tell('starting the server and connecting to it over stdio');
    const client = await connect(script, demo, folder);
    try {
      const failed = await walk(client, demo, flags);
      process.stdout.write(goOnText(paintFor(process.stdout, process.env)));
      if (failed > 0) tell(`${failed} of ${QUESTIONS.length} answers failed`);
      return failed === 0 ? EXIT.ok : EXIT.failed;
    } finally {
      await client.close();
    }
  } finally {
    await demo.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function connect(script: string, demo: DemoCluster, folder: string): Promise<Client> {
  const [{ Client }, { getDefaultEnvironment, StdioClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/client/stdio'),
  ]);
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, demo.ca);
  const { id, secret } = demo.token('auditor');
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [script],
    // Settings of a real cluster in the environment must not leak in.
    env: {
      ...getDefaultEnvironment(),
      PROXMOX_URL: demo.url,
      PROXMOX_TOKEN_ID: id,
      PROXMOX_TOKEN_SECRET: secret,
      PROXMOX_CA_FILE: caFile,
    },
    stderr: 'inherit',
  });
  const client = new Client({ name: 'mcp-proxmox-demo', version: VERSION }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport);
  return client;
}

/** Asks the questions and prints each as soon as it is answered; returns how many failed. */
async function walk(client: Client, demo: DemoCluster, flags: DemoFlags): Promise<number> {
  const paint = paintFor(process.stdout, process.env);
  const width = widthOf(process.stdout) - INDENT.length;
  const print = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  const { tools } = await client.listTools();
  const offered = new Set(tools.map((tool) => tool.name));
  print(paint.strong(`mcp-proxmox ${VERSION} at an embedded cluster, as the token ${demo.token('auditor').id}`));
  print(paint.faint(`${tools.length} tools, about ${tokensOf(JSON.stringify(tools))} tokens in the model's context`));
  let failed = 0;
  for (const question of QUESTIONS) {
    print(paint.strong(`\n> ${question.ask}`));
    const { calls, text, isError, ms, tokens } = await answer(client, question, offered);
    for (const call of calls) print(paint.faint(INDENT + clip(call, width)));
    for (const line of answerForTerminal(text, width, flags.full === true ? undefined : MAX_LINES)) {
      print(INDENT + (isError ? paint.bad(line) : line));
    }
    print(paint.faint(`${INDENT}${ms} ms, about ${tokens} tokens`));
    if (isError) failed += 1;
  }
  return failed;
}

interface Answered {
  /** The calls that were made, as text. */
  readonly calls: readonly string[];
  /** Answer of the last one. */
  readonly text: string;
  readonly isError: boolean;
  readonly ms: number;
  /** Of all answers together. */
  readonly tokens: number;
}

async function answer(client: Client, question: Question, offered: ReadonlySet<string>): Promise<Answered> {
  const started = performance.now();
  const calls: string[] = [];
  let tokens = 0;
  const ask = async ({ tool, args }: ToolCall): Promise<{ text: string; isError: boolean }> => {
    calls.push(callText(tool, args));
    const result = await callOrFail(client, tool, args);
    const text = textOf(result);
    tokens += tokensOf(text);
    return { text, isError: result.isError === true };
  };
  const done = (last: { text: string; isError: boolean }): Answered => ({
    calls,
    ...last,
    ms: Math.round(performance.now() - started),
    tokens,
  });
  const way = wayOf(question, offered);
  if (way === undefined) return done({ text: 'The server offers no tool for this.', isError: true });
  if (way.after === undefined) return done(await ask(way));
  const first = await ask(way.after);
  const found = way.after.pick.exec(first.text)?.[0];
  // Without what the next call needs, the first answer is the answer; it is no success.
  if (first.isError || found === undefined) return done({ text: first.text, isError: true });
  return done(await ask({ tool: way.tool, args: { ...way.args, [way.after.as]: found } }));
}

/** A protocol error (an unknown tool, a server that died) is an answer that failed, too. */
async function callOrFail(client: Client, name: string, args: Readonly<Record<string, unknown>>): Promise<CallToolResult> {
  try {
    return await client.callTool({ name, arguments: { ...args } });
  } catch (thrown) {
    return { content: [{ type: 'text', text: thrown instanceof Error ? thrown.message : String(thrown) }], isError: true };
  }
}

function textOf(result: CallToolResult): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n');
}

/** How to go on: in a client of one's own with the embedded cluster, then with a real one. */
function goOnText(paint: Paint): string {
  const launch = ownLaunch();
  const envFile = join(homedir(), '.config', 'mcp-proxmox.env');
  const withFile = ['--settings', envFile];
  return [
    '',
    paint.strong('Go on in your own client, with this embedded cluster'),
    'Claude Code:',
    `  claude mcp add proxmox-demo -- ${commandLine(launch, ['--demo'])}`,
    'Claude Desktop, Cursor, Windsurf, LM Studio, Gemini CLI (mcpServers in their JSON file):',
    ...clientEntry('proxmox-demo', launch, ['--demo']).split('\n'),
    '',
    paint.strong('... or with a cluster of your own (SETUP.md: a read-only token takes a minute)'),
    `Settings, in a file that only you can read (${envFile}):`,
    '  PROXMOX_URL=https://pve1.example.com:8006',
    '  PROXMOX_TOKEN_ID=mcp@pve!assistant',
    '  PROXMOX_TOKEN_SECRET=the UUID that Proxmox VE shows once',
    '  PROXMOX_CA_FILE=/path/to/pve-root-ca.pem',
    'What does the token see, and is TLS right?',
    `  ${commandLine(launch, ['check', ...withFile])}`,
    'Claude Code:',
    `  claude mcp add proxmox -- ${commandLine(launch, withFile)}`,
    'The others:',
    ...clientEntry('proxmox', launch, withFile).split('\n'),
    '',
  ].join('\n');
}
