/**
 * Many callers at once against the HTTP server, over a generated cluster. Every answer is compared with the data set
 * behind it: a wrong one, a failed one, or a row that its caller may not see ends the run with exit code 1.
 *
 *   npm run build && node bench/http-load.mjs [--seconds 60] [--callers 200] [--nodes 32] [--guests 5000] [--profile FOLDER]
 *
 * A fifth of the callers send a Proxmox token of their own that may see nothing. The cluster, the server and the load
 * run in three processes of their own.
 */
import { fork, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    callers: { type: 'string', default: '200' },
    nodes: { type: 'string', default: '32' },
    guests: { type: 'string', default: '5000' },
    profile: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const callers = Number(values.callers);
const root = new URL('..', import.meta.url).pathname;
const work = mkdtempSync(join(tmpdir(), 'mcp-proxmox-load-'));
const children = [];

async function startCluster() {
  writeFileSync(
    join(work, 'cluster.ts'),
    `import { startDemoCluster } from ${JSON.stringify(join(root, 'src/demo/start-demo-cluster.ts'))};
     const demo = await startDemoCluster({ nodes: ${Number(values.nodes)}, guests: ${Number(values.guests)}, authDelayMs: 0 });
     const paths = new Map();
     let total = 0;
     // The log is for tests: here it is counted and forgotten.
     function count() {
       for (const { path } of demo.requests.splice(0)) {
         total += 1;
         const kind = path.replace(/\\/(nodes|qemu|lxc|storage|pools)\\/[^/]+/g, '/$1/*');
         paths.set(kind, (paths.get(kind) ?? 0) + 1);
       }
     }
     setInterval(count, 200);
     process.on('message', () => { count(); process.send({ total, paths: [...paths] }); });
     process.send({
       url: demo.url, ca: demo.ca, auditor: demo.token('auditor'), blind: demo.token('noacl'),
       online: Object.fromEntries(demo.world.nodes.map((n) => [n.node, n.online])),
       guests: [...demo.world.guests.values()].map((g) => ({ vmid: g.vmid, name: g.name, node: g.node, type: g.type })),
     });`,
  );
  await bundle('cluster', join(work, 'cluster.ts'), join(work, 'out'));
  const child = fork(join(work, 'out/cluster.mjs'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  children.push(child);
  const facts = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`the cluster ended with ${code}`)));
  });
  const counts = () =>
    new Promise((resolve) => {
      child.once('message', resolve);
      child.send('count');
    });
  return { ...facts, counts };
}

