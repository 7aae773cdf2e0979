import dns from 'node:dns';
import { describe, expect, it, vi } from 'vitest';
import { Secret } from '../../src/redact/secret.ts';
import { parseListenAddress } from '../../src/server/http/address.ts';
import { type HttpFlags, httpOptions } from '../../src/server/http/options.ts';
import { settingsFor } from '../support/harness.ts';
import { openHttp } from '../support/http.ts';

/** Nothing is asked of it here. */
const offline = settingsFor({
  name: 'lab',
  urls: ['https://127.0.0.1:1'],
  tokenId: 'mcp@pve!auditor',
  tokenSecret: new Secret('00000000-0000-4000-8000-000000000000'),
  tls: { verify: true, fingerprints: [] },
  timeoutMs: 1_000,
});

function refusal(flags: HttpFlags): string {
  try {
    httpOptions(flags);
  } catch (thrown) {
    return String(thrown);
  }
  return '';
}

describe('the flags of serve --http', () => {
  it('refuse to start without authentication', () => {
    expect(refusal({ http: '' })).toMatch(/--http: needs to know who may ask; use --auth-file/);
  });

  it('accept --no-auth on this machine', () => {
    for (const http of ['', '127.0.0.1:1', 'localhost', '[::1]:9', '127.3.2.1'])
      expect(refusal({ http, noAuth: true }), http).toBe('');
  });

  it.each(['0.0.0.0:8765', '[::]:8765', '192.168.1.5', 'mcp.example.com:80', '::'])('refuse --no-auth at %s', (http) => {
    expect(refusal({ http, noAuth: true, allowedHost: ['a.example'] })).toMatch(/--no-auth: is accepted on this machine only/);
  });

  it('refuse --no-auth beside another way', () => {
    expect(refusal({ http: '', noAuth: true, authFile: 'x' })).toMatch(/contradicts/);
  });

  it('refuse every interface without a name to be asked by', () => {
    expect(refusal({ http: '0.0.0.0', authFile: 'x' })).toMatch(/--allowed-host/);
    expect(refusal({ http: '0.0.0.0', authFile: 'x', allowedHost: ['mcp.example.com'] })).toBe('');
  });

  it('refuse metrics beyond this machine', () => {
    expect(refusal({ http: '', noAuth: true, metrics: '0.0.0.0:9765' })).toMatch(/--metrics: has no authentication/);
  });

  it.each<[string, Partial<HttpFlags>, RegExp]>([
    ['half of TLS', { tlsCert: 'c' }, /--tls-cert: stands alone/],
    ['a header that means something else', { trustProxyHeader: 'Authorization' }, /--trust-proxy-header/],
    ['a peer that is no address', { trustProxyHeader: 'X-User', trustedProxy: ['proxy.example'] }, /--trusted-proxy/],
    ['an origin with a path', { noAuth: true, allowedOrigin: ['https://a.example/app'] }, /--allowed-origin/],
    ['a host with a scheme', { noAuth: true, allowedHost: ['https://a.example'] }, /--allowed-host/],
    ['no rate at all', { noAuth: true, rateLimit: '0' }, /--rate-limit/],
    ['no number', { noAuth: true, maxConcurrent: 'many' }, /--max-concurrent/],
    ['a port that there is not', { noAuth: true, http: '127.0.0.1:70000' }, /--http/],
  ])('refuse %s', (_what, flags, words) => {
    expect(refusal({ http: '', ...flags })).toMatch(words);
  });

  it('warn of tokens in the clear', () => {
    expect(httpOptions({ http: '10.0.0.1', authFile: 'x' }).warnings.join()).toMatch(/without TLS/);
    expect(httpOptions({ http: '10.0.0.1', authFile: 'x', tlsCert: 'c', tlsKey: 'k' }).warnings).toEqual([]);
  });

  it.each([
    ['', { host: 'h', port: 1 }],
    ['8080', { host: 'h', port: 8080 }],
    [':8080', { host: 'h', port: 8080 }],
    ['a.example', { host: 'a.example', port: 1 }],
    ['[fd00::1]:80', { host: 'fd00::1', port: 80 }],
    ['fd00::1', { host: 'fd00::1', port: 1 }],
  ])('read %j as an address', (text, value) => {
    expect(parseListenAddress(text, { host: 'h', port: 1 })).toEqual({ value });
  });

  it.each(['a:b', '1.2.3.4:99999', '[1.2.3.4]:80', 'http://x', 'a b', '-x'])('refuse %j as an address', (text) => {
    expect(parseListenAddress(text, { host: 'h', port: 1 }).fault).toBeDefined();
  });
});

describe('a name for this machine that leads elsewhere', () => {
  it.each([
    ['--http', { http: 'localhost:0' }],
    ['--metrics', { http: '127.0.0.1:0', metrics: 'localhost:0' }],
  ])('is refused when the server starts to listen: %s', async (flag, flags) => {
    const lookup = vi.spyOn(dns, 'lookup');
    // The overloads of lookup are more than a mock can be typed with.
    lookup.mockImplementation(((...args: unknown[]) => {
      const [name] = args;
      const done = args.at(-1);
      if (typeof done === 'function') done(null, name === 'localhost' ? '0.0.0.0' : name, 4);
    }) as never);
    try {
      await expect(openHttp(offline, { noAuth: true, ...flags })).rejects.toThrow(
        `${flag}: is not this machine alone: localhost is 0.0.0.0 here`,
      );
    } finally {
      lookup.mockRestore();
    }
    const server = await openHttp(offline, { noAuth: true, ...flags });
    await server.close();
  });
});
