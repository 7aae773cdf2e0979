/** A tiny world and handler table, and a plain HTTPS client, for the tests of the engine. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { loadFacts } from './facts.ts';
import { createDemoServer, type DemoServer, type DemoServerOptions } from './server.ts';
import {
  type AclEntry,
  DemoHttpError,
  type DemoRelease,
  HandlerReply,
  type HandlerTable,
  type World,
  type WorldUser,
} from './types.ts';

export const NOW = Date.UTC(2026, 10, 30, 8);
const SECOND = NOW / 1000;

const AUDITOR = ['Datastore.Audit', 'Mapping.Audit', 'Pool.Audit', 'SDN.Audit', 'Sys.Audit', 'VM.Audit', 'VM.GuestAgent.Audit'];

function token(tokenid: string, privsep: 0 | 1 = 1, expire = 0): WorldUser['tokens'][number] {
  return { tokenid, secret: `secret-of-${tokenid}`, privsep, expire };
}

function user(userid: string, groups: string[], tokens: WorldUser['tokens'], extra: Partial<WorldUser> = {}): WorldUser {
  return { userid, groups, enable: 1, expire: 0, tokens, ...extra };
}

function entry(path: string, type: AclEntry['type'], ugid: string, roleid: string, propagate: 0 | 1 = 1): AclEntry {
  return { path, type, ugid, roleid, propagate };
}

/** The cast of the recorded cluster: nodes pve1 (local), pve2, pve3 (offline), pools prod, prod/web, lab. */
export function tinyWorld(): World & { guests: ReadonlyMap<number, unknown>; pools: { poolid: string; storages: string[] }[] } {
  const pools = new Map([
    [100, 'prod'],
    [101, 'prod'],
    [102, 'prod'],
    [103, 'lab'],
    [104, 'prod/web'],
  ]);
  return {
    now: NOW,
    users: [
      user('root@pam', [], [token('full', 0), token('narrow', 1)]),
      user(
        'mcp@pve',
        ['ops'],
        [token('readonly'), token('noacl'), token('nopriv', 0), token('vms'), token('stale', 1, SECOND - 60)],
      ),
      user('alice@pve', [], [token('cli'), token('own', 0)]),
      user('admin@pve', [], [token('write')]),
      user('bob@pve', ['corp-admins'], [token('script')], { enable: 0 }),
      user('carol@pve', [], [token('late')], { expire: SECOND - 1 }),
    ],
    acl: [
      entry('/', 'user', 'mcp@pve', 'PVEAuditor'),
      entry('/', 'token', 'mcp@pve!readonly', 'PVEAuditor'),
      entry('/', 'user', 'admin@pve', 'Administrator'),
      entry('/', 'token', 'admin@pve!write', 'Administrator'),
      entry('/mapping', 'group', 'ops', 'PVEMappingUser'),
      entry('/nodes', 'group', 'ops', 'Watcher', 0),
      entry('/pool/prod', 'user', 'alice@pve', 'PVEVMUser'),
      entry('/storage/local', 'group', 'corp-admins', 'PVEDatastoreUser'),
      entry('/vms/100', 'token', 'mcp@pve!vms', 'PVEAuditor'),
      entry('/vms/101', 'token', 'alice@pve!cli', 'AgentRead'),
      entry('/vms/102', 'user', 'alice@pve', 'NoAccess'),
      entry('/vms/200', 'token', 'mcp@pve!vms', 'PVEAuditor'),
      entry('/nodes/pve1', 'token', 'root@pam!narrow', 'Watcher'),
    ],
    roles: {
      Administrator: [
        ...AUDITOR,
        'Datastore.Allocate',
        'Datastore.AllocateSpace',
        'Permissions.Modify',
        'Pool.Allocate',
        'Sys.Console',
        'Sys.Modify',
        'Sys.Syslog',
        'VM.Snapshot',
      ],
      NoAccess: [],
      PVEAuditor: AUDITOR,
      PVEMappingUser: ['Mapping.Audit', 'Mapping.Use'],
      PVEVMUser: ['VM.Audit', 'VM.Console', 'VM.PowerMgmt', 'VM.GuestAgent.Audit'],
      PVEDatastoreUser: ['Datastore.AllocateSpace', 'Datastore.Audit'],
      AgentRead: ['VM.Audit', 'VM.GuestAgent.Audit', 'VM.GuestAgent.FileRead'],
      Watcher: ['Sys.Audit', 'VM.Audit'],
    },
    nodes: [
      { node: 'pve3', online: false },
      { node: 'pve1', online: true, local: true },
      { node: 'pve2', online: true },
    ],
    guests: new Map([100, 101, 102, 103, 104, 200].map((vmid) => [vmid, {}])),
    pools: [
      { poolid: 'prod', storages: ['local', 'nfs-media'] },
      { poolid: 'prod/web', storages: [] },
      { poolid: 'lab', storages: [] },
    ],
    poolOf: (vmid) => pools.get(vmid),
    poolsOfStorage: (storage) => (storage === 'local' || storage === 'nfs-media' ? ['prod'] : []),
  };
}

