/** What is needed of a stream to report on; `process.stderr` is one. */
export interface ProgressScreen {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Reports how far a call is, and takes the report away at its end. */
export interface ProgressLine {
  readonly report: (done: number, total: number, what: string) => void;
  end(): void;
}

/** Most calls are over before anybody could read about them. */
const AFTER_MS = 1_000;
const EVERY_MS = 500;
const ERASE = '\r\u001b[K';

/**
 * Progress for a person or a log: on a terminal one line that is overwritten, elsewhere a line at a time.
 *
 * @param now milliseconds
 */
export function progressLine(screen: ProgressScreen, now: () => number = Date.now): ProgressLine {
  let next = now() + AFTER_MS;
  let last = 0;
  let shown = false;
  return {
    report(done, total, what) {
      if (now() < next || done <= last || done >= total) return;
      next = now() + EVERY_MS;
      last = done;
      const text = `${done} of ${total} ${what}`;
      screen.write(screen.isTTY === true ? `${ERASE}${text}` : `mcp-proxmox call: ${text}\n`);
      shown = screen.isTTY === true;
    },
    end() {
      if (shown) screen.write(ERASE);
    },
  };
}
