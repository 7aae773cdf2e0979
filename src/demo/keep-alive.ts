import type { Socket } from 'node:net';

/** The real API closes a connection after this many requests. */
const REQUESTS_PER_CONNECTION = 100;

/** Counts requests per connection; the returned function says whether this one must be the connection's last. */
export function createRequestCounter(limit = REQUESTS_PER_CONNECTION): (socket: Socket) => boolean {
  const counts = new WeakMap<Socket, number>();
  return (socket) => {
    const count = (counts.get(socket) ?? 0) + 1;
    counts.set(socket, count);
    return count >= limit;
  };
}
