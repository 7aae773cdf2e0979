import type { Tool } from '../../tools/define-tool.ts';
import { hangingColumns, wrapWords } from '../terminal.ts';
import { parametersOf } from './tool-words.ts';

/** What a tool answers and takes, for a terminal. */
export function toolHelp(tool: Tool, width: number): string {
  const rows = parametersOf(tool).map(({ flag, type, values, required, description }) => {
    const shape = values.length > 0 ? values.join('|') : type === 'list' ? 'A,B' : 'VALUE';
    return [
      `  ${type === 'boolean' ? flag : `${flag} ${values.length > 4 ? 'VALUE' : shape}`}`,
      [description, values.length > 4 ? values.join(', ') : '', required ? '(required)' : '']
        .filter((part) => part !== '')
        .join(' '),
    ];
  });
  const lines = [
    `Usage: mcp-proxmox call ${tool.name} [--param value ... | --json '{...}']`,
    '',
    ...wrapWords(tool.description, width),
    '',
    'Parameters:',
    ...hangingColumns(rows, width).flat(),
    '',
    'mcp-proxmox call --help shows the other flags.',
  ];
  return `${lines.join('\n')}\n`;
}
