import { describe, expect, test } from 'vitest';
import { parseBaseUrl, parseBaseUrls } from './base-urls.ts';

describe('a base URL in normal form', () => {
  test.each([
    ['https://pve1.example.com:8006', 'https://pve1.example.com:8006'],
    ['https://pve1.example.com:8006/', 'https://pve1.example.com:8006'],
    ['HTTPS://PVE1.Example.com:8006//', 'https://pve1.example.com:8006'],
    ['https://pve1', 'https://pve1:8006'],
    ['https://pve1/', 'https://pve1:8006'],
    ['https://pve1:443', 'https://pve1:443'],
    ['https://pve1:443/', 'https://pve1:443'],
    ['https://pve1:08006', 'https://pve1:8006'],
    ['https://proxy.example.com:443/pve', 'https://proxy.example.com:443/pve'],
    ['https://proxy.example.com/pve', 'https://proxy.example.com/pve'],
    ['https://proxy.example.com/a/b/', 'https://proxy.example.com/a/b'],
    ['https://proxy.example.com:8443/pve/api2/json', 'https://proxy.example.com:8443/pve'],
    ['https://pve1:8006/api2/json', 'https://pve1:8006'],
    ['https://pve1:8006/api2/json/', 'https://pve1:8006'],
    ['https://pve1/api2', 'https://pve1:8006'],
    ['https://10.0.0.1', 'https://10.0.0.1:8006'],
    ['https://[2001:db8::1]', 'https://[2001:db8::1]:8006'],
    ['https://[2001:DB8:0:0::1]:8443', 'https://[2001:db8::1]:8443'],
    ['https://[::1]:443', 'https://[::1]:443'],
    ['http://localhost:8006', 'http://localhost:8006'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://127.9.9.9', 'http://127.9.9.9:8006'],
    ['http://[::1]:80', 'http://[::1]:80'],
  ])('%s', (given, normal) => {
    expect(parseBaseUrl(given)).toEqual({ value: normal });
    // What was made is read as the same again.
    expect(parseBaseUrl(normal)).toEqual({ value: normal });
  });
});

describe('a URL that is refused', () => {
  test.each([
    ['', 'empty'],
    ['pve1', 'https://'],
    ['pve1.example.com:8006', 'https://'],
    ['ftp://pve1', 'https://'],
    ['https:/pve1', 'https://'],
    ['https://', 'no host'],
    ['https:///pve', 'no host'],
    ['http://pve1:8006', 'plain http'],
    ['http://localhost.example.com', 'plain http'],
    ['http://127.0.0.1.example.com', 'plain http'],
    ['http://10.0.0.1', 'plain http'],
    ['http://[::ffff:10.0.0.1]', 'plain http'],
    ['https://root:pw@pve1:8006', 'password'],
    ['https://pve1:8006@evil.example.com', 'password'],
    ['https://pve1:8006/#v1:0:=qemu%2F100', '"#"'],
    ['https://pve1:8006/?console=shell', '"?"'],
    ['https://2001:db8::1', 'brackets'],
    ['https://2001:db8::1:8006', 'brackets'],
    ['https://[fe80::1%25eth0]:8006', 'zone'],
    ['https://[2001:db8::zz]', 'cannot be read'],
    ['https://pve1:', 'port'],
    ['https://pve1:0', 'port'],
    ['https://pve1:65536', 'port'],
    ['https://pve1:port', 'cannot be read'],
    ['https://999.1.1.1', 'cannot be read'],
    ['https://pve1/api2/json/nodes', 'one API call'],
    ['https://pve1/a/../b', 'path'],
    ['https://pve1/a%2fb', 'path'],
    ['https://pve1/a//b', 'path'],
    ['https://pve1\\@evil', 'character'],
    ['https://pve 1', 'character'],
    ['https://pve1\r\nX-Header: 1', 'character'],
    ['https://pvé1', 'character'],
  ])('%j', (given, word) => {
    const { fault } = parseBaseUrl(given);
    expect(fault?.what).toContain(word);
    expect(fault?.accepts).toMatch(/./);
  });
});

test('several URLs keep their order, each once; a wrong one is told by its place', () => {
  expect(parseBaseUrls('https://b, https://a:8006 ,https://b:8006/')).toEqual({ value: ['https://b:8006', 'https://a:8006'] });
  expect(parseBaseUrls('https://a,,https://b').fault?.what).toBe('entry 2 of 3: is empty');
  expect(parseBaseUrls('https://a,b').fault?.what).toBe('entry 2 of 2: does not start with https://');
  expect(parseBaseUrls(Array(65).fill('https://a').join(',')).fault?.what).toContain('more than 64');
});
