import { ConfigErrors } from '../../config/config-error.ts';
import { loadSettings } from '../../config/load-settings.ts';
import { TOOLSETS } from '../../config/toolsets.ts';
import { describeTool } from '../../server/tool-handlers.ts';
import { toolsOf } from '../../tools/catalog.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hangingColumns, paintFor, widthOf } from '../terminal.ts';

export interface ToolsFlags {
  readonly json?: boolean | undefined;
  readonly toolsets?: string | undefined;
}

/** `mcp-proxmox tools`: the tools that are on. Asks no cluster and needs none configured. */
export async function runTools(flags: ToolsFlags): Promise<ExitCode> {
  try {
    const { toolsets } = await loadSettings({ env: process.env, flags: { toolsets: flags.toolsets }, clusters: new Map() });
    const tools = toolsOf(toolsets);
    if (flags.json === true) {
      const listed = tools.map((tool) => ({ toolset: tool.toolset, ...describeTool(tool, false) }));
      process.stdout.write(`${JSON.stringify(listed, undefined, 2)}\n`);
      return EXIT.ok;
    }
    const paint = paintFor(process.stdout, process.env);
    for (const toolset of toolsets) {
      const mine = tools.filter((tool) => tool.toolset === toolset);
      if (mine.length === 0) continue;
      process.stdout.write(`${paint.strong(toolset)}\n`);
      const rows = mine.map((tool) => [`  ${tool.name}`, tool.description]);
      for (const line of hangingColumns(rows, widthOf(process.stdout)).flat()) process.stdout.write(`${line}\n`);
    }
    const off = TOOLSETS.filter((name) => !toolsets.includes(name) && toolsOf([name]).length > 0);
    if (off.length > 0) process.stdout.write(paint.faint(`off: ${off.join(', ')} (--toolsets default,${off[0]} or all)\n`));
    return EXIT.ok;
  } catch (thrown) {
    if (!(thrown instanceof ConfigErrors)) throw thrown;
    process.stderr.write(`mcp-proxmox tools: ${thrown.message}\n`);
    return EXIT.usage;
  }
}
