/** Calls handlers the way the engine does, without the engine: no validation, no endpoint permission check. */
import { rightsOf } from '../rights.ts';
import { type DemoOptions, HandlerReply } from '../types.ts';
import { createWorld } from '../world/create-world.ts';
import type { DemoWorld } from '../world/types.ts';
import { createHandlers } from './create-handlers.ts';
import { matchTemplate } from './test-request.ts';

export const NOW = Date.UTC(2026, 10, 30, 8);

export interface AskOptions {
  readonly query?: Readonly<Record<string, string>>;
  /** `user@realm!token`; default: the auditor's token. */
  readonly identity?: string;
  /** Epoch milliseconds; default: NOW. */
  readonly at?: number;
}

export interface Asker {
  readonly world: DemoWorld;
  /** Answer of a concrete path: the reply as the engine would get it. Throws what the handler throws. */
  reply(path: string, options?: AskOptions): HandlerReply;
  /** Its `data` member as JSON would carry it. */
  ask(path: string, options?: AskOptions): unknown;
  /** The same as a list of rows; throws when it is something else. */
  rows(path: string, options?: AskOptions): Record<string, unknown>[];
  /** The same as one object. */
  row(path: string, options?: AskOptions): Record<string, unknown>;
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A world and a way to ask the handlers of its areas. */
export function createAsker(worldOptions: DemoOptions = {}): Asker {
  const world = createWorld({ now: NOW, ...worldOptions });
  const table = createHandlers(world);
  const reply = (path: string, options: AskOptions = {}): HandlerReply => {
    const { template, handler, params } = matchTemplate(table, path);
    const identity = options.identity ?? world.areas.access.tokens.auditor.id;
    const rights = rightsOf(world, identity);
    const answer = handler({
      template,
      params,
      query: options.query ?? {},
      release: world.release,
      identity,
      rights,
      may: (at, ...anyOf) => anyOf.some((privilege) => rights(at).has(privilege)),
      now: () => options.at ?? NOW,
    });
    return answer instanceof HandlerReply ? answer : new HandlerReply(answer, {});
  };
  const ask = (path: string, options?: AskOptions): unknown => JSON.parse(JSON.stringify(reply(path, options).data ?? null));
  return {
    world,
    reply,
    ask,
    rows: (path, options) => {
      const data = ask(path, options);
      if (!Array.isArray(data) || !data.every(isRow)) throw new Error(`${path} is no list of rows`);
      return data;
    },
    row: (path, options) => {
      const data = ask(path, options);
      if (!isRow(data)) throw new Error(`${path} is no object`);
      return data;
    },
  };
}
