/** The SDK's own smallest server, bundled the way the product is: the yardstick for the cold start. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'hello-world', version: '1.0.0' });
  server.registerTool('greet', { description: 'Greets', inputSchema: z.object({ name: z.string() }) }, async ({ name }) => ({
    content: [{ type: 'text', text: `Hello, ${name}` }],
  }));
  return server;
});
