import { describe, expect, it } from 'vitest';
import { createAsker } from './area-request.fixture.ts';
import { AREA_SHAPES } from './area-shapes.fixture.ts';

/** Values for the placeholders of a template; every combination that exists is asked for. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  node: ['pve1', 'pve2'],
  userid: ['root@pam', 'mcp@pve', 'dora@corp-ldap', 'hana@pve'],
  tokenid: ['auditor', 'terraform'],
  groupid: ['admins', 'retired'],
  roleid: ['PVEAuditor', 'NoAccess', 'Watcher'],
  realm: ['pam', 'pve', 'corp-ldap', 'plant-ad', 'sso'],
  group: ['webserver', 'admin-access', 'unused'],
  pos: ['0', '1'],
  cidr: ['10.20.0.0%2F24', '192.0.2.10', '192.0.2.20'],
  vmid: ['100', '101', '116', '200'],
  sid: ['vm:100', 'ct:220', 'vm:9901'],
  rule: ['web-on-pve1', 'three-apart', 'web-again', 'old-move'],
  vnet: ['labnet', 'office', 'tenant1'],
  subnet: ['lab-10.30.0.0-24'],
  zone: ['lab', 'campus'],
  controller: ['evpnctl', 'bgppve1'],
  ipam: ['pve', 'netbox', 'phpipam'],
  dns: ['pdns'],
  service: ['pveproxy', 'pve-ha-lrm'],
  iface: ['vmbr0', 'eno1.50'],
  cputype: ['custom-harbour'],
  'pci-id-or-mapping': ['gpu-a'],
};

/** `{id}` and `{name}` mean something else below each path. */
const IDS: readonly (readonly [prefix: string, values: readonly string[]])[] = [
  ['/access/tfa/', ['recovery']],
  ['/cluster/firewall/aliases/', ['monitoring']],
  ['/cluster/firewall/ipset/', ['management', 'blocklist']],
  ['/cluster/jobs/', ['staff-sync']],
  ['/cluster/mapping/dir', ['shared-dir']],
  ['/cluster/mapping/pci', ['gpu-a', 'nic-fast']],
  ['/cluster/mapping/usb', ['dongle']],
  ['/cluster/metrics/', ['influx', 'graphite-old', 'otel']],
  ['/cluster/notifications/endpoints/gotify', ['pager']],
  ['/cluster/notifications/endpoints/sendmail', ['mail-to-root']],
  ['/cluster/notifications/endpoints/smtp', ['mail-relay']],
  ['/cluster/notifications/endpoints/webhook', ['chat', 'legacy']],
  ['/cluster/notifications/matchers', ['default-matcher', 'backup-failures', 'replication-quiet']],
  ['/cluster/replication/', ['101-0', '109-0', '121-0']],
  ['/nodes/{node}/replication/', ['101-0', '112-0', '121-0']],
  ['/nodes/{node}/qemu/{vmid}/firewall/aliases', ['office']],
  ['/nodes/{node}/lxc/{vmid}/firewall/aliases', ['probe']],
  ['/nodes/{node}/', ['ipfilter-net0']],
];

type Shape = ReadonlyMap<string, { readonly optional: boolean; readonly types: string }>;

function parseShape(text: string): Shape {
  return new Map(
    text.split(' ').map((part) => {
      const colon = part.lastIndexOf(':');
      const path = part.slice(0, colon);
      return [path === '@' ? '' : path.replace(/\?$/, ''), { optional: path.endsWith('?'), types: part.slice(colon + 1) }];
    }),
  );
}

function typeOf(value: unknown): string {
  if (value === null) return 'z';
  if (Array.isArray(value)) return 'a';
  const letters: Readonly<Record<string, string>> = { string: 's', number: 'n', boolean: 'b', object: 'o' };
  return letters[typeof value] ?? '?';
}

/** What of a value is not as the shape says. */
function differences(shape: Shape, value: unknown, path = ''): string[] {
  const known = shape.get(path)?.types;
  if (known === undefined) return [`${path}: unknown (${JSON.stringify(value)})`];
  const type = typeOf(value);
  if (!known.includes(type)) return [`${path}: ${type}, not ${known} (${JSON.stringify(value)})`];
  if (Array.isArray(value)) {
    // An element type that no real answer showed can't be judged.
    return shape.has(`${path}[]`) ? value.flatMap((element) => differences(shape, element, `${path}[]`)) : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  const isMap = shape.has(`${path}.*`);
  const inner = Object.entries(value).flatMap(([key, child]) =>
    differences(shape, child, isMap ? `${path}.*` : `${path}.${key}`),
  );
  const missing = isMap
    ? []
    : [...shape]
        .filter(([child, { optional }]) => !optional && isChild(path, child) && !(child.slice(path.length + 1) in value))
        .map(([child]) => `${child}: missing in ${JSON.stringify(value).slice(0, 120)}`);
  return [...inner, ...missing];
}

function isChild(parent: string, path: string): boolean {
  return path.startsWith(`${parent}.`) && !/[.[]/.test(path.slice(parent.length + 1)) && !path.endsWith('*');
}

function pathsOf(template: string): string[] {
  const name = /\{[^}]+\}/.exec(template)?.[0];
  if (name === undefined) return [template];
  const key = name.slice(1, -1);
  const original = template;
  const values =
    VALUES[key] ??
    IDS.find(([prefix]) =>
      original
        .replace(/\/nodes\/pve\d/, '/nodes/{node}')
        .replace(/(qemu|lxc)\/\d+/, '$1/{vmid}')
        .startsWith(prefix),
    )?.[1] ??
    [];
  return values.flatMap((value) => pathsOf(template.replace(name, value)));
}

describe('answers of the areas have the shapes of real ones', () => {
  const nine = createAsker();
  const eight = createAsker({ release: '8.4' });
  for (const { templates, shape: text } of AREA_SHAPES) {
    const shape = parseShape(text);
    for (const full of templates) {
      const [template = '', flag] = full.split('?');
      it(full, () => {
        // Groups exist up to 8.4 only.
        const asker = template.startsWith('/cluster/ha/groups') ? eight : nine;
        const query = {
          ...(flag === undefined ? {} : { [flag]: '1' }),
          ...(template.endsWith('schedule-analyze') ? { schedule: '*:0/30' } : {}),
        };
        const identity = asker.world.areas.access.tokens.full.id;
        let answered = 0;
        const wrong: string[] = [];
        for (const path of template.startsWith('/cluster/ha/groups/') ? ['/cluster/ha/groups/prefer-pve1'] : pathsOf(template)) {
          const reply = tryReply(() => asker.reply(path, { query, identity }));
          if (reply === undefined) continue;
          answered++;
          const data: unknown = JSON.parse(JSON.stringify(reply.data ?? null));
          wrong.push(...differences(shape, data).map((line) => `${path} ${line}`));
          for (const [key, value] of Object.entries(reply.extra)) {
            const known = shape.get(`+${key}`)?.types;
            if (known?.includes(typeOf(value)) !== true) wrong.push(`${path} beside data: ${key}`);
          }
        }
        expect(answered, 'no path of this template was answered').toBeGreaterThan(0);
        expect([...new Set(wrong)]).toEqual([]);
      });
    }
  }
});

/** The reply, or undefined for an object that does not exist under that combination of names. */
function tryReply<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof Error && error.name === 'DemoHttpError') return undefined;
    throw error;
  }
}
