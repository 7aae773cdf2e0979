import { createSecureContext } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeCertificates } from './test-support.ts';
import { parseCaPem, parseFingerprints, parseServername } from './tls-values.ts';

const BYTES = Array.from({ length: 32 }, (_, index) => (index * 7 + 3).toString(16).padStart(2, '0'));
const PIN = BYTES.join(':').toUpperCase();

describe('CA file', () => {
  let made: Awaited<ReturnType<typeof makeCertificates>>;
  beforeAll(async () => {
    made = await makeCertificates();
  });

  test('a CA, a CA with more certificates, and a self-signed certificate are taken', () => {
    expect(parseCaPem(made.ca).value).toContain('BEGIN CERTIFICATE');
    expect(parseCaPem(made.selfSigned).fault).toBeUndefined();
    const both = parseCaPem(`words before\n${made.leaf}\nwords between\r\n${made.ca}`).value ?? '';
    expect(both.match(/BEGIN/g)).toHaveLength(2);
    expect(both).not.toContain('words');
    expect(() => createSecureContext({ ca: both })).not.toThrow();
  });

  test('Windows line ends are taken', () => {
    expect(parseCaPem(made.ca.replace(/\r?\n/g, '\r\n')).fault).toBeUndefined();
  });

  test.each<[string, () => string, string]>([
    ['empty', () => '', 'no certificate'],
    ['HTML', () => '<html>', 'no certificate'],
    ['a key', () => made.key, 'private key'],
    ['a certificate and its key', () => made.ca + made.key, 'private key'],
    ['a server certificate', () => made.leaf, 'only a server certificate'],
    ['a broken certificate', () => made.ca.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA'), 'cannot be read (number 1)'],
    ['a cut certificate', () => made.ca.slice(0, 200), 'no certificate'],
    [
      'a broken second',
      () => `${made.ca}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----`,
      'cannot be read (number 2)',
    ],
  ])('%s is refused', (_, text, word) => {
    const { fault } = parseCaPem(text());
    expect(fault?.what).toContain(word);
    expect(fault?.accepts).toContain('pve-root-ca.pem');
  });
});

describe('fingerprints', () => {
  test.each([
    PIN,
    PIN.toLowerCase(),
    BYTES.join(''),
    ` ${PIN} `,
    `sha256 Fingerprint=${PIN}`,
    `SHA256:${PIN}`,
    `SHA-256: ${BYTES.join('')}`,
  ])('%s', (text) => {
    expect(parseFingerprints([text])).toEqual({ value: [PIN] });
  });

  test('a set has each once, in order', () => {
    const other = `FF${PIN.slice(2)}`;
    expect(parseFingerprints([other, PIN, PIN.toLowerCase()])).toEqual({ value: [other, PIN] });
  });

  test.each([
    ['', 'is empty'],
    [BYTES.slice(0, 20).join(':'), 'SHA-1'],
    [BYTES.slice(0, 20).join(''), 'SHA-1'],
    [BYTES.slice(0, 16).join(':'), '32 hex digits'],
    [PIN.slice(0, -1), 'not a fingerprint'],
    [`${PIN}:00`, '66 hex digits'],
    ['SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', 'not a fingerprint'],
    ['none', 'not a fingerprint'],
  ])('%j is refused', (text, word) => {
    expect(parseFingerprints([text]).fault?.what).toContain(word);
    expect(parseFingerprints([PIN, text]).fault?.what).toContain('entry 2 of 2');
  });
});

describe('server name', () => {
  test('a host name, in lower case', () => {
    expect(parseServername('PVE1.Example.com')).toEqual({ value: 'pve1.example.com' });
    expect(parseServername('pve1')).toEqual({ value: 'pve1' });
  });

  test.each([
    ['10.0.0.1', 'address'],
    ['2001:db8::1', 'address'],
    ['[::1]', 'address'],
    ['pve1:8006', 'host name'],
    ['https://pve1', 'host name'],
    ['-pve', 'host name'],
    ['pve..lan', 'host name'],
    [`${'a'.repeat(64)}.lan`, 'host name'],
    ['*.example.com', 'host name'],
  ])('%s is refused', (text, word) => {
    expect(parseServername(text).fault?.what).toContain(word);
  });
});
