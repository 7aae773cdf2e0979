/** Short words that may be shown back: long enough for any setting of ours, too short for a token secret. */
const SHOWABLE = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,23}$/;
/** Eight or more hex digits in a row may be a piece of a token secret. */
const HEX_RUN = /[0-9a-f]{8}/i;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/**
 * A wrong value as a message may show it: in quotes when it is a short plain word, otherwise only `the value`. People paste
 * secrets into the wrong variable, so whatever could be one is never repeated.
 */
export function quoted(value: string): string {
  return SHOWABLE.test(value) && !HEX_RUN.test(value) ? `"${value}"` : 'the value';
}

/** Last line of defence for every configuration message: token secrets, by their form, become `[redacted]`. */
export function withoutUuids(text: string): string {
  return text.replace(UUID, '[redacted]');
}
