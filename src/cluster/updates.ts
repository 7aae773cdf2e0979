import type { Call } from '../api/call.ts';
import { boolOf, byText, isRaw, listOf, type Raw, rawOf, rowsOf, textOf } from '../api/lenient.ts';
import { oneLine } from '../redact/plain-text.ts';
import { scrubFreeText } from '../redact/scrub-text.ts';
import type { NodeVersions, Package } from './node-status.ts';
import { cleaned, commentOf } from './shown-text.ts';

/** A package that a node would install with its next upgrade. */
export interface Update {
  readonly name: string;
  /** Undefined for a package that would be new. */
  readonly installed: string | undefined;
  readonly available: string | undefined;
  readonly origin: string | undefined;
  readonly section: string | undefined;
}

/**
 * Available updates by the node's own package lists, however old those are; nothing is fetched.
 *
 * Source: GET /nodes/{node}/apt/update (Sys.Modify on /nodes/{node}: more than an auditor has).
 */
export async function readUpdates(call: Call, node: string): Promise<readonly Update[]> {
  return parseUpdates((await call.get('/nodes/{node}/apt/update', { node })).data);
}

export function parseUpdates(data: unknown): readonly Update[] {
  return listOf(data, 'updates')
    .flatMap((row) => {
      const name = cleaned(row['Package']);
      if (name === undefined) return [];
      return [
        {
          name,
          installed: cleaned(row['OldVersion']),
          available: cleaned(row['Version']),
          origin: cleaned(row['Origin']),
          section: cleaned(row['Section']),
        },
      ];
    })
    .sort((a, b) => byText(a.name, b.name));
}

/** Security fixes come from an origin (or a section) of that name. */
export function isSecurity(update: Pick<Update, 'origin' | 'section'>): boolean {
  return /security/i.test(`${update.origin ?? ''} ${update.section ?? ''}`);
}

/** What the product's own packages would be upgraded to: all that can be told without the right to see updates. */
export function coreUpdates(versions: NodeVersions): readonly Update[] {
  return versions.packages
    .filter((p: Package) => p.installed !== undefined && p.candidate !== undefined && p.installed !== p.candidate)
    .map((p) => ({ name: p.name, installed: p.installed, available: p.candidate, origin: undefined, section: undefined }));
}

/** The same package in different versions on different nodes. */
export interface Drift {
  readonly name: string;
  /** Version to the nodes that have it, sorted; `not installed` is a version, too. */
  readonly versions: ReadonlyMap<string, readonly string[]>;
}

/** Kernels pile up on purpose: which of them are installed is no difference worth a row. */
const KERNEL = /^(?:pve|proxmox)-kernel-\d+\.\d+\.\d+/;

/** Differences between nodes, by package. */
export function findDrift(nodes: readonly { readonly node: string; readonly versions: NodeVersions }[]): readonly Drift[] {
  if (nodes.length < 2) return [];
  const names = new Set(nodes.flatMap((n) => n.versions.packages.map((p) => p.name)).filter((name) => !KERNEL.test(name)));
  const installed = nodes.map(({ node, versions }) => ({
    node,
    versions: new Map(versions.packages.map((p) => [p.name, p.installed])),
  }));
  return [...names].sort(byText).flatMap((name) => {
    const groups = new Map<string, string[]>();
    for (const { node, versions } of installed) {
      const version = versions.get(name) ?? 'not installed';
      groups.set(version, [...(groups.get(version) ?? []), node]);
    }
    return groups.size < 2 ? [] : [{ name, versions: new Map([...groups].sort(([a], [b]) => byText(a, b))) }];
  });
}

/** A package source. */
export interface Repository {
  /** `http://download.proxmox.com/debian/pve trixie pve-no-subscription`, secrets hidden. */
  readonly source: string;
  readonly enabled: boolean;
  readonly file: string | undefined;
  readonly comment: string | undefined;
}

export interface Repositories {
  readonly repositories: readonly Repository[];
  /** Warnings and errors in the node's own words. */
  readonly remarks: readonly string[];
}

/** Source: GET /nodes/{node}/apt/repositories (Sys.Audit on /nodes/{node}). */
export async function readRepositories(call: Call, node: string): Promise<Repositories> {
  return parseRepositories((await call.get('/nodes/{node}/apt/repositories', { node })).data);
}

export function parseRepositories(data: unknown): Repositories {
  const root = rawOf(data);
  const repositories = rowsOf(root['files']).flatMap((file) =>
    rowsOf(file['repositories']).map((row) => parseRepository(row, cleaned(file['path']))),
  );
  const errors = rowsOf(root['errors']).map((row) => remark(row['error'], row['path']));
  const warnings = rowsOf(root['infos']).flatMap((row) =>
    textOf(row['kind']) === 'warning' ? [remark(row['message'], row['path'])] : [],
  );
  return { repositories, remarks: [...errors, ...warnings].filter((r) => r !== '') };
}

function parseRepository(row: Raw, file: string | undefined): Repository {
  const words = [row['URIs'], row['Suites'], row['Components']].flatMap((list) => texts(list));
  return {
    source: oneLine(scrubFreeText(words.join(' ')).text, 200),
    // Not told means that nobody switched it off.
    enabled: boolOf(row['Enabled']) ?? true,
    file,
    comment: commentOf(row['Comment']),
  };
}

function texts(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((v) => cleaned(v) ?? []);
  return isRaw(value) ? [] : [cleaned(value)].filter((v) => v !== undefined);
}

function remark(message: unknown, path: unknown): string {
  const text = commentOf(message);
  if (text === undefined) return '';
  const where = cleaned(path);
  return where === undefined ? text : `${text} (${where})`;
}
