import type { HandlerTable } from '../types.ts';
import type { Row } from '../world/area-types.ts';
import type { DemoNode, DemoWorld, GuestConfig } from '../world/types.ts';
import { nodeOf } from './answers.ts';

/** The system report of a node: one text with the configuration of everything. */
export function reportHandlers(world: DemoWorld): HandlerTable {
  return { '/nodes/{node}/report': (request) => report(world, nodeOf(world, request)) };
}

/** The text that support is sent: everything in clear, which is why nothing should ever ask for it. */
function report(world: DemoWorld, node: DemoNode): string {
  const { config, sdn } = world.areas;
  const { commandLine, subscription } = world.areas.maintenance.node(node.node);
  const section = (title: string, body: string) => `==== ${title} ====\n\n${body}\n`;
  const properties = (row: Row | GuestConfig) =>
    Object.entries(row)
      .map(([key, value]) => `\t${key} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
      .join('\n');
  const guests = world.guestsOn(node.node).map((guest) => {
    const folder = guest.type === 'qemu' ? 'qemu-server' : 'lxc';
    return `# cat /etc/pve/nodes/${node.node}/${folder}/${guest.vmid}.conf\n${properties(guest.detail.config)}`;
  });
  return [
    section(
      'general system info',
      `# hostname\n${node.node}\n\n# cat /proc/cmdline\n${commandLine}\n\n# pvesubscription get\n${properties(subscription)}`,
    ),
    section(
      'info about storage',
      world.storages.map((storage) => `${storage.type}: ${storage.storage}\n${properties(storage.section)}`).join('\n\n'),
    ),
    section('info about virtual guests', guests.join('\n\n')),
    section('info about datacenter', properties(config.options)),
    section('info about sdn', [...sdn.ipams, ...sdn.dns].map(properties).join('\n\n')),
  ].join('\n');
}
