import { DemoHttpError, type HandlerRequest, type HandlerTable } from '../types.ts';
import type { DemoPool, DemoWorld } from '../world/types.ts';
import { parameter } from './answers.ts';
import { isKnown, unordered } from './guest-lookup.ts';
import { guestResource, nodesOfStorage, type Row, storageResource } from './resource-rows.ts';

/** /pools: the list, with `poolid` one pool with its members. */
export function poolsHandlers(world: DemoWorld): HandlerTable {
  return {
    '/pools': (request) => {
      const { poolid, type } = request.query;
      // With `poolid` the newer releases check nothing but that the pool exists.
      if (poolid !== undefined) return [{ poolid, ...poolDetail(world, request, poolOf(world, poolid), type) }];
      const rows = world.pools
        .filter((pool) => !(request.release === '7.4' && pool.poolid.includes('/')))
        .filter((pool) => request.may(`/pool/${pool.poolid}`, 'Pool.Audit'))
        .map(({ poolid: id, comment }): Row => ({ poolid: id, ...(comment === undefined ? {} : { comment }) }));
      return unordered(rows, 47);
    },
    '/pools/{poolid}': (request) => {
      const poolid = parameter(request, 'poolid');
      const detail = poolDetail(world, request, poolOf(world, poolid), request.query.type);
      return request.release === '7.4' ? detail : { poolid, ...detail };
    },
  };
}

function poolOf(world: DemoWorld, poolid: string): DemoPool {
  const found = world.pools.find((pool) => pool.poolid === poolid);
  if (found) return found;
  throw new DemoHttpError(500, `pool '${poolid}' does not exist`);
}

/** Comment and members: guests, and storages as the answering node sees them. */
function poolDetail(world: DemoWorld, request: HandlerRequest, pool: DemoPool, type: string | undefined): Row {
  const local = world.nodes.find((node) => node.local);
  const guests = [...world.guests.values()]
    .filter((guest) => guest.pool === pool.poolid && (type === undefined || type === guest.type))
    .map((guest) => ({ ...guestResource(world, request, guest, true), ...(isKnown(world, guest) ? {} : { name: guest.name }) }));
  const storages = world.storages
    .filter((storage) => pool.storages.includes(storage.storage) && (type === undefined || type === 'storage'))
    .flatMap((storage) => (local && nodesOfStorage(world, storage).includes(local) ? [storageResource(storage, local)] : []));
  return {
    ...(pool.comment === undefined ? {} : { comment: pool.comment }),
    members: unordered<Row>([...guests, ...storages], 53),
  };
}
