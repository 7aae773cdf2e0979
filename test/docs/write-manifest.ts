import manifest from '../../package.json' with { type: 'json' };
import { catalog } from '../../src/tools/catalog.ts';

/** An optional value that was left empty reaches the server as an empty variable, which counts as not set. */
const EMPTY = '';

/** packaging/mcpb/manifest.json: the bundle that Claude Desktop and others install with a click. */
export function mcpbManifest(): unknown {
  return {
    manifest_version: '0.3',
    name: manifest.name,
    display_name: 'Proxmox VE (read-only)',
    version: manifest.version,
    description: manifest.description,
    long_description:
      'Ask what runs where, what is broken, what is not backed up, who can reach what, and when it is full. It can look, and can do nothing else: only GET requests leave the program, secrets are hidden, and an API token with the role PVEAuditor is enough.',
    author: { name: 'mcp-proxmox contributors', url: 'https://github.com/mcp-proxmox/mcp-proxmox' },
    repository: { type: 'git', url: 'https://github.com/mcp-proxmox/mcp-proxmox.git' },
    homepage: manifest.homepage,
    documentation: 'https://github.com/mcp-proxmox/mcp-proxmox/blob/main/SETUP.md',
    support: manifest.bugs,
    license: manifest.license,
    keywords: manifest.keywords,
    server: {
      type: 'node',
      entry_point: 'server/mcp-proxmox.mjs',
      mcp_config: {
        command: 'node',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the host fills these in, not this program
        args: ['${__dirname}/server/mcp-proxmox.mjs'],
        env: Object.fromEntries(VALUES.map(({ variable, key }) => [variable, `\${user_config.${key}}`])),
      },
    },
    // All there are; those of the opt-in toolsets come when the setting says so.
    tools: catalog.map(({ name, description }) => ({ name, description })),
    tools_generated: false,
    prompts_generated: true,
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: manifest.engines.node } },
    user_config: Object.fromEntries(VALUES.map(({ key, variable: _, ...rest }) => [key, rest])),
  };
}

const VALUES = [
  {
    key: 'url',
    variable: 'PROXMOX_URL',
    type: 'string',
    title: 'Proxmox VE URL',
    description: 'https://pve1.example.com:8006; several nodes of one cluster separated by commas',
    required: true,
  },
  {
    key: 'token_id',
    variable: 'PROXMOX_TOKEN_ID',
    type: 'string',
    title: 'API token id',
    description: 'mcp@pve!assistant; give it the role PVEAuditor on / and nothing more',
    required: true,
  },
  {
    key: 'token_secret',
    variable: 'PROXMOX_TOKEN_SECRET',
    type: 'string',
    title: 'API token secret',
    description: 'The UUID that Proxmox VE shows once',
    sensitive: true,
    required: true,
  },
  {
    key: 'fingerprint',
    variable: 'PROXMOX_TLS_FINGERPRINT',
    type: 'string',
    title: 'SHA-256 of the certificate',
    description: "Of each node's certificate, separated by commas; leave it empty with a CA file or a public certificate",
    required: false,
    default: EMPTY,
  },
  {
    key: 'ca_file',
    variable: 'PROXMOX_CA_FILE',
    type: 'string',
    title: 'CA file',
    description: 'Path of a copy of /etc/pve/pve-root-ca.pem, in place of the fingerprint',
    required: false,
    default: EMPTY,
  },
  {
    key: 'toolsets',
    variable: 'PROXMOX_TOOLSETS',
    type: 'string',
    title: 'Toolsets',
    description: 'default, or more: default,logs,ceph,sdn,hardware,maintenance, or all',
    required: false,
    default: 'default',
  },
] as const;
