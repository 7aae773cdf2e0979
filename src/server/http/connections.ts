import type { Server } from 'node:net';
import { isLoopback, isPeer, ownerOf, plainAddress } from './address.ts';
import { createLimiter } from './limiter.ts';
import type { AuthMode } from './options.ts';

/** Of all connections together; so many are far more than the callers of one server need. */
export const MAX_CONNECTIONS = 4_096;
/** Of one address or IPv6 /64: whoever has no token at all must not take the places of everybody else. A team may share an address. */
const MAX_PER_ADDRESS = MAX_CONNECTIONS / 4;

/**
 * Ends connections of an address that has too many, before anything is read from them.
 *
 * @param isExempt addresses that stand for others: proxies
 */
export function boundConnections(server: Server, isExempt: (address: string) => boolean, most = MAX_PER_ADDRESS): void {
  const limiter = createLimiter();
  const limits = { ratePerMinute: Number.MAX_SAFE_INTEGER, maxConcurrent: most };
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    if (isExempt(remoteAddress)) return;
    const admission = limiter.admit(ownerOf(remoteAddress), limits);
    if (admission.refused === undefined) socket.once('close', admission.release);
    else socket.destroy();
  });
}

/** Whether the connections of many callers may come from an address: a trusted proxy's, or one on this machine. */
export function isShared(address: string, auth: AuthMode): boolean {
  return isLoopback(plainAddress(address)) || (auth.kind === 'proxy' && isPeer(auth.peers, address));
}
