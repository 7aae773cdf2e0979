/** Help of the server itself; the commands have their own. */
export const SERVE_USAGE = `mcp-proxmox - read-only MCP server for Proxmox VE

Usage: mcp-proxmox [serve] [flags]     serve one MCP client over stdin and stdout
       mcp-proxmox <command> --help    demo, check

Flags:
  --demo              serve an embedded cluster; needs no settings
  --toolsets LIST     comma-separated: default, all, or names (see docs)
  --output FORM       text (default) or structured
  --structured        the same as --output structured
  --env-file PATH     read settings from this file; no other file is ever read
  --config PATH       JSON file with one or more clusters
  --version, --help

Settings (environment): PROXMOX_URL, PROXMOX_TOKEN_ID, PROXMOX_TOKEN_SECRET or PROXMOX_TOKEN_SECRET_FILE,
  PROXMOX_CA_FILE, PROXMOX_TLS_FINGERPRINT, PROXMOX_TLS_SERVERNAME, PROXMOX_VERIFY_TLS, PROXMOX_TIMEOUT,
  PROXMOX_TOOLSETS, PROXMOX_OUTPUT, PROXMOX_MAX_ANSWER_CHARS, PROXMOX_CONFIG
`;
