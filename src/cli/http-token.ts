import { createHash, randomBytes } from 'node:crypto';
import { selectToolsets } from '../config/toolsets.ts';
import { CALLER_NAME, timeOf } from '../server/http/auth-file.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

export interface HttpTokenFlags {
  readonly clusters?: string;
  readonly toolsets?: string;
  readonly expires?: string;
}

/** What the token begins with, so that people and secret scanners know it when they see it. */
const PREFIX = 'mcpx_';
const SECRET_BYTES = 32;
const DAY_MS = 86_400_000;

/** A new token and its entry, or what is wrong with the wish. */
export function makeHttpToken(
  name: string,
  flags: HttpTokenFlags,
  now: number,
): { readonly token: string; readonly entry: Readonly<Record<string, unknown>> } | { readonly wrong: string } {
  if (!CALLER_NAME.test(name)) return { wrong: 'a name has letters, digits and @ . _ + -, at most 64' };
  const clusters = flags.clusters?.split(',').map((part) => part.trim());
  if (clusters?.some((cluster) => cluster === '')) return { wrong: '--clusters has an empty entry' };
  const toolsets = flags.toolsets?.split(',').map((part) => part.trim().toLowerCase());
  const fault = toolsets && selectToolsets(toolsets).fault;
  if (fault !== undefined) return { wrong: `--toolsets ${fault.what}; use ${fault.accepts}` };
  const days = /^(\d{1,4})d$/.exec(flags.expires ?? '')?.[1];
  const until = days === undefined ? timeOf(flags.expires ?? '') : now + Number(days) * DAY_MS;
  if (flags.expires !== undefined && Number.isNaN(until))
    return { wrong: '--expires is a date such as 2027-01-31, or days such as 90d' };
  const token = PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
  return {
    token,
    entry: {
      name,
      sha256: createHash('sha256').update(token).digest('hex'),
      ...(clusters === undefined ? {} : { clusters }),
      ...(toolsets === undefined ? {} : { toolsets }),
      ...(flags.expires === undefined ? {} : { expires: new Date(until).toISOString() }),
    },
  };
}

/** Prints a new token once; only its hash is for keeping. */
export function runHttpToken(name: string, flags: HttpTokenFlags): ExitCode {
  const made = makeHttpToken(name, flags, Date.now());
  if ('wrong' in made) {
    process.stderr.write(`mcp-proxmox: ${made.wrong}\n`);
    return EXIT.usage;
  }
  process.stdout.write(
    [
      `Token for ${name}, shown this once (the client sends it as "Authorization: Bearer ..."):`,
      '',
      `  ${made.token}`,
      '',
      'Entry for the list "callers" of the --auth-file:',
      '',
      `  ${JSON.stringify(made.entry)}`,
      '',
    ].join('\n'),
  );
  return EXIT.ok;
}
