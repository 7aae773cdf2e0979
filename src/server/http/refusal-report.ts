/** However many are turned away, there is one line about them in this time. */
const EVERY_MS = 10_000;

/** Tells people about requests and connections that were turned away, without letting whoever sends them fill the log. */
export interface RefusalReport {
  refused(reason: string, from: string | undefined): void;
  close(): void;
}

export function createRefusalReport(tell: (line: string) => void): RefusalReport {
  const counts = new Map<string, { count: number; from: string }>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    for (const [reason, { count, from }] of counts) tell(`http: ${count} refused (${reason}), the last from ${from}`);
    counts.clear();
  }

  return {
    refused(reason, from = 'unknown') {
      counts.set(reason, { count: (counts.get(reason)?.count ?? 0) + 1, from });
      timer ??= setTimeout(flush, EVERY_MS).unref();
    },
    close() {
      clearTimeout(timer);
      flush();
    },
  };
}
