import { DemoHttpError, type Handler, HandlerReply, type HandlerRequest } from '../types.ts';
import type { DemoNode, DemoWorld } from '../world/types.ts';

/** A directory answer: rows with one key. */
export function directory(key: 'name' | 'subdir' | 'id' | 'type' | 'cmd', names: readonly string[]): Handler {
  return () => names.map((name) => ({ [key]: name }));
}

/** The error of a parameter that is well-formed, but wrong. */
export function badParameter(parameter: string, text: string): DemoHttpError {
  return new DemoHttpError(400, 'Parameter verification failed.', { [parameter]: text });
}

/** The error of a check in the code of an endpoint; without a path the API names nothing. */
export function forbidden(path?: string, ...privileges: string[]): DemoHttpError {
  const what = path === undefined ? '' : ` (${path}, ${privileges.join('|')})`;
  return new DemoHttpError(403, `Permission check failed${what}`);
}

/** Throws 403 unless the caller holds one of the privileges at the path. */
export function demand(request: HandlerRequest, path: string, ...anyOf: string[]): void {
  if (!request.may(path, ...anyOf)) throw forbidden(path, ...anyOf);
}

/** The parameter of that name; the engine has checked that it is there. */
export function parameter(request: HandlerRequest, name: string): string {
  const value = request.params[name] ?? request.query[name];
  if (value === undefined) throw badParameter(name, 'property is missing and it is not optional');
  return value;
}

/** The node of the path; `localhost` is the one that answers. */
export function nodeOf(world: DemoWorld, request: HandlerRequest): DemoNode {
  const name = parameter(request, 'node');
  const found = world.nodes.find((node) => (name === 'localhost' ? node.local : node.node === name));
  if (found !== undefined) return found;
  throw new DemoHttpError(
    500,
    `hostname lookup '${name}' failed - failed to get address info for: ${name}: Name or service not known`,
  );
}

/** True for a boolean query parameter that was given and is not 0. */
export function isSet(request: HandlerRequest, name: string): boolean {
  const value = request.query[name];
  return value !== undefined && value !== '0' && value !== '';
}

/**
 * A page of log lines as `{n, t}`, `start` counting from 0 and `n` from 1, with `total` beside it. Nothing at all comes
 * as a single made-up line, as the API has it.
 */
export function logPage(lines: readonly string[], request: HandlerRequest): HandlerReply {
  if (lines.length === 0) return new HandlerReply([{ n: 1, t: 'no content' }], { total: 1 });
  const start = Number(request.query.start ?? 0);
  const limit = Number(request.query.limit ?? 50);
  const rows = lines.slice(start, start + limit).map((line, index) => ({ n: start + index + 1, t: line }));
  return new HandlerReply(rows, { total: lines.length });
}

/** What the API says of a log file that is not there: a line that reads like one of the log. */
export function missingLog(): HandlerReply {
  return new HandlerReply([{ n: 1, t: 'unable to open file - No such file or directory' }], { total: 1 });
}

/** UTC as C's `ctime` writes it: `Tue Dec  1 21:30:00 2026`. */
export function ctime(epochSeconds: number): string {
  const [weekday, day, month, year, clock] = new Date(epochSeconds * 1000).toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${String(Number(day)).padStart(2, ' ')} ${clock} ${year}`;
}

/** True while more than half of the nodes are online. */
export function isQuorate(world: DemoWorld): boolean {
  return world.nodes.filter((node) => node.online).length * 2 > world.nodes.length;
}

/** Epoch seconds of the request. */
export function seconds(request: HandlerRequest): number {
  return Math.floor(request.now() / 1000);
}

/** True on the releases with HA rules, per-purpose agent privileges and fabrics. */
export function isNine(request: Pick<HandlerRequest, 'release'>): boolean {
  return request.release !== '7.4' && request.release !== '8.4';
}
