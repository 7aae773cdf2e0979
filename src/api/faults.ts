import { scrubFreeText } from '../redact/scrub-text.ts';

/** A fault that every row or node meets would fill the log. */
const MAX_REPORTS = 100;
const reported = new Set<string>();

/** Tells the administrator of a fault of this program, on stderr, with its stack and without secrets; each fault once. */
export function reportFault(thrown: unknown): void {
  const told = thrown instanceof Error ? (thrown.stack ?? `${thrown.name}: ${thrown.message}`) : `thrown: ${String(thrown)}`;
  if (reported.has(told) || reported.size >= MAX_REPORTS) return;
  reported.add(told);
  process.stderr.write(`mcp-proxmox: internal fault, please report it: ${scrubFreeText(told).text}\n`);
}