async function startServer(cluster) {
  writeFileSync(join(work, 'ca.pem'), cluster.ca);
  const tokens = Array.from({ length: callers }, () => `mcpx_${randomBytes(32).toString('base64url')}`);
  const entries = tokens.map((token, i) => ({ name: `caller-${i}`, sha256: createHash('sha256').update(token).digest('hex') }));
  writeFileSync(join(work, 'callers.json'), JSON.stringify({ callers: entries }), { mode: 0o600 });
  const child = spawn(
    process.execPath,
    [
      ...(values.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', values.profile]),
      join(root, 'dist/mcp-proxmox.mjs'),
      'serve',
      '--http',
      '127.0.0.1:0',
      '--auth-file',
      join(work, 'callers.json'),
      '--caller-proxmox-token',
      '--rate-limit',
      '100000',
      '--audit-log',
      join(work, 'audit.jsonl'),
    ],
    {
      env: {
        PATH: process.env.PATH,
        PROXMOX_URL: cluster.url,
        PROXMOX_TOKEN_ID: cluster.auditor.id,
        PROXMOX_TOKEN_SECRET: cluster.auditor.secret,
        PROXMOX_CA_FILE: join(work, 'ca.pem'),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  children.push(child);
  const url = await new Promise((resolve, reject) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
      const found = /http:\/\/[^ ]+\/mcp/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
  return { child, url, tokens };
}

const agent = new Agent({ keepAlive: true, maxSockets: callers });

function callTool(url, headers, name, args) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method: 'POST',
        agent,
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode !== 200) return resolve({ isError: true, text: `HTTP ${response.statusCode} ${text}` });
          const { result, error } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
          resolve(
            result === undefined
              ? { isError: true, text: error.message }
              : { isError: result.isError ?? false, text: result.content[0].text },
          );
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Rows of the table in an answer. */
function rowsOf(text, firstColumn) {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`${firstColumn}\t`));
  if (start < 0) return [];
  const keys = lines[start].split('\t');
  return lines.slice(start + 1).flatMap((line) => {
    const cells = line.split('\t');
    return cells.length === 1 ? [] : [Object.fromEntries(keys.map((key, i) => [key, cells[i] ?? '']))];
  });
}

/** A question and what is wrong with its answer; undefined when nothing is. */
function questions(cluster) {
  const byVmid = new Map(cluster.guests.map((g) => [g.vmid, g]));
  const onlineGuests = cluster.guests.filter((g) => cluster.online[g.node]);
  const nodes = Object.keys(cluster.online);
  const pick = (list) => list[Math.floor(Math.random() * list.length)];
  const rowsWrong = (text, inside) => {
    const rows = rowsOf(text, 'vmid');
    for (const row of rows) {
      const guest = byVmid.get(Number(row.vmid));
      if (guest === undefined) return `no guest ${row.vmid}`;
      if (guest.type !== row.type || guest.node !== row.node) return `guest ${row.vmid} is ${row.type} on ${row.node}`;
      if (cluster.online[guest.node] && row.name !== guest.name) return `guest ${row.vmid} is named ${row.name}`;
      if (!inside(guest)) return `guest ${row.vmid} was not asked for`;
    }
    return rows.length === 0 ? 'no rows' : undefined;
  };
  return [
    () => {
      const node = pick(nodes);
      const expected = cluster.guests.filter((g) => g.node === node).length;
      return {
        name: 'list_guests',
        args: { node, limit: 50 },
        wrong: (text) =>
          text.startsWith(`${expected} guests `) ? rowsWrong(text, (g) => g.node === node) : `not ${expected} guests on ${node}`,
      };
    },
    () => ({
      name: 'list_guests',
      args: { limit: 30, sort: pick(['vmid', 'name', 'cpu', 'mem']) },
      wrong: (text) => (text.startsWith(`${cluster.guests.length} guests`) ? rowsWrong(text, () => true) : 'not all guests'),
    }),
    () => {
      const guest = pick(onlineGuests);
      return {
        name: 'get_guest_status',
        args: { vmid: guest.vmid },
        wrong: (text) =>
          // One without a name is listed as `VM 105`.
          (text.startsWith(`${guest.name} (`) && text.includes(` ${guest.vmid}) on ${guest.node}`)) ||
          text.startsWith(`${guest.type === 'qemu' ? 'VM' : 'CT'} ${guest.vmid} on ${guest.node}`)
            ? undefined
            : 'another guest',
      };
    },
    () => ({
      name: 'list_nodes',
      args: {},
      wrong: (text) => {
        const rows = rowsOf(text, 'node');
        if (rows.length !== nodes.length) return `${rows.length} nodes`;
        const off = rows.find((row) => (row.status === 'online') !== cluster.online[row.node]);
        return off === undefined ? undefined : `${off.node} is ${off.status}`;
      },
    }),
    () => {
      const guest = pick(cluster.guests);
      return {
        name: 'list_guests',
        args: { query: String(guest.vmid), limit: 100 },
        wrong: (text) =>
          rowsOf(text, 'vmid').some((row) => Number(row.vmid) === guest.vmid) ? undefined : `guest ${guest.vmid} is missing`,
      };
    },
  ];
}

/** What a caller without any right may be told. */
function blindQuestions(cluster) {
  const guest = cluster.guests[0];
  return [
    () => ({
      name: 'list_guests',
      args: {},
      wrong: (text) => (/^0 visible guests/.test(text) && text.includes('Hidden: guests') ? undefined : 'it sees guests'),
    }),
    () => ({ name: 'get_guest_status', args: { vmid: guest.vmid }, failsWith: /forbidden/, wrong: () => 'it sees a guest' }),
  ];
}

function residentMiB(pid) {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

/** Milliseconds of CPU that a process has used. */
function cpuMs(pid) {
  const [, user, system] = /\) \S(?: \S+){10} (\d+) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  return (Number(user) + Number(system)) * 10;
}

const percentile = (sorted, p) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? 0;

async function main() {
  const cluster = await startCluster();
  const server = await startServer(cluster);
  const sighted = questions(cluster);
  const blind = blindQuestions(cluster);
  const times = [];
  const wrong = [];
  const memory = [residentMiB(server.child.pid)];
  const sampler = setInterval(() => memory.push(residentMiB(server.child.pid)), 500);
  const before = await cluster.counts();
  const cpuBefore = cpuMs(server.child.pid);
  const began = performance.now();
  const end = began + seconds * 1000;

  await Promise.all(
    server.tokens.map(async (token, i) => {
      const own = i % 5 === 4;
      const headers = {
        authorization: `Bearer ${token}`,
        ...(own ? { 'x-proxmox-token': `${cluster.blind.id}=${cluster.blind.secret}` } : {}),
      };
      const mine = own ? blind : sighted;
      for (let turn = i; performance.now() < end; turn += 1) {
        const { name, args, failsWith, wrong: judge } = mine[turn % mine.length]();
        const start = performance.now();
        const { isError, text } = await callTool(server.url, headers, name, args).catch((error) => ({
          isError: true,
          text: String(error),
        }));
        times.push(performance.now() - start);
        const fault = isError ? (failsWith?.test(text) ? undefined : text) : judge(text);
        if (fault !== undefined) wrong.push(`${own ? 'blind ' : ''}${name} ${JSON.stringify(args)}: ${fault}`.slice(0, 300));
      }
    }),
  );
  const took = (performance.now() - began) / 1000;
  clearInterval(sampler);
  const cpu = cpuMs(server.child.pid) - cpuBefore;
  const after = await cluster.counts();
  const sorted = times.sort((a, b) => a - b);
  const upstream = after.total - before.total;
  const half = memory.slice(Math.floor(memory.length / 2));
  console.log(`${callers} callers at once for ${took.toFixed(0)} s over ${values.nodes} nodes and ${values.guests} guests`);
  console.log(`calls ${times.length} (${(times.length / took).toFixed(0)}/s), wrong or failed ${wrong.length}`);
  console.log(
    `time of a call: median ${percentile(sorted, 0.5).toFixed(0)} ms, p95 ${percentile(sorted, 0.95).toFixed(0)} ms, p99 ${percentile(sorted, 0.99).toFixed(0)} ms, longest ${(sorted.at(-1) ?? 0).toFixed(0)} ms`,
  );
  console.log(`CPU of the server: ${(cpu / times.length).toFixed(1)} ms a call`);
  console.log(`upstream requests ${upstream}: ${(upstream / took).toFixed(1)}/s, ${(upstream / times.length).toFixed(2)} a call`);
  for (const [path, count] of after.paths.sort((a, b) => b[1] - a[1]).slice(0, 6))
    console.log(`  ${String(count).padStart(6)} ${path}`);
  console.log(
    `memory of the server: ${memory[0].toFixed(0)} MiB at the start, ${Math.max(...memory).toFixed(0)} at most, ${Math.max(...half).toFixed(0)} at most in the second half, ${memory.at(-1).toFixed(0)} at the end`,
  );
  for (const line of wrong.slice(0, 10)) console.log(`  ${line}`);
  return wrong.length === 0 && times.length > 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} finally {
  for (const child of children) child.kill();
  agent.destroy();
  rmSync(work, { recursive: true, force: true });
}
