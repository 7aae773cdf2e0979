/** What is wrong with a value and what would be right; both are free of secrets and complete a sentence after the variable's name. */
export interface Fault {
  /** `"flase" is not a boolean` */
  readonly what: string;
  /** `true or false`: follows "use". */
  readonly accepts: string;
}

/** A checked value, or why it is refused. */
export type Parsed<T> = { readonly value: T; readonly fault?: undefined } | { readonly value?: undefined; readonly fault: Fault };
