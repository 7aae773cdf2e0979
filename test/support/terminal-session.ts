import { spawn, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** A program at a pseudo-terminal, and a person at its keyboard. */
export interface TerminalSession {
  /** Waits until a text was shown after everything that was waited for before. */
  expect(text: string | RegExp): Promise<void>;
  type(keys: string): void;
  /** All that was shown, control sequences included. */
  raw(): string;
  /** All that was shown, as a person reads it. */
  text(): string;
  /** Exit code, once the program has ended. */
  readonly ended: Promise<number | null>;
  kill(): void;
}

export const ENTER = '\r';
export const DOWN = '\u001b[B';
export const CTRL_C = '\u0003';

/** True where util-linux's script(1) is: it gives a program a real pseudo-terminal. */
export const hasTerminal = /util-linux/.test(String(spawnSync('script', ['--version']).stdout ?? ''));

const PATIENCE_MS = 20_000;

/** Starts a program at a pseudo-terminal of 200 columns. */
export function openTerminal(command: readonly string[], env: Readonly<Record<string, string>>, cwd?: string): TerminalSession {
  const line = `stty cols 200 rows 60; exec ${command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')}`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  let shown = '';
  let seen = 0;
  let wake: () => void = () => undefined;
  let over = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    wake();
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      over = true;
      wake();
      resolve(code);
    });
  });
  const text = (): string => stripVTControlCharacters(shown);
  return {
    async expect(wanted) {
      const deadline = Date.now() + PATIENCE_MS;
      for (;;) {
        const rest = text().slice(seen);
        const at = typeof wanted === 'string' ? rest.indexOf(wanted) : rest.search(wanted);
        if (at >= 0) {
          seen += at + 1;
          // The program shows a question before it listens for the answer.
          await new Promise((resolve) => setTimeout(resolve, 100));
          return;
        }
        if (over || Date.now() > deadline) throw new Error(`"${String(wanted)}" did not appear; shown since then:\n${rest}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, 250);
        });
      }
    },
    type: (keys) => void child.stdin.write(keys),
    raw: () => shown,
    text,
    ended,
    kill: () => void child.kill('SIGKILL'),
  };
}
