import { DemoHttpError, type HandlerRequest, type HandlerTable } from '../types.ts';
import type { Row } from '../world/area-types.ts';
import { digestOf } from '../world/digests.ts';
import type { DemoWorld } from '../world/types.ts';
import { directory, parameter } from './answers.ts';

const KINDS = ['dir', 'pci', 'usb'] as const;
const LOOK = ['Mapping.Audit', 'Mapping.Use', 'Mapping.Modify'];

/** Resource mappings (8.0 and later; directories 8.4). */
export function mappingHandlers(world: DemoWorld): HandlerTable {
  const table: Record<string, HandlerTable[string]> = { '/cluster/mapping': directory('name', KINDS) };
  for (const kind of KINDS) {
    const rows = world.areas.config.mappings[kind];
    const digest = digestOf(rows);
    table[`/cluster/mapping/${kind}`] = (request) =>
      rows
        .filter((row) => request.may(`/mapping/${kind}/${String(row.id)}`, ...LOOK))
        .map((row) => ({ ...row, digest, ...checksFor(row, kind, request) }));
    table[`/cluster/mapping/${kind}/{id}`] = (request) => {
      const id = parameter(request, 'id');
      const found = rows.find((row) => row.id === id);
      if (found === undefined) throw new DemoHttpError(500, `mapping '${id}' not found`);
      const { id: _inThePath, ...rest } = found;
      return { ...rest, digest };
    };
  }
  return table;
}

/** With `check-node`, what is wrong with the mapping on that node. */
function checksFor(row: Row, kind: (typeof KINDS)[number], request: HandlerRequest): Row {
  const node = request.query['check-node'];
  if (node === undefined) return {};
  const maps = Array.isArray(row.map) ? row.map.map(String) : [];
  const mapped = maps.some((entry) => entry.split(',').includes(`node=${node}`));
  const checks = mapped ? [] : [{ message: `No mapping for node ${node}.`, severity: 'warning' }];
  // The two older kinds had a member of their own for it at first.
  return kind === 'dir' || request.release === '9.2.11' ? { checks } : { checks, error: null };
}
