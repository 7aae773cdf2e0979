/** Deterministic pseudo-random numbers: equal seeds give equal data sets. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** Integer in [low, high]. */
  int(low: number, high: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
  chance(probability: number): boolean;
}

/** 32-bit FNV-1a of a text. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value ^= text.charCodeAt(index);
    value = Math.imul(value, 0x01000193);
  }
  return value >>> 0;
}

export function createRandom(seed: number | string): Random {
  let state = (typeof seed === 'string' ? hash(seed) : seed) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    int: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
    chance: (probability) => next() < probability,
  };
}

/** `length` hexadecimal digits that depend on nothing but the seed. */
export function hex(seed: string, length: number): string {
  const random = createRandom(seed);
  let text = '';
  while (text.length < length) text += Math.floor(random.next() * 16).toString(16);
  return text;
}

/** A certificate fingerprint, `AA:BB:...` with 32 bytes. */
export function fingerprintOf(seed: string): string {
  return (hex(seed, 64).toUpperCase().match(/../g) ?? []).join(':');
}

/** A version-4 style UUID. */
export function uuidOf(seed: string): string {
  const digits = hex(seed, 32);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}
