/**
 * Cold start side by side, in the same run: a bare Node process, the SDK's hello-world server bundled the same way,
 * and this server. Prints times from spawn to the answered initialize, memory, and the weight of tools/list.
 *
 *   npm run bench [-- --runs 15]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.mjs';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '15' } } });
const runs = Number(values.runs);
const root = new URL('..', import.meta.url).pathname;
const out = mkdtempSync(join(tmpdir(), 'mcp-proxmox-bench-'));

const settings = {
  PROXMOX_URL: 'https://127.0.0.1:1',
  PROXMOX_TOKEN_ID: 'bench@pve!bench',
  PROXMOX_TOKEN_SECRET: '00000000-0000-4000-8000-000000000000',
};
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};

/** Starts a server, asks, and stops it. Times in milliseconds. */
function start(args, withTools) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(process.execPath, args, {
      cwd: out,
      env: { PATH: process.env.PATH, ...settings },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let buffer = '';
    const result = { initializeMs: 0, rssMiB: 0, toolsBytes: 0, tools: 0 };
    const finish = () => {
      result.rssMiB = rss(child.pid);
      child.stdin.end();
      child.kill();
      resolve(result);
    };
    child.once('error', reject);
    child.stdout.on('data', (chunk) => {
      buffer += chunk;
      for (let end = buffer.indexOf('\n'); end >= 0; end = buffer.indexOf('\n')) {
        const line = buffer.slice(0, end);
        buffer = buffer.slice(end + 1);
        const message = JSON.parse(line);
        if (message.id === 1) {
          result.initializeMs = performance.now() - began;
          if (!withTools) return finish();
          child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
          child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })}\n`);
        } else if (message.id === 2) {
          const text = JSON.stringify(message.result.tools);
          result.toolsBytes = Buffer.byteLength(text);
          result.tools = message.result.tools.length;
          finish();
        }
      }
    });
    child.stdin.write(`${JSON.stringify(initialize)}\n`);
  });
}

function rss(pid) {
  try {
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kib) / 1024;
  } catch {
    return Number.NaN;
  }
}

const bare = [
  '-e',
  'process.stdin.once("data",()=>{process.stdout.write(JSON.stringify({jsonrpc:"2.0",id:1,result:{}})+"\\n");setTimeout(()=>{},1e4)})',
];

await bundle('hello', join(root, 'bench/hello-world.ts'), out, { minify: true });

const candidates = [
  { name: 'bare node', args: bare, times: [] },
  { name: 'SDK hello world', args: [join(out, 'hello.mjs')], times: [] },
  { name: 'mcp-proxmox', args: [join(root, 'dist/mcp-proxmox.mjs')], times: [] },
];
// Interleaved, so that whatever else the machine does hits all alike; the first round warms the file cache.
for (let run = 0; run <= runs; run += 1) {
  for (const c of candidates) {
    const { initializeMs, rssMiB } = await start(c.args, false);
    if (run > 0) c.times.push(initializeMs);
    c.rss = rssMiB;
  }
}
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const [, hello, ours] = candidates;
for (const c of candidates) {
  console.log(
    `${c.name.padEnd(16)} median ${median(c.times).toFixed(1)} ms, min ${Math.min(...c.times).toFixed(1)} ms, RSS ${c.rss.toFixed(1)} MiB (${c.times.length} runs)`,
  );
}
const ratio = (pick) => (pick(ours.times) / pick(hello.times)).toFixed(2);
console.log(`ratio to the SDK's hello world: median ${ratio(median)}, min ${ratio((t) => Math.min(...t))}`);
for (const extra of [[], ['--toolsets', 'all']]) {
  const { tools, toolsBytes, rssMiB } = await start([join(root, 'dist/mcp-proxmox.mjs'), ...extra], true);
  console.log(
    `tools/list ${extra.length === 0 ? 'default' : 'all toolsets'}: ${tools} tools, ${toolsBytes} bytes, about ${Math.round(toolsBytes / 4)} tokens; RSS then ${rssMiB.toFixed(1)} MiB`,
  );
}
rmSync(out, { recursive: true, force: true });
