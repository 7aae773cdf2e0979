import { rightsOf } from './rights.ts';
import type { World } from './types.ts';

/** Paths that are always looked at, whether or not an ACL entry names them. */
const TOP_PATHS = ['/', '/access', '/access/groups', '/nodes', '/pool', '/sdn', '/storage', '/vms'];

/** The world, with what is needed to enumerate pool members; a world that can't has no pools listed. */
export interface PermissionsWorld extends World {
  readonly guests?: ReadonlyMap<number, unknown>;
  readonly pools?: readonly { readonly poolid: string; readonly storages: readonly string[] }[];
}

/** ACL path to privilege to propagate flag (0 = held there, not inherited below). */
export type PermissionsAnswer = Record<string, Record<string, 0 | 1>>;

/**
 * The `data` of /access/permissions for a user or token.
 *
 * Without `path`: the top level paths, every path that any ACL entry names and the members of pools; a path on which
 * nothing is held is left out, so NoAccess can't be told from a path that was not looked at. With `path`: that path
 * alone, even when nothing is held there.
 */
export function permissionsAnswer(world: PermissionsWorld, identity: string, path?: string): PermissionsAnswer {
  const rights = rightsOf(world, identity);
  if (path !== undefined) return { [path]: Object.fromEntries(rights(path)) };
  const answer: PermissionsAnswer = {};
  for (const listed of listedPaths(world)) {
    const held = rights(listed);
    if (held.size > 0) answer[listed] = Object.fromEntries(held);
  }
  return answer;
}

function listedPaths(world: PermissionsWorld): ReadonlySet<string> {
  const paths = new Set(TOP_PATHS);
  for (const entry of world.acl) paths.add(entry.path);
  for (const vmid of world.guests?.keys() ?? []) {
    if (world.poolOf(vmid) !== undefined) paths.add(`/vms/${vmid}`);
  }
  for (const pool of world.pools ?? []) {
    for (const storage of pool.storages) paths.add(`/storage/${storage}`);
  }
  return paths;
}
