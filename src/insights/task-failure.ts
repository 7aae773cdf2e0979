import type { LogLine } from '../cluster/task-log.ts';

/** What became of one guest in a backup of several. */
export interface GuestOutcome {
  readonly vmid: number;
  readonly result: 'ok' | 'failed' | 'unfinished';
  readonly why: string | undefined;
}

/** What a failed task's log says about why. */
export interface FailureReading {
  /** The lines that matter, in the log's order; at most `MAX_RELEVANT`. */
  readonly relevant: readonly LogLine[];
  /** Known causes that the text fits, most specific first. */
  readonly causes: readonly string[];
  /** Of a backup task: each guest's outcome. */
  readonly guests: readonly GuestOutcome[];
}

const MAX_RELEVANT = 25;

const RELEVANT =
  /\b(error|fail(?:ed|ure)?|fatal|cannot|can't|unable|denied|refused|timed? ?out|timeout|no space|not enough|does not exist|no such|abort(?:ed|ing)?|killed|interrupt|locked|corrupt|mismatch|invalid|warn(?:ing)?|panic|lost)\b/i;
/** Lines that carry such a word without being about a failure. */
const HARMLESS =
  /\b(0 errors?|no errors?|errors?: 0|without errors?|failed: 0|0 failed|error correction|starting new error log)\b/i;

/** Texts that logs use for well-known causes, and what an administrator would look at. */
const CAUSES: readonly { readonly pattern: RegExp; readonly cause: string }[] = [
  {
    pattern: /no space left on device|not enough (free )?space|disk quota exceeded|ENOSPC|out of space/i,
    cause: 'The target storage is full (list_storage shows how full each is).',
  },
  {
    pattern: /(can't|cannot|unable to) (lock|acquire) .*lock|got timeout.*lock|lock.*(timed? ?out|timeout)|is locked \(/i,
    cause:
      'Something held a lock: another task on the same guest or storage ran, or a stale lock is left (get_guest_status shows lock).',
  },
  {
    pattern: /guest-fsfreeze|fsfreeze|guest-agent freeze|agent.*(not running|timeout|timed out)|qmp command 'guest-/i,
    cause: 'The guest agent did not answer in time; with snapshots of a running guest that stalls the file system freeze.',
  },
  {
    pattern: /qmp command '(?!guest-).*timeout/i,
    cause: 'QEMU did not answer its monitor in time: an overloaded node, or storage under the guest that stalls.',
  },
  {
    pattern:
      /connection (refused|timed out|reset)|no route to host|network is unreachable|(could not|can't|cannot|unable to|failed to) (connect|resolve)|name or service not known/i,
    cause: 'A host on the network did not answer: storage server, other node or download source.',
  },
  {
    pattern:
      /storage '[^']*' is not (online|available)|is not online|mount error|mount\.nfs|stale file handle|not mounted|unable to open backup directory/i,
    cause: 'The storage was not reachable from the node (list_storage shows inactive ones).',
  },
  {
    pattern: /permission denied|EACCES|operation not permitted|access denied|401 unauthorized|authentication fail/i,
    cause: 'Rights were missing: on the storage server, or the credentials it is reached with.',
  },
  {
    pattern: /does not exist|no such (file|volume|device|logical volume|container|vm)|unable to (find|parse) volume/i,
    cause: 'Something the task needed is gone: a volume, file or device that the configuration still names.',
  },
  {
    pattern: /cannot allocate memory|out of memory|oom|not enough memory|memory allocation/i,
    cause: 'The node had too little free memory (get_node_status, check_capacity).',
  },
  {
    pattern: /host key verification failed|ssh.*(fail|refused|denied)|permission denied \(publickey/i,
    cause: 'The nodes could not log in to each other by SSH.',
  },
  {
    pattern: /can't migrate|cannot migrate|local (cdrom|disk|device|resources?)|non-migrat/i,
    cause: 'Something binds the guest to its node: a local disk, a mounted local ISO or a passed-through device.',
  },
  {
    pattern: /verification failed|checksum|crc|corrupt|i\/o error|input\/output error|medium error/i,
    cause: 'Data could not be read right: a failing disk or a damaged backup (list_node_disks shows health).',
  },
  { pattern: /received interrupt|interrupted by signal|got signal|terminated/i, cause: 'Somebody or a shutdown interrupted it.' },
  {
    pattern: /start(up)? (for|of) .*failed|kvm: |qemu exited|failed to start/i,
    cause: 'The guest itself could not start; the lines above the last one usually name the device or option.',
  },
  {
    pattern: /no quorum|cluster not ready|quorum/i,
    cause: 'The cluster had no quorum, so nothing could be written (get_cluster_overview).',
  },
];

/** Reads the reason of a failure out of a log: not only its last line, which often just says that there was an error. */
export function explainFailure(lines: readonly LogLine[], exitStatus: string | undefined): FailureReading {
  const matching = lines.filter((line) => RELEVANT.test(line.text) && !HARMLESS.test(line.text));
  const picked = new Map<number, LogLine>();
  for (const line of matching.length > MAX_RELEVANT ? [...matching.slice(0, 10), ...matching.slice(10 - MAX_RELEVANT)] : matching)
    picked.set(line.n, line);
  if (picked.size === 0) for (const line of lines.slice(-5)) picked.set(line.n, line);
  const relevant = [...picked.values()].sort((a, b) => a.n - b.n);
  const text = [...relevant.map((l) => l.text), exitStatus ?? ''].join('\n');
  return {
    relevant,
    causes: causesOf(text),
    guests: backupOutcomes(lines),
  };
}

function causesOf(text: string): readonly string[] {
  const known = CAUSES.filter(({ pattern }) => pattern.test(text)).map(({ cause }) => cause);
  if (known.length === 0 && /timed out|timeout/i.test(text)) return ['Something took longer than it is given.'];
  return known.slice(0, 3);
}

/** The guests of a backup task and how each fared; the task's own status only says that there was an error. */
export function backupOutcomes(lines: readonly LogLine[]): readonly GuestOutcome[] {
  const outcomes = new Map<number, GuestOutcome>();
  for (const { text } of lines) {
    const started = /Starting Backup of (?:VM|CT) (\d+)/i.exec(text)?.[1];
    const finished = /Finished Backup of (?:VM|CT) (\d+)/i.exec(text)?.[1];
    const failed = /Backup of (?:VM|CT) (\d+) failed(?: - (.*))?$/i.exec(text);
    if (started !== undefined) outcomes.set(Number(started), { vmid: Number(started), result: 'unfinished', why: undefined });
    if (finished !== undefined) outcomes.set(Number(finished), { vmid: Number(finished), result: 'ok', why: undefined });
    if (failed !== null) outcomes.set(Number(failed[1]), { vmid: Number(failed[1]), result: 'failed', why: failed[2] });
  }
  return [...outcomes.values()].sort((a, b) => a.vmid - b.vmid);
}
