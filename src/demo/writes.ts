/**
 * The few writing calls that the embedded cluster knows: those that tell a token's rights without doing anything.
 * Whoever lacks the privilege gets 403, whoever has it gets 400; nothing can ever be changed.
 */
import { compileEndpoints, type EndpointTable } from './endpoints.ts';
import type { EndpointFacts, ParameterFacts, ReleaseFacts } from './facts.ts';

const text: ParameterFacts = { type: 'string' };
const node: ParameterFacts = { type: 'string', format: 'pve-node' };
const storage: ParameterFacts = { type: 'string', format: 'pve-storage-id' };
const vmid: ParameterFacts = { type: 'integer', format: 'pve-vmid', minimum: 100, maximum: 999999999 };

/** Only required parameters are declared, so that any other is refused as unknown. */
function write(params: Record<string, ParameterFacts>, check: unknown[], proxyto?: 'node'): EndpointFacts {
  return { params, permissions: { check }, protected: 1, ...(proxyto === undefined ? {} : { proxyto }) };
}

const POST: ReleaseFacts = {
  '/pools': write({ poolid: { type: 'string', format: 'pve-poolid' } }, ['perm', '/pool/{poolid}', ['Pool.Allocate']]),
  '/storage': write({ storage, type: text }, ['perm', '/storage', ['Datastore.Allocate']]),
  '/cluster/firewall/rules': write({ action: text, type: text }, ['perm', '/', ['Sys.Modify']]),
  '/cluster/backup': write({}, ['perm', '/', ['Sys.Modify']]),
  '/cluster/ha/resources': write({ sid: text }, ['perm', '/', ['Sys.Console']]),
  '/nodes/{node}/network': write({ node, iface: text, type: text }, ['perm', '/nodes/{node}', ['Sys.Modify']], 'node'),
  '/nodes/{node}/storage/{storage}/content': write(
    { node, storage, filename: text, size: text, vmid },
    ['perm', '/storage/{storage}', ['Datastore.AllocateSpace']],
    'node',
  ),
  '/nodes/{node}/qemu/{vmid}/snapshot': write(
    { node, vmid, snapname: { type: 'string', format: 'pve-configid' } },
    ['perm', '/vms/{vmid}', ['VM.Snapshot']],
    'node',
  ),
  '/nodes/{node}/lxc/{vmid}/snapshot': write(
    { node, vmid, snapname: { type: 'string', format: 'pve-configid' } },
    ['perm', '/vms/{vmid}', ['VM.Snapshot']],
    'node',
  ),
};

const PUT: ReleaseFacts = {
  '/access/acl': write({ path: text, roles: text }, ['perm-modify', '{path}']),
};

/** Method to endpoints; a method that is missing here knows none. */
export function compileWrites(): ReadonlyMap<string, EndpointTable> {
  return new Map([
    ['POST', compileEndpoints(POST)],
    ['PUT', compileEndpoints(PUT)],
  ]);
}
