import { z } from 'zod';
import { endpointSpec, type Need } from '../../src/api/endpoints.ts';
import { DEFAULT_TOOLSETS, TOOLSETS } from '../../src/config/toolsets.ts';
import type { Tool } from '../../src/tools/define-tool.ts';

const NOTE = '<!-- Generated: `npm run docs` writes this page from the catalogue, and a test compares it. -->';

/** What a page shows of a tool besides its declaration. */
export interface Shown {
  readonly args: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly requests: number;
  /** Named when the answer is not the PVEAuditor token's. */
  readonly token?: string | undefined;
}

/** docs/tools/NAME.md: what the tool answers, its parameters, what it reads, and a real answer of the embedded cluster. */
export function toolPage(tool: Tool, shown: readonly Shown[]): string {
  const optIn = !DEFAULT_TOOLSETS.some((name) => name === tool.toolset);
  const lines = [
    NOTE,
    `# ${tool.name}`,
    '',
    `${tool.description}`,
    '',
    `Toolset: \`${tool.toolset}\`${optIn ? ` (opt-in: \`PROXMOX_TOOLSETS=default,${tool.toolset}\`)` : ''}`,
    '',
    '## Parameters',
    '',
    ...parameters(tool),
    '',
    '## Reads',
    '',
    '| endpoint | needs | rows or figures left out without |',
    '| --- | --- | --- |',
    ...tool.reads.map((path) => {
      const spec = endpointSpec(path);
      return `| \`${path}\` | ${needText(spec.needs)}${spec.since === undefined ? '' : ` (from ${spec.since})`} | ${spec.rows ?? ''} |`;
    }),
  ];
  for (const { args, text, requests, token } of shown) {
    lines.push(
      '',
      `## Answer of the embedded cluster to \`${JSON.stringify(args)}\` (${requests} requests${token === undefined ? '' : `, token "${token}"`})`,
      '',
      '```text',
      stable(text),
      '```',
    );
  }
  return `${lines.join('\n')}\n`;
}

function parameters(tool: Tool): string[] {
  const { properties = {}, required = [] } = z.toJSONSchema(tool.schema, { io: 'input' });
  const rows = Object.entries(properties).map(([name, schema]) => {
    const s = typeof schema === 'object' ? schema : {};
    const items = typeof s.items === 'object' && !Array.isArray(s.items) ? s.items : undefined;
    const values = s.enum ?? items?.enum;
    const type = values === undefined ? (s.type ?? '') : values.map((v) => `\`${String(v)}\``).join(', ');
    return `| \`${name}\` | ${items === undefined ? type : `list of ${values === undefined ? items.type : type}`} | ${required.includes(name) ? 'required' : ''} | ${s.description ?? ''} |`;
  });
  return rows.length === 0 ? ['None.'] : ['| name | values | | meaning |', '| --- | --- | --- | --- |', ...rows];
}

export function needText(needs: Need | 'any-user'): string {
  if (needs === 'any-user') return 'any valid token';
  return `${(needs.any ?? []).join(' or ')}${(needs.all ?? []).join(' and ')} on \`${needs.on}\``;
}

/** Random tags and identity hashes differ with every run; in the docs they would only be noise. */
function stable(text: string): string {
  return text.replace(/(<\/?upstream-text)-[0-9a-f]+/g, '$1-tag').replace(/cursor="[^"]+"/g, 'cursor="..."');
}

/** docs/tools/README.md: the catalogue at a glance. */
export function toolIndex(tools: readonly Tool[]): string {
  const lines = [NOTE, '# Tools', '', 'One page a tool, each with a real answer of the embedded cluster.', ''];
  for (const toolset of TOOLSETS) {
    const mine = tools.filter((t) => t.toolset === toolset);
    if (mine.length === 0) continue;
    const optIn = !DEFAULT_TOOLSETS.some((name) => name === toolset);
    lines.push(
      `## ${toolset}${optIn ? ' (opt-in)' : ''}`,
      '',
      '| tool | answers |',
      '| --- | --- |',
      ...mine.map((t) => `| [${t.name}](${t.name}.md) | ${t.description} |`),
      '',
    );
  }
  return lines.join('\n');
}

/** docs/permissions.md: which privilege each tool needs, from the allow-list. */
export function permissionsPage(tools: readonly Tool[]): string {
  const lines = [
    NOTE,
    '# Permissions',
    '',
    'The role PVEAuditor on `/` is enough for every answer of the default toolsets; what a weaker token does not see is named in',
    'each answer as `Hidden:` or `Problem:`. `mcp-proxmox check` and the tool `check_token_access` tell what your token lacks.',
    '',
    '| tool | privileges (any valid token where none is named) |',
    '| --- | --- |',
  ];
  for (const tool of tools) {
    const needs = new Set(
      tool.reads
        .map((path) => endpointSpec(path).needs)
        .filter((n) => n !== 'any-user')
        .map(needText),
    );
    const rows = new Set(
      tool.reads.flatMap((path) => (endpointSpec(path).rows === undefined ? [] : [`rows: ${endpointSpec(path).rows}`])),
    );
    lines.push(`| ${tool.name} | ${[...needs, ...rows].join('<br>')} |`);
  }
  return `${lines.join('\n')}\n`;
}
