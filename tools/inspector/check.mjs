/**
 * The MCP Inspector's command line (an independent client) against the built server and its embedded cluster.
 * Run by `npm run test:inspector`; `npm run build` must have run before. Exits with 1 when anything differs.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const inspector = fileURLToPath(new URL('node_modules/@modelcontextprotocol/inspector/cli/build/cli.js', import.meta.url));
const server = process.env.MCP_PROXMOX_BINARY ?? fileURLToPath(new URL('../../dist/mcp-proxmox.mjs', import.meta.url));
const golden = JSON.parse(readFileSync(new URL('../../test/golden/tools.json', import.meta.url), 'utf8'));

/** One question through the Inspector; standard output is its JSON. */
function ask(serverFlags, ...args) {
  const run = spawnSync(process.execPath, [inspector, '--cli', process.execPath, server, '--demo', ...serverFlags, ...args], {
    encoding: 'utf8',
    timeout: 60_000,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
  });
  return { code: run.status, out: run.stdout, errors: run.stderr };
}

function answer(serverFlags, ...args) {
  const { code, out, errors } = ask(serverFlags, ...args);
  if (code !== 0) throw new Error(`exit ${code}: ${errors}${out}`);
  return JSON.parse(out);
}

const call = (name, ...toolArgs) => [
  '--method',
  'tools/call',
  '--tool-name',
  name,
  ...toolArgs.flatMap((arg) => ['--tool-arg', arg]),
];

function expect(condition, what) {
  if (!condition) throw new Error(what);
}

const checks = {
  'tools/list names the default tools, all of them read-only': () => {
    const { tools } = answer([], '--method', 'tools/list');
    expect(
      JSON.stringify(tools.map(({ name }) => name)) === JSON.stringify(golden.default),
      'other tools than in the golden file',
    );
    expect(
      tools.every(({ annotations }) => annotations.readOnlyHint === true && annotations.destructiveHint === false),
      'annotations',
    );
  },
  'a list is answered as text': () => {
    const { content, isError } = answer([], ...call('list_nodes'));
    expect(isError !== true && content[0].text.includes('pve1'), JSON.stringify(content));
  },
  'a call with arguments': () => {
    const { content, isError } = answer([], ...call('get_guest_status', 'vmid=100'));
    expect(isError !== true && content[0].text.includes('web-01'), JSON.stringify(content));
  },
  'a wrong argument is an error that says what is accepted': () => {
    const { content, isError } = answer([], ...call('list_guests', 'guest_type=kvm'));
    expect(isError === true && content[0].text.includes('guest_type'), JSON.stringify(content));
  },
  'an unknown tool is refused': () => {
    const { out, errors, code } = ask([], ...call('delete_guest', 'vmid=100'));
    expect(code !== 0 || out.includes('-32602') || /There is no tool/.test(out + errors), `exit ${code}: ${out}`);
  },
  'the structured form': () => {
    const { structuredContent } = answer(['--structured'], ...call('list_guests', 'limit=3'));
    expect(structuredContent.guests.length === 3 && structuredContent.cursor !== undefined, JSON.stringify(structuredContent));
  },
};

let failed = 0;
for (const [what, check] of Object.entries(checks)) {
  try {
    check();
    console.log(`ok   ${what}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${what}: ${error instanceof Error ? error.message : error}`);
  }
}
console.log(`inspector: ${Object.keys(checks).length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
