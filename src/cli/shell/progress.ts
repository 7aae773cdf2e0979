import { type Report, throttled } from '../../server/throttled.ts';

/** What is needed of a stream to report on; `process.stderr` is one. */
export interface ProgressScreen {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Reports how far a call is, and takes the report away at its end. */
export interface ProgressLine {
  readonly report: Report;
  end(): void;
}

const ERASE = '\r\u001b[K';

/**
 * Progress for a person or a log: on a terminal one line that is overwritten, elsewhere a line at a time.
 *
 * @param now milliseconds
 */
export function progressLine(screen: ProgressScreen, now: () => number = Date.now): ProgressLine {
  let shown = false;
  return {
    report: throttled((done, total, what) => {
      const text = `${done} of ${total} ${what}`;
      screen.write(screen.isTTY === true ? `${ERASE}${text}` : `mcp-proxmox call: ${text}\n`);
      shown = screen.isTTY === true;
    }, now),
    end() {
      if (shown) screen.write(ERASE);
    },
  };
}
