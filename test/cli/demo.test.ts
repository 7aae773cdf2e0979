import { describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.ts';

describe('mcp-proxmox demo', () => {
  it('asks six real questions within seconds and ends with the client configuration', async () => {
    // A setting of a real cluster must not get in its way.
    const { code, stdout, stderr, ms } = await runCli(['demo'], { PROXMOX_URL: 'https://192.0.2.1:8006' });
    expect(stderr).not.toMatch(/error/i);
    expect(code).toBe(0);
    expect(ms).toBeLessThan(20_000);
    expect(stdout.match(/^> .*\?/gm)).toHaveLength(6);
    expect(stdout.match(/^ {2}\d+ ms, about \d+ tokens$/gm)).toHaveLength(6);
    // True answers about the embedded cluster.
    expect(stdout).toMatch(/17 guests of 35 match: 17 running/);
    expect(stdout).toMatch(/pve3.*offline/);
    expect(stdout).toMatch(/116 +mail-gw +failed +VM 116 qmp command 'backup' failed - got timeout/);
    expect(stdout).toContain('claude mcp add proxmox-demo -- node ');
    expect(stdout).toContain('"--demo"');
    expect(stdout).toContain('PROXMOX_TOKEN_SECRET=');
    // Not a terminal: no colours.
    expect(stdout).not.toContain('\u001b');
    for (const line of stdout.split('\nGo on')[0]?.split('\n') ?? []) expect([...line].length).toBeLessThanOrEqual(100);
  });

  it('shows whole answers with --full', async () => {
    const { code, stdout } = await runCli(['demo', '--full']);
    expect(code).toBe(0);
    expect(stdout).not.toContain('more lines');
  });
});
