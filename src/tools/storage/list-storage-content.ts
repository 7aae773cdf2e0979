import { z } from 'zod';
import { bool, bytes, int, list, table, text, time } from '../../answer/spec.ts';
import { counted } from '../../answer/units.ts';
import type { Call } from '../../api/call.ts';
import { ApiError } from '../../api/errors.ts';
import { type Gaps, mergeGaps, type Reading, visibleWord } from '../../api/reading.ts';
import { checkSegment } from '../../api/segments.ts';
import { type Guest, type Inventory, isOnline, readInventory } from '../../cluster/inventory.ts';
import { requireOnlineNode } from '../../cluster/resolve.ts';
import { mergeStorages, readStorageDefinitions, type Storage } from '../../cluster/storage.ts';
import { readStorageContent, type Volume } from '../../cluster/storage-content.ts';
import { closest } from '../../config/suggest.ts';
import { defineTool } from '../define-tool.ts';
import { node, storage, vmid } from '../params.ts';
import { RIGHTS_READS } from '../rights-reads.ts';

const KINDS = ['images', 'rootdir', 'iso', 'vztmpl', 'backup', 'snippets', 'import'] as const;

export const listStorageContent = defineTool({
  name: 'list_storage_content',
  title: 'List storage content',
  toolset: 'storage',
  description: 'Volumes on one storage: backups (also those the API hides from an audit token), ISOs, templates, disks.',
  params: {
    node: node.describe('Default: one that reaches it').optional(),
    storage,
    content: z.enum(KINDS).optional(),
    vmid: vmid.optional(),
  },
  paged: true,
  output: {
    volumes: table({
      volid: text(),
      content: text(),
      vmid: int(),
      guest: text('name; "not seen": gone, or hidden from this token'),
      size: bytes(),
      time: time(),
      format: text(),
      verified: text('PBS: ok, failed or none'),
      encrypted: bool(),
      flags: list(),
      notes: text(),
    }),
  },
  reads: [
    '/cluster/resources',
    '/storage',
    '/nodes/{node}/storage/{storage}/content',
    '/nodes/{node}/storage/{storage}/prunebackups',
    ...RIGHTS_READS,
  ],
  async run(args, call) {
    checkSegment('storage', args.storage);
    const [inventory, definitions] = await Promise.all([readInventory(call), readStorageDefinitions(call)]);
    const candidates = mergeStorages(inventory, definitions.data).filter((s) => s.storage === args.storage);
    const place = choose(inventory, candidates, args.storage, args.node, await seesStorage(call, args.storage));
    const guests = new Map(inventory.guests.map((g) => [g.vmid, g]));
    const reading = await readStorageContent(call, {
      node: place.node,
      storage: args.storage,
      plugin: place.storage.plugin,
      kinds: place.storage.content,
      content: args.content,
      vmid: args.vmid,
      type: args.vmid === undefined ? undefined : guests.get(args.vmid)?.type,
    });
    const notes = notesFor(place, candidates, reading.data, args);
    return {
      headline: `${describe(reading)} on ${args.storage}${place.storage.shared ? ' (shared)' : ` of ${place.node}`}`,
      sections: {
        volumes: {
          rows: reading.data.map((v) => toRow(v, guests)),
          key: (row) => [row.content ?? '', -(row.time ?? 0), row.volid ?? ''],
        },
      },
      gaps: mergeGaps(reading),
      notes,
      next: nextFor(place.storage, reading, args.vmid),
    };
  },
});

interface Place {
  readonly node: string;
  readonly storage: Storage;
}

async function seesStorage(call: Call, id: string): Promise<boolean> {
  return (
    (await call.rights.has('Datastore.Audit', `/storage/${id}`)) || call.rights.has('Datastore.AllocateSpace', `/storage/${id}`)
  );
}

