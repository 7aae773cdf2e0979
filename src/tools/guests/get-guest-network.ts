import { table, text } from '../../answer/spec.ts';
import { counted } from '../../answer/units.ts';
import { type GuestNetwork, networkNotes, readGuestNetwork } from '../../cluster/guest-network.ts';
import { requireOnlineNode, resolveGuest } from '../../cluster/resolve.ts';
import { defineTool } from '../define-tool.ts';
import { guest } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';
import { nicColumns, nicRow } from './get-guest-config.ts';
import { guestTitle } from './guest-words.ts';

export const getGuestNetwork = defineTool({
  name: 'get_guest_network',
  title: 'Guest addresses',
  toolset: 'guests',
  description:
    'IP addresses and interfaces of one guest, from its agent, the container itself, or its configuration; each address says which. Also for stopped guests.',
  params: guest,
  output: {
    addresses: table({
      address: text(),
      nic: text('configured interface, by hardware address'),
      interface: text('name in the guest'),
      mac: text(),
      source: text('agent, lxc-interfaces, config'),
    }),
    nics: table(nicColumns),
  },
  reads: [
    '/cluster/resources',
    '/nodes/{node}/qemu/{vmid}/config',
    '/nodes/{node}/lxc/{vmid}/config',
    '/nodes/{node}/qemu/{vmid}/agent/network-get-interfaces',
    '/nodes/{node}/lxc/{vmid}/interfaces',
    '/version',
    '/cluster/nextid',
    ...RIGHTS_READS,
  ],
  async run(args, call) {
    const { guest: target, inventory, notes } = await resolveGuest(call, args);
    requireOnlineNode(inventory, target.node);
    const reading = await readGuestNetwork(call, target);
    const { data: network } = reading;
    return {
      headline: `${guestTitle(target)}, ${target.status}: ${addressWords(network)}`,
      sections: { addresses: network.addresses, nics: network.nics.length === 0 ? undefined : network.nics.map(nicRow) },
      gaps: reading,
      notes: [...notes, ...networkNotes(network, target)],
    };
  },
});

/** `3 addresses (agent), 1 configured`; never "none" where the guest could not be asked. */
export function addressWords(network: GuestNetwork): string {
  const live = network.addresses.filter((a) => a.source !== 'config').length;
  const configured = network.addresses.length - live;
  if (network.liveSource === undefined)
    return configured === 0 ? 'no address known' : `${counted(configured, 'configured address', 'configured addresses')}`;
  return `${counted(live, 'address', 'addresses')} (${network.liveSource})${configured === 0 ? '' : `, ${configured} only configured`}`;
}
