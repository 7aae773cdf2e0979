import type { Socket } from 'node:net';

/** The real API closes a connection after this many requests. */
const REQUESTS_PER_CONNECTION = 100;

/** How long each connection still lives. */
export interface ConnectionBook {
  /** False when the connection was given up: what a client pipelined behind its last request is not looked at. */
  open(socket: Socket): boolean;
  /** Counts a request; true when its answer is the connection's last. */
  count(socket: Socket): boolean;
  /** Gives a connection up; its current answer is the last. */
  giveUp(socket: Socket): void;
}

/** Creates the book; a connection is given up by itself with request number `limit`. */
export function createConnectionBook(limit = REQUESTS_PER_CONNECTION): ConnectionBook {
  const counts = new WeakMap<Socket, number>();
  return {
    open: (socket) => (counts.get(socket) ?? 0) < limit,
    count(socket) {
      const count = (counts.get(socket) ?? 0) + 1;
      counts.set(socket, count);
      return count >= limit;
    },
    giveUp(socket) {
      counts.set(socket, limit);
    },
  };
}
