import { catalog } from '../../src/tools/catalog.ts';
import type { Tool } from '../../src/tools/define-tool.ts';

/** A tool of the catalogue. */
export function toolNamed(name: string): Tool {
  const tool = catalog.find((t) => t.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
}
