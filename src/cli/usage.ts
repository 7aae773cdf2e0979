/** Help of the server itself; the commands have their own. */
export const SERVE_USAGE = `mcp-proxmox - read-only MCP server for Proxmox VE

Usage: mcp-proxmox [serve] [flags]     serve one MCP client over stdin and stdout
       mcp-proxmox serve --http ...    serve a team over HTTP
       mcp-proxmox <command> --help    demo, setup, check, client-config, call, tools, completion, http-token

Flags:
  --demo              serve an embedded cluster; needs no settings
  --toolsets LIST     comma-separated: default, all, or names (see docs)
  --output FORM       text (default) or structured
  --structured        the same as --output structured
  --settings PATH     read settings from this file; no other file is ever read (or --env-file)
  --config PATH       JSON file with one or more clusters
  --audit-log PATH    one JSON line a call; - is standard error, the default with --http
  --version, --help

With --http [HOST:PORT] (127.0.0.1:8765), at /mcp; who may ask must be said by one of:
  --auth-file FILE            callers and hashes of their tokens (mcp-proxmox http-token), reloaded on change
  --trust-proxy-header NAME   the caller's name, from a proxy at --trusted-proxy ADDRESS (this machine)
  --no-auth                   nothing; on a loopback address only
and, where needed:
  --allowed-host NAME, --allowed-origin ORIGIN, --tls-cert FILE --tls-key FILE
  --caller-proxmox-token      callers may send their own Proxmox token (X-Proxmox-Token)
  --rate-limit N              requests a minute for each caller (600); --max-concurrent N at a time (32)
  --metrics [HOST:PORT]       Prometheus metrics at /metrics, on a loopback address (127.0.0.1:9765)

Settings (environment): PROXMOX_URL, PROXMOX_TOKEN_ID, PROXMOX_TOKEN_SECRET or PROXMOX_TOKEN_SECRET_FILE,
  PROXMOX_CA_FILE, PROXMOX_TLS_FINGERPRINT, PROXMOX_TLS_SERVERNAME, PROXMOX_VERIFY_TLS, PROXMOX_TIMEOUT,
  PROXMOX_TOOLSETS, PROXMOX_OUTPUT, PROXMOX_MAX_ANSWER_CHARS, PROXMOX_CONFIG
`;
