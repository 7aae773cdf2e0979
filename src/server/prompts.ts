import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';
import { ApiError } from '../api/errors.ts';
import { toolsOf } from '../tools/catalog.ts';
import type { Runtime } from './runtime.ts';

/** A ready-made question. It names tools that exist, and is offered only when all of them are switched on. */
interface PromptDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  readonly uses: readonly string[];
  text(args: Readonly<Record<string, string>>): string;
}

const HONESTY =
  'Repeat every "Problem:" and "Hidden:" line that bears on the result in your own words: what could not be seen is not absent. Propose commands as text for a person to run; nothing here can change anything.';

const PROMPTS: readonly PromptDefinition[] = [
  {
    name: 'daily_health',
    title: 'Daily health',
    description: 'What is wrong in the cluster today, most urgent first',
    arguments: [],
    uses: ['get_cluster_overview', 'check_health', 'list_recent_tasks', 'check_backup_coverage'],
    text: () =>
      `Give me this morning's state of the Proxmox VE cluster. Call get_cluster_overview, check_health, list_recent_tasks with state "problem" and since "24h", and check_backup_coverage. Then write: one sentence on the overall state; what needs action today, most urgent first, each with its evidence; what to watch; what could not be seen. Keep it to one page. ${HONESTY}`,
  },
  {
    name: 'triage_guest',
    title: 'Incident triage for a guest',
    description: 'Why a virtual machine or container misbehaves',
    arguments: [{ name: 'guest', description: 'vmid or name', required: true }],
    uses: ['get_guest', 'list_recent_tasks', 'get_task', 'get_metrics', 'get_node_status'],
    text: ({ guest = '' }) =>
      `Guest ${quoted(guest)} has a problem. Call get_guest for it. Look at its recent tasks with list_recent_tasks and open failed ones with get_task. Compare its load over the last day with get_metrics, and look at its node with get_node_status. Then say what most likely happened, what supports and what contradicts it, and what to check next inside the guest, which you can't see. ${HONESTY}`,
  },
  {
    name: 'audit_backups',
    title: 'Backup audit',
    description: 'Which guests could not be restored today',
    arguments: [],
    uses: ['check_backup_coverage', 'list_backup_jobs', 'list_storage'],
    text: () =>
      `Audit the backups. Call check_backup_coverage and follow its cursor to the end before you judge, then list_backup_jobs and list_storage with content "backup". Report: guests without any backup, guests whose last good backup is too old, failed verifications, disks left out, jobs that are disabled or select nothing, backup storages that are full or unreachable, and guests whose backups can't be seen with this token. ${HONESTY}`,
  },
  {
    name: 'review_capacity',
    title: 'Capacity review',
    description: 'When is it full, and does a node failure fit',
    arguments: [],
    uses: ['check_capacity', 'list_nodes', 'list_storage', 'get_metrics'],
    text: () =>
      `Review the capacity. Call check_capacity, list_nodes and list_storage; use get_metrics for the storages and nodes that stand out. Say when storages fill up and how sure that is, whether every single node may fail, how far CPU and memory are overcommitted, and the few changes that would help most. ${HONESTY}`,
  },
  {
    name: 'review_rights',
    title: 'Access review',
    description: 'Who may do what, and which rights should go',
    arguments: [{ name: 'on', description: 'ACL path such as /vms/100; default /', required: false }],
    uses: ['review_access', 'check_token_access'],
    text: ({ on = '/' }) =>
      `Review who has which rights on ${quoted(on)}. Call review_access for it and check_token_access. Report: who can change or destroy something there and by which entry, tokens without an end or without privilege separation, accounts with much power and no second factor, entries for users that are gone, and what this token could not see. ${HONESTY}`,
  },
  {
    name: 'check_before_upgrade',
    title: 'Before an upgrade',
    description: 'What speaks against upgrading the cluster now',
    arguments: [{ name: 'release', description: 'Release to go to, e.g. 9.2', required: false }],
    uses: ['get_cluster_overview', 'check_health', 'get_node_status', 'check_backup_coverage', 'get_ha_status'],
    text: ({ release }) =>
      `I plan to upgrade this cluster${release === undefined ? '' : ` to Proxmox VE ${quoted(release)}`}. Call get_cluster_overview, check_health, get_ha_status, check_backup_coverage, and get_node_status with section "versions" for each node. Say what must be settled before (quorum, failed services, version drift between nodes, full root disks, missing backups, guests that can't move away), in which order the nodes should go, and what you could not check. ${HONESTY}`,
  },
];

/** Arguments are a user's words: quoted, one line, bounded. */
function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 120));
}

function available(runtime: Runtime): readonly PromptDefinition[] {
  const names = new Set(toolsOf(runtime.settings.toolsets).map((t) => t.name));
  return PROMPTS.filter((p) => p.uses.every((tool) => names.has(tool)));
}

export function listPrompts(runtime: Runtime): Prompt[] {
  return available(runtime).map(({ name, title, description, arguments: args }) => ({
    name,
    title,
    description,
    arguments: args.map((a) => ({ ...a })),
  }));
}

/** @throws ApiError `bad-argument` when there is no such prompt, or an argument is missing */
export function getPrompt(runtime: Runtime, name: string, args: Readonly<Record<string, string>>): GetPromptResult {
  const prompt = available(runtime).find((p) => p.name === name);
  if (prompt === undefined)
    throw new ApiError('bad-argument', `There is no prompt ${quoted(name)}; prompts/list shows those there are.`);
  const missing = prompt.arguments.find((a) => a.required && (args[a.name] ?? '') === '');
  if (missing !== undefined)
    throw new ApiError('bad-argument', `The prompt ${name} needs the argument ${missing.name} (${missing.description}).`);
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== ''));
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text: prompt.text(given) } }] };
}
