import { gunzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import type { DemoCluster, DemoRole } from '../../src/demo/types.ts';

/** Asks an embedded cluster directly, past everything that is tested, and gives the bodies as they came. */
export async function rawGets(
  demo: DemoCluster,
  role: DemoRole,
  gets: readonly { readonly path: string; readonly query: Readonly<Record<string, string>> }[],
): Promise<string[]> {
  const agent = new Agent({ connect: { ca: demo.ca }, connections: 4 });
  const { id, secret } = demo.token(role);
  try {
    return await Promise.all(
      gets.map(async ({ path, query }) => {
        const encoded = path.split('/').map(encodeURIComponent).join('/');
        const { body, headers } = await request(`${demo.url}/api2/json${encoded}`, {
          dispatcher: agent,
          query: { ...query },
          headers: { authorization: `PVEAPIToken=${id}=${secret}` },
        });
        const bytes = Buffer.from(await body.arrayBuffer());
        return (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8');
      }),
    );
  } finally {
    await agent.close();
  }
}
