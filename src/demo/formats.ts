/** Named value formats of the API schema, as far as they can be decided from the value alone. */

/** Says what is wrong with a value, or undefined when it is right. */
type FormatTest = (value: string) => string | undefined;

const CONTENT_TYPES: ReadonlySet<string> = new Set([
  'images',
  'rootdir',
  'vztmpl',
  'iso',
  'backup',
  'snippets',
  'import',
  'none',
]);
const TASK_STATES: ReadonlySet<string> = new Set(['ok', 'error', 'warning', 'unknown']);
const KEEP_OPTIONS: ReadonlySet<string> = new Set([
  'keep-all',
  'keep-last',
  'keep-hourly',
  'keep-daily',
  'keep-weekly',
  'keep-monthly',
  'keep-yearly',
]);

const CONFIG_ID = /^[a-z][a-z0-9_-]+$/i;

function pattern(expression: RegExp, complaint: (value: string) => string): FormatTest {
  return (value) => (expression.test(value) ? undefined : complaint(value));
}

/** Lists are separated by commas, semicolons, NUL or white space. */
function listOf(test: FormatTest): FormatTest {
  return (value) => {
    for (const item of value.split(/[,;\0\s]+/)) {
      const complaint = item === '' ? undefined : test(item);
      if (complaint !== undefined) return complaint;
    }
    return undefined;
  };
}

const configId = pattern(CONFIG_ID, (value) => `invalid configuration ID '${value}'\n`);
const contentType: FormatTest = (value) => (CONTENT_TYPES.has(value) ? undefined : `invalid content type '${value}'\n`);

/** `keep-last=3,keep-daily=7`; `keep-all=1` stands alone. */
function pruneBackups(value: string): string | undefined {
  const keys = new Set<string>();
  for (const part of value.split(',')) {
    const [key = '', count] = part.split('=');
    if (!KEEP_OPTIONS.has(key)) return `invalid format - format error\n${key}: property is not defined in schema\n`;
    const right = key === 'keep-all' ? /^[01]$/ : /^\d+$/;
    if (count === undefined || !right.test(count)) return `invalid format - format error\n${key}: type check failed\n`;
    keys.add(key);
  }
  return keys.has('keep-all') && keys.size > 1 ? 'keep-all cannot be set together with other options.\n' : undefined;
}

const FORMATS: Readonly<Record<string, FormatTest>> = {
  'pve-vmid': pattern(/^[1-9][0-9]{2,8}$/, () => 'value does not look like a valid VM ID\n'),
  'pve-node': pattern(/^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$/, () => 'value does not look like a valid node name\n'),
  'pve-configid': configId,
  'pve-configid-list': listOf(configId),
  'pve-storage-id': pattern(/^[a-z][a-z0-9\-_.]*[a-z0-9]$/i, (value) => `storage ID '${value}' contains illegal characters\n`),
  'pve-storage-content': contentType,
  'pve-storage-content-list': listOf(contentType),
  'pve-storage-server': pattern(
    /^[a-zA-Z0-9]([a-zA-Z0-9.:-]*[a-zA-Z0-9])?$/,
    () => 'value does not look like a valid server address\n',
  ),
  'pve-storage-portal-dns': pattern(/^[[\]a-zA-Z0-9.:-]+$/, () => 'value does not look like a valid portal\n'),
  'pve-task-status-type-list': listOf((value) => (TASK_STATES.has(value) ? undefined : `invalid status '${value}'\n`)),
  'pve-userid': pattern(
    /^[^\s:/]+@[A-Za-z][A-Za-z0-9._-]+$/,
    (value) => `value '${value}' does not look like a valid user name\n`,
  ),
  'pve-realm': pattern(/^[A-Za-z][A-Za-z0-9._-]+$/, () => 'value does not look like a valid realm\n'),
  'pve-groupid': pattern(/^[A-Za-z0-9._-]+$/, (value) => `group name '${value}' contains invalid characters\n`),
  'pve-roleid': pattern(/^[A-Za-z0-9._-]+$/, (value) => `role name '${value}' contains invalid characters\n`),
  'pve-poolid': pattern(
    /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+){0,2}$/,
    (value) => `pool name '${value}' contains invalid characters\n`,
  ),
  'pve-iface': pattern(/^[a-z][a-z0-9_]{1,20}([:.]\d+)?$/i, (value) => `invalid network interface name '${value}'\n`),
  'pve-ha-resource-or-vm-id': pattern(/^((vm|ct):)?\d+$/, () => 'unable to parse HA resource ID\n'),
  'pve-replication-job-id': pattern(/^[1-9][0-9]{2,8}-\d{1,9}$/, () => 'invalid replication job id\n'),
  'pve-sdn-subnet-id': pattern(
    /^[A-Za-z0-9][A-Za-z0-9.:-]*$/,
    (value) => `value does not look like a valid subnet id '${value}'\n`,
  ),
  'prune-backups': pruneBackups,
};

/**
 * Checks a value against a named format; the complaint keeps its line end, as the API's does. Formats that need more
 * than the value (calendar events, addresses or aliases) pass: the handlers know.
 */
export function checkFormat(format: string, value: string): string | undefined {
  return FORMATS[format]?.(value);
}
