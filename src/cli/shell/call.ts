import { ConfigErrors } from '../../config/config-error.ts';
import { closest } from '../../config/suggest.ts';
import { scopeRuntime } from '../../server/caller.ts';
import { dispatch } from '../../server/dispatch.ts';
import { createRuntime } from '../../server/runtime.ts';
import { catalog, toolsOf } from '../../tools/catalog.ts';
import type { Tool } from '../../tools/define-tool.ts';
import { columnsOf } from '../demo-text.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openSettings } from '../open-settings.ts';
import { widthOf } from '../terminal.ts';
import { progressLine } from './progress.ts';
import { toolHelp } from './tool-help.ts';
import { type CallWords, readCallWords, WordError } from './tool-words.ts';

function tell(line: string): void {
  process.stderr.write(`mcp-proxmox call: ${line}\n`);
}

/**
 * `mcp-proxmox call <tool> [--param value ... | --json '{...}']`: one tool call from a shell. Standard output is the answer an MCP
 * client would get; errors and progress go to standard error.
 */
export async function runCall(words: readonly string[]): Promise<ExitCode> {
  try {
    const typed = readCallWords(words, findTool);
    if (typed.tool === undefined) {
      if (typed.flags.help !== undefined) process.stdout.write(`${USAGE}\n`);
      else tell('name the tool; mcp-proxmox tools lists them');
      return typed.flags.help === undefined ? EXIT.usage : EXIT.ok;
    }
    const tool = findTool(typed.tool);
    if (typed.flags.help !== undefined) {
      process.stdout.write(toolHelp(tool, widthOf(process.stdout)));
      return EXIT.ok;
    }
    return await ask(tool, typed);
  } catch (thrown) {
    if (!(thrown instanceof WordError || thrown instanceof ConfigErrors)) throw thrown;
    tell(thrown.message);
    return EXIT.usage;
  }
}

export const USAGE = `Usage: mcp-proxmox call <tool> [--param value ... | --json '{...}'] [flags]

mcp-proxmox tools               lists the tools
mcp-proxmox call <tool> --help  shows what a tool takes

Flags:
  --json JSON        all parameters as one JSON object; - reads it from standard input
  --demo             ask an embedded cluster; needs no settings
  --output FORM      text (default) or json
  --toolsets LIST    comma-separated: default, all, or names
  --settings PATH    read settings from this file (or --env-file)
  --config PATH      JSON file with one or more clusters

Exit codes: 0 answered; 1 the tool failed; 2 wrong arguments or settings; 3 no answer, or the token is refused.`;

function findTool(name: string): Tool {
  const wanted = name.replaceAll('-', '_').toLowerCase();
  const tool = catalog.find((t) => t.name === wanted);
  if (tool !== undefined) return tool;
  const near = closest(
    wanted,
    catalog.map((t) => t.name),
  );
  throw new WordError(
    `there is no tool ${JSON.stringify(name.slice(0, 60))}; ${near === undefined ? 'mcp-proxmox tools lists them' : `did you mean ${near}?`}`,
  );
}

async function ask(tool: Tool, { flags, params }: CallWords): Promise<ExitCode> {
  const { output = 'text' } = flags;
  if (output !== 'text' && output !== 'json') throw new WordError('--output is text or json');
  const args = flags.json === undefined ? params : await argumentsFromJson(flags.json, params);
  const given = {
    toolsets: flags.toolsets,
    output: output === 'json' ? 'structured' : 'text',
    envFile: flags.settings ?? flags['env-file'],
    config: flags.config,
  };
  const opened = await openSettings(given, flags.demo === undefined ? undefined : 'auditor');
  const { settings } = opened;
  try {
    for (const warning of settings.warnings) tell(`warning: ${warning}`);
    if (!toolsOf(settings.toolsets).includes(tool)) {
      tell(`${tool.name} belongs to the toolset ${tool.toolset}, which is off; add --toolsets default,${tool.toolset}`);
      return EXIT.usage;
    }
    const runtime = createRuntime(settings);
    const interrupted = new AbortController();
    const interrupt = (): void => interrupted.abort();
    process.once('SIGINT', interrupt);
    const progress = progressLine(process.stderr);
    try {
      const outcome = await dispatch(tool, args, scopeRuntime(runtime, { name: 'shell' }), {
        form: settings.output,
        maxChars: settings.maxAnswerChars,
        signal: interrupted.signal,
        progress: progress.report,
        configured: settings.clusters.size,
      });
      progress.end();
      if (outcome.isError) {
        process.stderr.write(`${outcome.text}\n`);
        return exitOf(outcome.errorKind);
      }
      process.stdout.write(`${forOutput(outcome.text, outcome.structured)}\n`);
      return EXIT.ok;
    } finally {
      process.off('SIGINT', interrupt);
      await runtime.close();
    }
  } finally {
    await opened.close();
  }
}

/** A terminal gets columns; anything else gets the answer as it is. */
function forOutput(text: string, structured: Readonly<Record<string, unknown>> | undefined): string {
  if (structured !== undefined) return JSON.stringify(structured, undefined, 2);
  return process.stdout.isTTY === true ? columnsOf(text).join('\n') : text;
}

async function argumentsFromJson(given: string, params: CallWords['params']): Promise<unknown> {
  if (Object.keys(params).length > 0) throw new WordError('--json holds all parameters; leave the others out');
  const text = given === '-' ? await readStandardInput() : given;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Told below, in words for both: the engine's own would repeat a piece of the text.
  }
  throw new WordError('--json is not a JSON object, such as \'{"vmid": 100}\'');
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

const UNREACHABLE = new Set(['unauthenticated', 'unreachable', 'tls']);

/** Exit code for the kind of a tool's error. */
export function exitOf(kind: string | undefined): ExitCode {
  if (kind === 'bad-argument') return EXIT.usage;
  return kind !== undefined && UNREACHABLE.has(kind) ? EXIT.unreachable : EXIT.failed;
}
