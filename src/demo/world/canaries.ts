import type { CanarySink } from './types.ts';

/**
 * Registers a planted secret and gives it back, so that it can be written where it stands.
 * `forms` are the other encodings in which the value appears in an answer (percent, base64, ...).
 */
export function plant(sink: CanarySink, place: string, value: string, ...forms: string[]): string {
  sink.canaries.push({ place, value, forms });
  return value;
}

/** Every planted secret, in every form it may appear in; without duplicates. */
export function collectCanaries(sink: CanarySink): readonly string[] {
  const forms = new Set<string>();
  for (const canary of sink.canaries) {
    forms.add(canary.value);
    for (const form of canary.forms) forms.add(form);
  }
  return [...forms];
}