/** The node to ask: the caller's, or the first online one from which the storage is available. */
function choose(
  inventory: Inventory,
  candidates: readonly Storage[],
  id: string,
  wanted: string | undefined,
  visible: boolean,
): Place {
  if (candidates.length === 0) {
    if (!visible)
      throw new ApiError('forbidden', `Storage ${id} does not exist, or this token may not see it.`, {
        needs: `Datastore.Audit on /storage/${id}`,
      });
    const near = closest(id, [...new Set(inventory.storages.map((s) => s.storage))]);
    throw new ApiError('not-found', `There is no storage ${JSON.stringify(id)}.`, {
      hint: near === undefined ? 'list_storage shows them.' : `Did you mean ${near}?`,
    });
  }
  if (wanted !== undefined) {
    requireOnlineNode(inventory, wanted);
    const storage = candidates.find((s) => s.nodes.includes(wanted));
    if (storage === undefined) {
      throw new ApiError('not-found', `Storage ${id} is not on node ${wanted}.`, {
        hint: `It is on ${candidates.flatMap((s) => s.nodes).join(', ')}.`,
      });
    }
    refuseDead(storage, id, wanted);
    return { node: wanted, storage };
  }
  for (const storage of candidates) {
    if (storage.state !== 'available') continue;
    const online = storage.nodes.find((n) => !storage.unreachableFrom.includes(n) && isOnline(inventory.nodes, n));
    if (online !== undefined) return { node: online, storage };
  }
  const [first] = candidates;
  if (first !== undefined) refuseDead(first, id, first.nodes.join(', '));
  throw new ApiError('node-unreachable', `No online node has storage ${id}.`);
}

function refuseDead(storage: Storage, id: string, where: string): void {
  if (storage.state === 'available') return;
  const text = {
    disabled: `Storage ${id} is disabled in the configuration; its content can't be read.`,
    inactive: `Storage ${id} is enabled but not reachable from ${where}; its content can't be read now.`,
    unknown: `Storage ${id} belongs to an offline node (${where}), or its state is hidden from this token; its content can't be read.`,
  }[storage.state];
  const kind = { disabled: 'not-configured', inactive: 'unreachable', unknown: 'node-unreachable' } as const;
  throw new ApiError(kind[storage.state], text, {
    hint: 'list_storage shows the state of all storages.',
  });
}

/** What was not read, or is hidden, must not be counted as nothing. */
function describe({ data: volumes, ...gaps }: Reading<readonly Volume[]>): string {
  const word = gaps.problems.length > 0 ? 'readable ' : visibleWord(gaps);
  const counts = new Map<string, number>();
  for (const v of volumes) counts.set(v.content, (counts.get(v.content) ?? 0) + 1);
  const kinds = [...counts].map(([kind, n]) => `${n} ${kind}`);
  return `${counted(volumes.length, `${word}volume`)}${kinds.length > 1 ? ` (${kinds.join(', ')})` : ''}`;
}

function notesFor(
  place: Place,
  candidates: readonly Storage[],
  volumes: readonly Volume[],
  { node: wanted, content }: { readonly node?: string | undefined; readonly content?: string | undefined },
): string[] {
  const notes: string[] = [];
  const { content: kinds } = place.storage;
  if (content !== undefined && kinds.length > 0 && !kinds.includes(content))
    notes.push(`${place.storage.storage} is not configured for ${content}; it holds ${kinds.join(', ')}.`);
  if (volumes.some((v) => v.backup?.source === 'dry-run')) {
    notes.push(
      'Some backups were found by the prune dry run: size, verification and notes are not visible to this token (they need VM.Backup and Datastore.AllocateSpace).',
    );
  }
  if (place.storage.namespace !== undefined)
    notes.push(`Only the namespace ${place.storage.namespace} of this datastore is visible here.`);
  const elsewhere = candidates.filter((s) => s !== place.storage).flatMap((s) => s.nodes);
  if (wanted === undefined && !place.storage.shared && elsewhere.length > 0) {
    notes.push(
      `This is ${place.storage.storage} of ${place.node}; ${elsewhere.join(', ')} ${elsewhere.length === 1 ? 'has its' : 'have their'} own under the same name (give node).`,
    );
  }
  return notes;
}

/** A backup server tells guest by guest what it hides from a list. */
function nextFor({ storage: id, plugin }: Storage, { hidden }: Gaps, vmid: number | undefined): string[] {
  if (plugin !== 'pbs' || vmid !== undefined || hidden.length === 0) return [];
  return [`list_storage_content storage=${id} vmid=... finds the backups of one guest, check_backup_coverage those of all`];
}

function toRow(v: Volume, guests: ReadonlyMap<number, Guest>) {
  const guest = v.vmid === undefined ? undefined : guests.get(v.vmid);
  const flags = [
    ...(v.backup?.protected === true ? ['protected'] : []),
    ...(v.parent === undefined ? [] : [`clone of ${v.parent}`]),
  ];
  return {
    volid: v.volid,
    content: v.content,
    vmid: v.vmid,
    guest: v.vmid === undefined ? undefined : guest === undefined ? 'not seen' : guest.name,
    size: v.size,
    time: v.time,
    format: v.format,
    verified: v.backup?.verification,
    encrypted: v.backup?.encrypted,
    flags: flags.length === 0 ? undefined : flags,
    notes: v.backup?.notes,
  };
}
