import type { HandlerTable } from '../types.ts';
import type { DemoWorld } from '../world/types.ts';
import { directory, nodeOf } from './answers.ts';

/** Installed packages, updates and package sources of a node. */
export function aptHandlers(world: DemoWorld): HandlerTable {
  const { maintenance } = world.areas;
  return {
    '/nodes/{node}/apt': directory('id', ['changelog', 'repositories', 'update', 'versions']),
    '/nodes/{node}/apt/versions': (request) => maintenance.node(nodeOf(world, request).node).versions,
    '/nodes/{node}/apt/update': (request) => maintenance.node(nodeOf(world, request).node).updates,
    '/nodes/{node}/apt/repositories': (request) => maintenance.node(nodeOf(world, request).node).repositories,
  };
}
