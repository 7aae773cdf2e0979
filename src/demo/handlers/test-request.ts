import type { DemoRelease, Handler, HandlerRequest, HandlerTable, Rights } from '../types.ts';
import { HandlerReply } from '../types.ts';

/** Who asks in a handler test: everything allowed, an auditor, nothing, or what a rule says. */
export type TestRights = 'all' | 'auditor' | 'none' | ((path: string, privilege: string) => boolean);

export interface TestCall {
  readonly query?: Readonly<Record<string, string>>;
  readonly release?: DemoRelease;
  readonly rights?: TestRights;
  readonly identity?: string;
  /** Epoch milliseconds. */
  readonly now?: number;
}

const AUDITOR: ReadonlySet<string> = new Set([
  'VM.Audit',
  'VM.GuestAgent.Audit',
  'Sys.Audit',
  'Datastore.Audit',
  'SDN.Audit',
  'Pool.Audit',
  'Mapping.Audit',
]);

const NONE: Rights = new Map();

function allowed(rights: TestRights, path: string, privilege: string): boolean {
  if (typeof rights === 'function') return rights(path, privilege);
  return rights === 'all' || (rights === 'auditor' && AUDITOR.has(privilege));
}

/** The template of a table that a concrete path matches, and its parameters. */
export function matchTemplate(
  table: HandlerTable,
  path: string,
): { template: string; handler: Handler; params: Record<string, string> } {
  const parts = path.split('/');
  let best: { template: string; handler: Handler; params: Record<string, string> } | undefined;
  for (const [template, handler] of Object.entries(table)) {
    const names = template.split('/');
    const params: Record<string, string> = {};
    // Only a volume holds slashes.
    const open = names.at(-1) === '{volume}';
    if (names.length !== parts.length && !(open && parts.length > names.length)) continue;
    const matches = names.every((name, index) => {
      const rest = index === names.length - 1 ? parts.slice(index).join('/') : (parts[index] ?? '');
      if (!name.startsWith('{')) return name === rest;
      params[name.slice(1, -1)] = decodeURIComponent(rest);
      return true;
    });
    if (matches && (best === undefined || Object.keys(params).length < Object.keys(best.params).length))
      best = { template, handler, params };
  }
  if (best === undefined) throw new Error(`no handler for ${path}`);
  return best;
}

/** Calls the handler of a concrete path as the engine would, without its checks; `data` and what stands beside it. */
export function call(
  table: HandlerTable,
  path: string,
  options: TestCall = {},
): { data: unknown; extra: Readonly<Record<string, unknown>> } {
  const { template, handler, params } = matchTemplate(table, path);
  const rights = options.rights ?? 'all';
  const now = options.now ?? Date.now();
  const request: HandlerRequest = {
    template,
    params,
    query: options.query ?? {},
    release: options.release ?? '9.2.11',
    identity: options.identity ?? 'tester@pve!test',
    rights: () => NONE,
    may: (acl, ...anyOf) => anyOf.some((privilege) => allowed(rights, acl, privilege)),
    now: () => now,
  };
  const reply = handler(request);
  return reply instanceof HandlerReply ? { data: reply.data, extra: reply.extra } : { data: reply, extra: {} };
}
