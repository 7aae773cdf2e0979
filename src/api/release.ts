/** A release of Proxmox VE, as `/version` tells it. */
export interface Release {
  readonly major: number;
  readonly minor: number;
  /** The whole text, e.g. `9.2.11`. */
  readonly text: string;
}

/** Parses `9.2.11`, `8.4-1`, `pve-manager/8.4.1/abc`; undefined when there is no number in it. */
export function parseRelease(text: string): Release | undefined {
  const match = /(\d+)\.(\d+)/.exec(text);
  if (match === null) return undefined;
  return { major: Number(match[1]), minor: Number(match[2]), text };
}

/** True when the release is `wanted` (`"8.1"`) or newer. */
export function atLeast(release: Release, wanted: string): boolean {
  const w = parseRelease(wanted);
  if (w === undefined) throw new Error(`not a release: ${wanted}`);
  return release.major > w.major || (release.major === w.major && release.minor >= w.minor);
}

/** What a release must have when `/version` cannot be told: the newest one known. */
export const NEWEST_KNOWN: Release = { major: 9, minor: 2, text: '9.2' };
