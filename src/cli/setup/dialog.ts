import * as clack from '@clack/prompts';

/** One of several things to choose from. */
export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

/** A conversation with a person at a terminal. Every question may end it by throwing {@link Cancelled}. */
export interface Dialog {
  intro(title: string): void;
  outro(text: string): void;
  info(text: string): void;
  success(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  /** Several lines that belong together, as they are. */
  show(title: string, lines: readonly string[]): void;
  text(question: TextQuestion): Promise<string>;
  /** Nothing of what is typed appears anywhere. */
  secret(message: string, fault: (text: string) => string | undefined): Promise<string>;
  choose<T extends string>(message: string, choices: readonly Choice<T>[], first?: T): Promise<T>;
  confirm(message: string, yes?: boolean): Promise<boolean>;
}

export interface TextQuestion {
  readonly message: string;
  /** Stands there already and can be changed. */
  readonly initial?: string;
  readonly placeholder?: string;
  /** What is wrong with an answer. */
  readonly fault: (text: string) => string | undefined;
}

/** The person had enough (Ctrl-C, Esc). */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** The conversation on this process's terminal. */
export function terminalDialog(): Dialog {
  return {
    intro: (title) => clack.intro(title),
    outro: (text) => clack.outro(text),
    info: (text) => clack.log.info(text),
    success: (text) => clack.log.success(text),
    warn: (text) => clack.log.warn(text),
    error: (text) => clack.log.error(text),
    // Without the bar at the left, and without a box: commands are there to be copied.
    show: (title, lines) => clack.log.message([title, ...lines.map((line) => `  ${line}`)].join('\n'), { withGuide: false }),
    text: async ({ message, initial, placeholder, fault }) =>
      answered(
        await clack.text({
          message,
          validate: (text) => fault((text ?? '').trim()),
          ...(initial === undefined ? {} : { initialValue: initial }),
          ...(placeholder === undefined ? {} : { placeholder }),
        }),
      ).trim(),
    secret: async (message, fault) =>
      answered(
        await clack.password({ message, mask: '', clearOnError: true, validate: (text) => fault((text ?? '').trim()) }),
      ).trim(),
    choose: async (message, choices, first) => {
      const options: { value: string; label: string; hint?: string }[] = [...choices];
      const initialValue: string | undefined = first;
      const chosen = answered(await clack.select({ message, options, ...(initialValue === undefined ? {} : { initialValue }) }));
      const found = choices.find(({ value }) => value === chosen);
      if (found === undefined) throw new Error('a choice that was not offered');
      return found.value;
    },
    confirm: async (message, yes = true) => answered(await clack.confirm({ message, initialValue: yes })),
  };
}

function answered<T>(answer: T | symbol): Exclude<T, symbol> {
  if (clack.isCancel(answer) || typeof answer === 'symbol') throw new Cancelled('cancelled');
  // What is left after the check above; the compiler can't narrow a type parameter.
  return answer as Exclude<T, symbol>;
}
