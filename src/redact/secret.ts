import { inspect } from 'node:util';
import { REDACTED } from './marker.ts';

/**
 * A value that must not be printed by accident: string conversion, JSON, templates and `util.inspect` all show
 * `[redacted]`. Only {@link Secret.reveal} hands out the value, so every use of it can be found by name.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Call it only where the value is sent or compared. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [Symbol.toPrimitive](): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
