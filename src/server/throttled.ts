/** Tells how far a long read is. */
export type Report = (done: number, total: number, what: string) => void;

/** Most calls are over before anybody could read about them, and a message in the same breath as the result can get lost. */
const AFTER_MS = 1_000;
const EVERY_MS = 500;

/** Passes on what only a call that takes a while has to tell, and not every step of it. */
export function throttled(report: Report, now: () => number = Date.now): Report {
  let next = now() + AFTER_MS;
  let last = 0;
  return (done, total, what) => {
    if (now() < next || done <= last || done >= total) return;
    next = now() + EVERY_MS;
    last = done;
    report(done, total, what);
  };
}
