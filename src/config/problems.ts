import { ConfigError, ConfigErrors } from './config-error.ts';
import type { Fault, Parsed } from './parsed.ts';

/** Secrets shorter than this aren't looked for in messages: they would blank ordinary words, and no token has one. */
const MIN_SECRET_LENGTH = 6;

/**
 * Collects what is wrong while a configuration is read, so that all of it is reported together. Knows the secrets that were
 * given, whole and rightly formed or not, and keeps them out of every message.
 */
export class Problems {
  readonly #found: { variable: string; fault: Fault }[] = [];
  readonly #secrets = new Set<string>();

  /** This text is kept out of every message, whether noted before or after. */
  hide(secret: string): void {
    const text = secret.trim();
    if (text.length >= MIN_SECRET_LENGTH) this.#secrets.add(text);
  }

  add(variable: string, fault: Fault): void {
    this.#found.push({ variable, fault });
  }

  /** The value, or undefined after noting why there is none. */
  take<T>(variable: string, parsed: Parsed<T>): T | undefined {
    if (parsed.fault === undefined) return parsed.value;
    this.add(variable, parsed.fault);
    return undefined;
  }

  /** Throws {@link ConfigErrors} when anything was noted. */
  throwIfAny(): void {
    if (this.#found.length === 0) return;
    // Only what is wrong can hold text of the person's; what is accepted are our own words.
    const errors = this.#found.map(
      ({ variable, fault }) => new ConfigError(variable, { ...fault, what: this.#scrub(fault.what) }),
    );
    throw new ConfigErrors(errors);
  }

  #scrub(text: string): string {
    let clean = text;
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, '[redacted]');
    return clean;
  }
}
