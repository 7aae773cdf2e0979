/** What switched faults do to a request. */
import type { ServerResponse } from 'node:http';
import { bareReply, errorReply, htmlReply, type Reply } from './reply.ts';
import { writeHead } from './send.ts';
import { DemoHttpError, type DemoRelease, type Fault } from './types.ts';

const JSON_HEADERS = ['Cache-Control', 'max-age=0', 'Connection', 'close', 'Content-Type', 'application/json;charset=UTF-8'];
const DEFAULT_DRIP_MS = 1000;
const DRIP_BYTES = 86_400;

/**
 * The reply that a fault puts in the place of the true one; undefined when it replaces none (`slow`) or when it is
 * played on the connection itself (`hang`, `reset`, `drip`, `huge`). `truth` makes the true reply.
 */
export function faultReply(fault: Fault, release: DemoRelease, truth: () => Reply): Reply | undefined {
  switch (fault.kind) {
    case 'html':
      return htmlReply('Sign in', 'Please sign in to continue.');
    case 'broken-json':
      return cut(truth());
    case 'status-595':
      return bareReply(595, 'No route to host');
    case 'status-596':
      return bareReply(596, 'Connection timed out');
    case 'status-500':
      return errorReply(new DemoHttpError(500, 'ipcc_send_rec[1] failed: Connection refused'), 'json', release);
    default:
      return undefined;
  }
}

/** Half of a successful body, under a 200 with a fitting Content-Length. */
function cut(reply: Reply): Reply {
  const whole = reply.status === 200 && reply.body !== undefined ? reply.body : '{"data":[{"id":"node/pve1","type":"node"}]}';
  return { ...reply, status: 200, reason: 'OK', body: whole.slice(0, Math.ceil(whole.length / 2)) };
}

/** Plays the faults that happen on the connection; says the status for the log (0: none was sent), undefined for other faults. */
export function playOnConnection(fault: Fault, response: ServerResponse): number | undefined {
  switch (fault.kind) {
    case 'hang':
      return 0;
    case 'reset':
      response.socket?.destroy();
      return 0;
    case 'drip':
      drip(response, fault.delayMs ?? DEFAULT_DRIP_MS);
      return 200;
    case 'huge':
      flood(response);
      return 200;
    default:
      return undefined;
  }
}

/** Headers at once, then a byte per interval, for a day. */
function drip(response: ServerResponse, intervalMs: number): void {
  writeHead(response, 200, 'OK', [...JSON_HEADERS, 'Content-Length', String(DRIP_BYTES)]);
  response.flushHeaders();
  const timer = setInterval(() => response.write(' '), intervalMs);
  response.on('close', () => clearInterval(timer));
}

/** A JSON list without end, as fast as the client takes it. */
function flood(response: ServerResponse): void {
  writeHead(response, 200, 'OK', JSON_HEADERS);
  const block = '{"id":"qemu/100","type":"qemu","status":"running"},'.repeat(1300);
  const pour = () => {
    while (!response.destroyed && response.write(block)) {
      // The socket takes more.
    }
  };
  response.write('{"data":[');
  response.on('drain', pour);
  pour();
}
