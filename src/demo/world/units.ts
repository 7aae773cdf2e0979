export const KIB = 1024;
export const MIB = 1024 * KIB;
export const GIB = 1024 * MIB;
export const TIB = 1024 * GIB;

export const MINUTE = 60;
export const HOUR = 3600;
export const DAY = 86_400;

/** Whole bytes of a number of GiB. */
export function gib(count: number): number {
  return Math.round(count * GIB);
}
