import { test } from 'vitest';
import { createRuntime } from '../../src/server/runtime.ts';
import { runTool } from '../../src/tools/run-tool.ts';
import { catalog } from '../../src/tools/catalog.ts';
import { settingsFor } from '../support/harness.ts';
import { clusterAt, openSmallServer } from '../support/small-server.ts';
const S = '99999999-0000-4000-8000-000000000000';
const forms = [S, S.replaceAll('-', ''), Buffer.from(S).toString('base64').slice(2, 40), Buffer.from(`PVEAPIToken=mcp@pve!ro=${S}`).toString('base64').slice(20, 60), encodeURIComponent(S), Buffer.from(S).toString('hex'), S.split('').reverse().join(''), S.slice(0, 20)];
test('reflect', async () => {
  const modes = ['reason', 'message', 'errors', 'data', 'html', 'keys', 'b64', 'split'];
  for (const mode of modes) {
    const server = await openSmallServer((q, r) => {
      const a = q.headers.authorization ?? '';
      const json = (o: unknown) => r.end(JSON.stringify(o));
      if (mode === 'reason') { r.writeHead(500, `x ${a}`); return void r.end(); }
      if (mode === 'message') { r.writeHead(500, 'x'); return void json({ data: null, message: `bad header ${a} rejected` }); }
      if (mode === 'errors') { r.writeHead(400, 'x'); return void json({ data: null, errors: { [a]: a, [a.split('=')[2]!]: 'z' } }); }
      if (mode === 'html') { return void r.end(`<html>${a}`); }
      const v = mode === 'b64' ? Buffer.from(a).toString('base64') : mode === 'split' ? `${a.slice(0, 50)}\u200b${a.slice(50)}` : a;
      const node = { type: 'node', node: 'pve1', status: 'online', level: v, maxmem: 1 };
      if (q.url!.includes('/cluster/resources')) return void json({ data: [node, { type: 'qemu', vmid: 100, node: 'pve1', name: v, status: 'running', tags: v, pool: v, lock: v, hastate: v }, { type: 'storage', storage: 'local', node: 'pve1', status: 'available', content: 'backup,iso', plugintype: v }], [v]: v });
      if (q.url!.includes('/version')) return void json({ data: { version: '9.2.11', [v]: v } });
      json({ data: [{ [mode === 'keys' ? v : 'name']: v, id: v, description: v, volid: v, upid: v, path: v, ugid: v, status: v, storage: 'local', type: v, comment: v, notes: v, t: v, n: 1, schedule: v }] });
    });
    for (const form of ['text', 'structured'] as const) {
      const rt = createRuntime(settingsFor(clusterAt([server.url])));
      for (const tool of catalog) {
        const args: any = {}; const shape: any = tool.schema.shape;
        if ('vmid' in shape) args.vmid = 100; if ('node' in shape && !('vmid' in shape)) args.node = 'pve1'; if ('storage' in shape && tool.name === 'list_storage_content') args.storage = 'local';
        if ('upid' in shape) args.upid = 'UPID:pve1:00000FDD:00063254:6B0DBA28:qmclone:123:ops@pve!full:';
        if (tool.name === 'search_inventory') args.query = 'PVEAPI';
        const o = await runTool(tool, args, rt.session(), { form, maxChars: 40000 });
        const all = o.text + JSON.stringify(o.structured ?? {});
        for (const f of forms) if (all.toLowerCase().includes(f.toLowerCase())) { const i = all.toLowerCase().indexOf(f.toLowerCase()); console.error('LEAK', mode, form, tool.name, f, '...', all.slice(Math.max(0, i - 80), i + 60).replaceAll('\n', '\\n')); break; }
      }
      await rt.close();
    }
    server.close();
  }
}, 200_000);
