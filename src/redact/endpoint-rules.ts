import {
  acmeData,
  base64FreeText,
  configText,
  dropped,
  encryptionKey,
  environment,
  type FieldRule,
  keyring,
  lxcPairs,
  mountOptions,
  otelHeaders,
  qemuArgs,
  realmTfa,
  secret,
  smbios,
  sshKeys,
  subscriptionKey,
  userKeys,
  webhookHeader,
  webhookUrl,
} from './field-rules.ts';

/**
 * How strings without a rule of their own are read:
 * - `value`: single settings (property strings, URLs, encodings)
 * - `free`: prose of people and programs
 * - `config`: configuration files and diffs of them
 * - `cloud-init`, `guest-config`: generated cloud-config, a raw guest configuration
 * - `package-text`: changelogs of packages, where heuristics would only do harm
 * - `secret`: nothing of it may be shown
 */
export type TextKind = 'value' | 'free' | 'config' | 'cloud-init' | 'guest-config' | 'package-text' | 'secret';

export interface EndpointRules {
  /** Rules by field name, at any depth of the answer, `pending` sub-objects included. */
  readonly fields?: ReadonlyMap<string, FieldRule>;
  /** Fields of this endpoint that hold prose though elsewhere they don't (a task's `status`). */
  readonly freeText?: ReadonlySet<string>;
  /** How the strings of an answer that is no object (one text, a list of lines) are read. */
  readonly text?: TextKind;
  /** The keys of the answer are data (paths, token names), not field names; no rule goes by them. */
  readonly keysAreData?: boolean;
  /** Names of rows `{name, value}` that are secret here besides the generic ones. */
  readonly secretRow?: RegExp;
}

/** Fields that are handled the same wherever they turn up, rows `{key: NAME, value}` included. */
export const GENERAL_FIELDS: ReadonlyMap<string, FieldRule> = new Map<string, FieldRule>([
  ['cipassword', secret],
  ['args', qemuArgs],
  ['env', environment],
  ['lxc', lxcPairs],
  ['sshkeys', sshKeys],
  ['smbios1', smbios],
  ['entrypoint', configText],
  ['otel-headers', otelHeaders],
  ['encryption-key', encryptionKey],
  ['keyring', keyring],
  ['consent-text', base64FreeText],
  ['changes', configText],
]);

const fields = (...entries: [string, FieldRule][]): ReadonlyMap<string, FieldRule> => new Map(entries);

const TASK_TEXT: ReadonlySet<string> = new Set(['status', 'exitstatus']);

/** `{...}` in a path stands for one segment; `*` at the end for any rest. The first row that fits holds. */
const TABLE: readonly (readonly [string, EndpointRules])[] = [
  // Guests
  ['/nodes/{}/qemu/{}/cloudinit/dump', { text: 'cloud-init' }],
  ['/nodes/{}/qemu/{}/agent/file-read', { fields: fields(['content', secret]) }],
  ['/nodes/{}/qemu/{}/agent/exec-status', { fields: fields(['out-data', secret], ['err-data', secret]) }],
  ['/nodes/{}/vzdump/extractconfig', { text: 'guest-config' }],

  // Storage: third-party plugins keep their credentials in the section, under names of their own
  ['/storage/*', { fields: fields(['options', mountOptions], ['key', secret], ['token', secret]) }],
  ['/storage', { fields: fields(['options', mountOptions], ['key', secret], ['token', secret]) }],

  // Access
  ['/access/domains/{}', { fields: fields(['tfa', realmTfa], ['client-key', secret]) }],
  ['/access/users', { fields: fields(['keys', userKeys]) }],
  ['/access/users/{}', { fields: fields(['keys', userKeys]) }],
  ['/access/permissions', { keysAreData: true }],

  // Cluster
  ['/cluster/sdn/ipams*', { fields: fields(['token', secret], ['key', secret]) }],
  ['/cluster/sdn/dns*', { fields: fields(['key', secret], ['token', secret]) }],
  ['/cluster/sdn/dry-run', { fields: fields(['frr-diff', configText], ['interfaces-diff', configText]), text: 'config' }],
  ['/cluster/metrics/server*', { fields: fields(['token', secret]) }],
  [
    '/cluster/notifications/endpoints/webhook*',
    { fields: fields(['header', webhookHeader], ['secret', webhookHeader], ['url', webhookUrl], ['body', secret]) },
  ],
  ['/cluster/acme/plugins*', { fields: fields(['data', acmeData], ['key', secret]) }],
  ['/cluster/acme/account/*', { fields: fields(['key', secret]) }],
  ['/cluster/tasks', { freeText: TASK_TEXT }],

  // Nodes
  ['/nodes/{}/tasks', { freeText: TASK_TEXT }],
  ['/nodes/{}/tasks/{}/status', { freeText: TASK_TEXT }],
  [
    '/nodes/{}/network*',
    { fields: fields(['options', configText], ['options6', configText], ['comments', configText], ['comments6', configText]) },
  ],
  ['/nodes/{}/subscription', { fields: fields(['key', subscriptionKey], ['signature', secret]) }],
  ['/nodes/{}/certificates/info', { fields: fields(['pem', dropped]) }],
  ['/nodes/{}/ceph/cfg/raw', { text: 'config' }],
  ['/nodes/{}/ceph/config', { text: 'config' }],
  ['/nodes/{}/ceph/cfg/db', { secretRow: /(?:^|[/_-])(?:key|crt)$/ }],
  ['/nodes/{}/ceph/configdb', { secretRow: /(?:^|[/_-])(?:key|crt)$/ }],
  ['/nodes/{}/ceph/cfg/value', { secretRow: /(?:^|[/_-])(?:key|crt)$/ }],
  ['/nodes/{}/apt/changelog', { text: 'package-text' }],
  ['/nodes/{}/apt/update', { text: 'package-text' }],
  ['/nodes/{}/apt/versions', { text: 'package-text' }],
  ['/nodes/{}/report', { text: 'secret' }],
];

const NO_RULES: EndpointRules = {};

function patternOf(template: string): RegExp {
  const source = template.replace(/\{\}/g, '[^/]+').replace(/\/\*$/, '/.+').replace(/\*$/, '(?:/.*)?');
  return new RegExp(`^${source}$`);
}

const COMPILED: readonly (readonly [RegExp, EndpointRules])[] = TABLE.map(([template, rules]) => [patternOf(template), rules]);

/**
 * The rules of an endpoint, by its path template (`/nodes/{node}/qemu/{vmid}/config`) or a concrete path. An endpoint
 * without rules of its own is still covered by the generic pass.
 */
export function rulesFor(template: string): EndpointRules {
  return COMPILED.find(([pattern]) => pattern.test(template))?.[1] ?? NO_RULES;
}