/** Handlers that show what the engine hands them. */
export function tinyHandlers(): HandlerTable {
  return {
    '/version': () => ({ version: '9.2.11', release: '9.2', repoid: '14a22df35955d97d' }),
    '/nodes': ({ may }) => [{ node: 'pve1', ...(may('/nodes/pve1', 'Sys.Audit') ? { cpu: 0.1 } : {}) }],
    '/nodes/{node}/status': ({ params, identity }) => ({ node: params.node, identity }),
    '/nodes/{node}/tasks': ({ query }) => new HandlerReply([query], { total: 68 }),
    '/nodes/{node}/rrddata': ({ params, query }) => [{ ...params, ...query }],
    '/nodes/{node}/qemu': () => [],
    '/nodes/{node}/journal': () => new HandlerReply(['one line'], {}, true),
    '/nodes/{node}/qemu/{vmid}/config': ({ params }) => {
      if (params.vmid === '999')
        throw new DemoHttpError(500, `Configuration file 'nodes/${params.node}/qemu-server/999.conf' does not exist`);
      return { name: `vm${params.vmid}` };
    },
    '/nodes/{node}/storage/{storage}/content/{volume}': ({ params }) => params,
    '/cluster/resources': () => Array.from({ length: 200 }, (_, index) => ({ id: `qemu/${index}`, name: 'grün' })),
    '/cluster/status': () => {
      throw new DemoHttpError(500, 'first line\nsecond line – ü\n');
    },
    '/cluster/tasks': () => {
      throw new TypeError('a mistake');
    },
    '/access/domains': () => [{ realm: 'pam' }],
    '/cluster/nextid': ({ now }) => String(now()),
  };
}

const servers: DemoServer[] = [];

/** Starts a server over the tiny world, without the long delays. `closeServers` ends all of them. */
export async function startServer(options: Partial<DemoServerOptions> & { release?: DemoRelease } = {}): Promise<DemoServer> {
  const release = options.release ?? '9.2.11';
  const server = await createDemoServer({
    world: tinyWorld(),
    handlers: tinyHandlers(),
    authDelayMs: 0,
    onCrash: () => undefined,
    ...options,
    release,
    facts: await loadFacts(release),
  });
  servers.push(server);
  return server;
}

export async function closeServers(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.close()));
}

/** `Authorization` value of a token of the tiny world. */
export function authorization(id: string): string {
  return `PVEAPIToken=${id}=secret-of-${id.split('!')[1] ?? ''}`;
}

export interface WireAnswer {
  readonly status: number;
  readonly reason: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly text: string;
}

export interface CallOptions {
  readonly method?: string;
  /** Token id; `readonly` of mcp@pve by default, none with `null`. */
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly agent?: Agent;
}

/** One request over the wire; `path` is put on the request line as it is. */
export function call(server: DemoServer, path: string, options: CallOptions = {}): Promise<WireAnswer> {
  const id = options.token === undefined ? 'mcp@pve!readonly' : options.token;
  const { port } = new URL(server.url);
  const request: RequestOptions = {
    host: '127.0.0.1',
    port,
    path,
    method: options.method ?? 'GET',
    ca: server.ca,
    agent: options.agent ?? false,
    headers: { ...(id === null ? {} : { authorization: authorization(id) }), ...options.headers },
  };
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(request, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const body = Buffer.concat(chunks);
        const { statusCode: status = 0, statusMessage: reason = '', headers, rawHeaders } = incoming;
        resolve({ status, reason, headers, rawHeaders, body, text: body.toString('utf8') });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(options.body);
  });
}
