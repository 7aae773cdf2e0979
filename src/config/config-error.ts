import type { Fault } from './parsed.ts';
import { withoutUuids } from './quoted.ts';

/**
 * One setting that is wrong. `variable` names it the way it was given (`PROXMOX_URL`, `--toolsets`, `clusters.main.urls[0]`),
 * `accepts` says what would be right. No field and no message ever holds a secret.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly kind = 'config';
  readonly variable: string;
  readonly accepts: string;

  constructor(variable: string, fault: Fault) {
    super(withoutUuids(`${variable}: ${fault.what}; use ${fault.accepts}`));
    this.variable = withoutUuids(variable);
    this.accepts = withoutUuids(fault.accepts);
  }
}

/** Everything that is wrong with the configuration, so that one look is enough to mend it. */
export class ConfigErrors extends Error {
  override readonly name = 'ConfigErrors';
  readonly kind = 'config';
  readonly problems: readonly ConfigError[];

  constructor(problems: readonly ConfigError[]) {
    const headline =
      problems.length === 1 ? 'The configuration has a problem:' : `The configuration has ${problems.length} problems:`;
    super([headline, ...problems.map((problem) => `- ${problem.message}`)].join('\n'));
    this.problems = problems;
  }
}

/** What a flag names is there in words, but not in fact: a file that can't be opened, an address that is taken. */
export function unusable(flag: string, thrown: unknown, accepts: string): ConfigErrors {
  const code = thrown instanceof Error && 'code' in thrown ? ` (${String(thrown.code)})` : '';
  return new ConfigErrors([new ConfigError(flag, { what: `cannot be used${code}`, accepts })]);
}
