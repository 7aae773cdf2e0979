import { createHash } from 'node:crypto';
import type { HandlerRequest } from '../types.ts';
import { textOf } from '../world/guest-builder.ts';
import type { DemoGuest, GuestConfig } from '../world/types.ts';
import { MASK, pendingRows, vmValues, withChanges } from './guest-config.ts';
import type { Row } from './resource-rows.ts';

const CLOUDINIT_KEY = /^(?:ci(?:user|password|custom|upgrade|type)|sshkeys|nameserver|searchdomain|ipconfig\d+)$/;

/** Rows of /cloudinit: what the image was made with and what it would get; `old`/`new` on 7.4. */
export function cloudinitRows(request: HandlerRequest, guest: DemoGuest): Row[] {
  const { config, cloudinitChanges } = guest.detail;
  const part: GuestConfig = Object.fromEntries(Object.entries(config).filter(([key]) => CLOUDINIT_KEY.test(key)));
  const rows = pendingRows(part, cloudinitChanges, vmValues(request));
  if (request.release !== '7.4') return rows;
  return rows.map((row) => ({
    key: row.key,
    ...(row.value === undefined ? {} : { old: row.value }),
    ...(row.delete === undefined ? { new: row.pending ?? row.value } : {}),
  }));
}

/** The generated cloud-init documents as text. The password stood there in clear for everybody until 9.1. */
export function cloudinitDump(request: HandlerRequest, guest: DemoGuest): string {
  const config = withChanges(guest.detail.config, guest.detail.changes);
  switch (request.query.type) {
    case 'network':
      return networkDocument(config);
    case 'meta':
      return `instance-id: ${createHash('sha1')
        .update(userDocument(guest, config, false))
        .digest('hex')}\n`;
    default: {
      const masked = request.release === '9.2.11' && !request.may(`/vms/${guest.vmid}`, 'VM.Config.Cloudinit');
      return userDocument(guest, config, masked);
    }
  }
}

function userDocument(guest: DemoGuest, config: GuestConfig, masked: boolean): string {
  const name = guest.name ?? `VM${guest.vmid}`;
  const domain = textOf(config, 'searchdomain');
  const password = textOf(config, 'cipassword');
  const keys = decodeURIComponent(textOf(config, 'sshkeys') ?? '')
    .split('\n')
    .filter((line) => line !== '');
  return [
    '#cloud-config',
    `hostname: ${name.split('.')[0] ?? name}`,
    'manage_etc_hosts: true',
    ...(domain === undefined ? [] : [`fqdn: ${name.split('.')[0] ?? name}.${domain}`]),
    `user: ${textOf(config, 'ciuser') ?? 'root'}`,
    'disable_root: False',
    ...(password === undefined ? [] : [`password: ${masked ? MASK : password}`]),
    ...(keys.length === 0 ? [] : ['ssh_authorized_keys:', ...keys.map((key) => `  - ${key}`)]),
    'chpasswd:',
    '  expire: False',
    'users:',
    '  - default',
    'package_upgrade: true',
    '',
  ].join('\n');
}

function networkDocument(config: GuestConfig): string {
  const lines = ['version: 1', 'config:'];
  for (const [key, value] of Object.entries(config)) {
    const index = /^ipconfig(\d+)$/.exec(key)?.[1];
    if (index === undefined) continue;
    const mac = /=([0-9A-F:]{17})/.exec(textOf(config, `net${index}`) ?? '')?.[1] ?? '';
    lines.push('    - type: physical', `      name: eth${index}`, `      mac_address: '${mac.toLowerCase()}'`, '      subnets:');
    const parts = new Map(
      String(value)
        .split(',')
        .map((part): [string, string] => [part.split('=')[0] ?? '', part.slice(part.indexOf('=') + 1)]),
    );
    const ip = parts.get('ip');
    if (ip === 'dhcp') lines.push('      - type: dhcp4');
    else if (ip !== undefined) {
      lines.push('      - type: static', `        address: '${ip.split('/')[0] ?? ip}'`, "        netmask: '255.255.255.0'");
      if (parts.has('gw')) lines.push(`        gateway: '${parts.get('gw')}'`);
    }
    const ip6 = parts.get('ip6');
    if (ip6 !== undefined)
      lines.push(ip6 === 'auto' ? '      - type: dhcp6' : `      - type: static6\n        address: '${ip6}'`);
  }
  const servers = (textOf(config, 'nameserver') ?? '').split(' ').filter((server) => server !== '');
  if (servers.length > 0) {
    lines.push('    - type: nameserver', '      address:', ...servers.map((server) => `      - '${server}'`), '      search:');
    lines.push(`      - '${textOf(config, 'searchdomain') ?? 'local'}'`);
  }
  return `${lines.join('\n')}\n`;
}
