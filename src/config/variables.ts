import { closest } from './suggest.ts';

/** The variables that say which cluster to ask and as whom. They always come from one place, all of them. */
export const CONNECTION_VARIABLES = [
  'PROXMOX_URL',
  'PROXMOX_TOKEN_ID',
  'PROXMOX_TOKEN_SECRET',
  'PROXMOX_TOKEN_SECRET_FILE',
  'PROXMOX_VERIFY_TLS',
  'PROXMOX_CA_FILE',
  'PROXMOX_TLS_FINGERPRINT',
  'PROXMOX_TLS_SERVERNAME',
  'PROXMOX_CONFIG',
] as const;

/** The variables that say how to work; they may come from the environment and from a file at once. */
export const BEHAVIOUR_VARIABLES = ['PROXMOX_TIMEOUT', 'PROXMOX_TOOLSETS', 'PROXMOX_OUTPUT', 'PROXMOX_MAX_ANSWER_CHARS'] as const;

/** Every variable the configuration knows. */
export const VARIABLES = [...CONNECTION_VARIABLES, ...BEHAVIOUR_VARIABLES] as const;

export type VariableName = (typeof VARIABLES)[number];

/** An environment, as `process.env` has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A value as it was given, trimmed and not empty, and the folder that a relative path in it starts at. */
export interface Given {
  readonly text: string;
  readonly base: string;
}

const PREFIX = 'PROXMOX_';

/** A variable that is set but means nothing, and the one that was probably meant. */
export interface Misspelt {
  readonly written: string;
  readonly meant: VariableName;
}

/**
 * Variables that look like ours misspelt: `PROXMOX_VERFIY_TLS`, `proxmox_url`. Others that start with `PROXMOX_` belong to
 * other programs and are no concern of ours.
 */
export function misspeltVariables(env: Environment): Misspelt[] {
  const found: Misspelt[] = [];
  for (const [written, value] of Object.entries(env)) {
    const upper = written.toUpperCase();
    if (value === undefined || !upper.startsWith(PREFIX)) continue;
    const meant = VARIABLES.find((name) => name === upper) ?? nearest(upper);
    // A name that the environment answers to is no mistake (Windows doesn't tell upper from lower case).
    if (meant === undefined || written === meant || (upper === meant && env[meant] !== undefined)) continue;
    found.push({ written, meant });
  }
  return found;
}

function nearest(upper: string): VariableName | undefined {
  const word = closest(
    upper.slice(PREFIX.length),
    VARIABLES.map((name) => name.slice(PREFIX.length)),
  );
  return VARIABLES.find((name) => name === PREFIX + word);
}

/** Names that other programs and guides use for the same thing, for a hint when ours is missing. */
export const FOREIGN_NAMES: ReadonlyMap<VariableName, readonly string[]> = new Map<VariableName, readonly string[]>([
  ['PROXMOX_URL', ['PROXMOX_HOST', 'PROXMOX_BASE_URL', 'PROXMOX_API_URL', 'PROXMOX_ENDPOINT', 'PROXMOX_VE_ENDPOINT', 'PVE_URL']],
  [
    'PROXMOX_TOKEN_ID',
    ['PROXMOX_TOKEN_NAME', 'PROXMOX_API_TOKEN_ID', 'PROXMOX_TOKEN', 'PROXMOX_API_TOKEN', 'PROXMOX_VE_API_TOKEN'],
  ],
  [
    'PROXMOX_TOKEN_SECRET',
    ['PROXMOX_TOKEN_VALUE', 'PROXMOX_API_TOKEN_SECRET', 'PROXMOX_SECRET', 'PROXMOX_API_SECRET', 'PROXMOX_PASSWORD'],
  ],
]);
