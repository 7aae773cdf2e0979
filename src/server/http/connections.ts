import type { Server } from 'node:net';
import { isLoopback, isPeer, ownerOf, plainAddress } from './address.ts';
import { createLimiter } from './limiter.ts';
import type { AuthMode } from './options.ts';

/** Of all connections together; so many are far more than the callers of one server need. */
export const MAX_CONNECTIONS = 4_096;
/** Of one address or IPv6 /64: whoever has no token at all must not take the places of everybody else. A team may share an address. */
const MAX_PER_ADDRESS = MAX_CONNECTIONS / 4;

export interface ConnectionBounds {
  /** Addresses that stand for others: proxies. */
  readonly isExempt: (address: string) => boolean;
  /** Told of every connection that is turned away. */
  readonly refused: (address: string | undefined) => void;
  readonly most?: number;
}

/**
 * Ends connections of an address that has too many, before anything is read from them.
 */
export function boundConnections(server: Server, { isExempt, refused, most = MAX_PER_ADDRESS }: ConnectionBounds): void {
  const limiter = createLimiter();
  const limits = { ratePerMinute: Number.MAX_SAFE_INTEGER, maxConcurrent: most };
  server.maxConnections = MAX_CONNECTIONS;
  server.on('drop', (connection) => refused(connection?.remoteAddress));
  server.on('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    if (isExempt(remoteAddress)) return;
    const admission = limiter.admit(ownerOf(remoteAddress), limits);
    if (admission.refused === undefined) {
      socket.once('close', admission.release);
      return;
    }
    socket.destroy();
    refused(remoteAddress);
  });
}

/** Whether the connections of many callers may come from an address: a trusted proxy's, or one on this machine. */
export function isShared(address: string, auth: AuthMode): boolean {
  return isLoopback(plainAddress(address)) || (auth.kind === 'proxy' && isPeer(auth.peers, address));
}
