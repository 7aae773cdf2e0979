/**
 * Lets requests that arrive together begin one after the other, with a look at the network in between. Each takes
 * milliseconds of this one thread: hundreds in a row would hold up the answers of the clusters that others wait for.
 * Resolves in the order of the calls.
 */
export function createTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];

  function next(): void {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  }

  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(next);
    });
}
