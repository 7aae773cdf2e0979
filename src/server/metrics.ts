/** Counters of the HTTP server in the text format that Prometheus reads. No name of a caller, guest or node is in them. */
import { type CallRecord, outcomeOf } from './audit-log.ts';

/** Upper bounds of the classes of a call's duration, in seconds. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20] as const;

export interface Metrics {
  /** A tool call has ended. */
  call(call: CallRecord): void;
  /** A request to the MCP endpoint was answered. */
  answered(status: number): void;
  /** A request was turned away before it reached MCP: `host`, `origin`, `unauthenticated`, `rate`, ... */
  refused(reason: string): void;
  /** Requests under way changed by one. */
  inFlight(change: 1 | -1): void;
  /** Everything so far, as text. */
  render(): string;
}

interface Durations {
  readonly buckets: number[];
  sum: number;
  count: number;
}

export function createMetrics(): Metrics {
  const calls = new Map<string, number>();
  const upstream = new Map<string, number>();
  const answers = new Map<string, number>();
  const refusals = new Map<string, number>();
  const durations = new Map<string, Durations>();
  let underWay = 0;

  const add = (counts: Map<string, number>, labels: string, by = 1): void => {
    counts.set(labels, (counts.get(labels) ?? 0) + by);
  };

  return {
    call(call) {
      // The name of a tool that is not there is the client's own text.
      const tool = call.outcome === undefined ? 'unknown' : call.tool;
      const outcome = outcomeOf(call.outcome);
      add(calls, `{tool=${quote(tool)},outcome=${quote(outcome)}}`);
      const [cluster, another] = call.outcome?.clusters ?? [];
      const where = another === undefined ? (cluster ?? 'none') : 'all';
      add(upstream, `{cluster=${quote(where)}}`, call.outcome?.stats.requests ?? 0);
      const seconds = (call.finished - call.started) / 1000;
      const entry = durations.get(tool) ?? { buckets: BUCKETS.map(() => 0), sum: 0, count: 0 };
      BUCKETS.forEach((bound, i) => {
        if (seconds <= bound) entry.buckets[i] = (entry.buckets[i] ?? 0) + 1;
      });
      entry.sum += seconds;
      entry.count += 1;
      durations.set(tool, entry);
    },
    answered: (status) => add(answers, `{status="${status}"}`),
    refused: (reason) => add(refusals, `{reason=${quote(reason)}}`),
    inFlight: (change) => {
      underWay += change;
    },
    render() {
      const lines = [
        ...family('mcp_proxmox_calls_total', 'counter', 'Tool calls by tool and outcome.', calls),
        ...family('mcp_proxmox_upstream_requests_total', 'counter', 'Requests sent to Proxmox VE.', upstream),
        ...family('mcp_proxmox_http_answers_total', 'counter', 'Answers of the MCP endpoint by status.', answers),
        ...family('mcp_proxmox_http_refused_total', 'counter', 'Requests turned away before MCP.', refusals),
        ...family('mcp_proxmox_http_in_flight', 'gauge', 'Requests under way.', new Map([['', underWay]])),
        ...family('process_resident_memory_bytes', 'gauge', 'Resident memory.', new Map([['', process.memoryUsage.rss()]])),
        ...family('process_uptime_seconds', 'gauge', 'Time since the start.', new Map([['', Math.round(process.uptime())]])),
        ...histogram('mcp_proxmox_call_duration_seconds', 'Duration of tool calls.', durations),
      ];
      return `${lines.join('\n')}\n`;
    },
  };
}

/** A label's value. */
function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"`;
}

function family(name: string, type: string, help: string, values: ReadonlyMap<string, number>): string[] {
  const rows = [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([labels, value]) => `${name}${labels} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...rows];
}

function histogram(name: string, help: string, byTool: ReadonlyMap<string, Durations>): string[] {
  const rows = [...byTool]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([tool, { buckets, sum, count }]) => [
      ...BUCKETS.map((bound, i) => `${name}_bucket{tool=${quote(tool)},le="${bound}"} ${buckets[i] ?? 0}`),
      `${name}_bucket{tool=${quote(tool)},le="+Inf"} ${count}`,
      `${name}_sum{tool=${quote(tool)}} ${sum.toFixed(3)}`,
      `${name}_count{tool=${quote(tool)}} ${count}`,
    ]);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...rows];
}
