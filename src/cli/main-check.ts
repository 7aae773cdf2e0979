#!/usr/bin/env node
import { runCommand } from './commands.ts';

// `mcp-proxmox-check` is `mcp-proxmox check` under its old name.
process.exitCode = await runCommand(['check', ...process.argv.slice(2)]);
