import { expect, test } from 'vitest';
import { parseCertificates } from './certificates.ts';

const row = (filename: string, more: Record<string, unknown> = {}) => ({
  filename,
  fingerprint: 'AA:BB',
  notafter: '1800000000',
  ...more,
});

test('what is shown to users is the one of their own, or else the one the cluster made', () => {
  const use = (rows: unknown) => Object.fromEntries(parseCertificates(rows).map((c) => [c.file, c.use]));
  expect(use([row('pve-root-ca.pem'), row('pve-ssl.pem')])).toEqual({ 'pve-root-ca.pem': 'ca', 'pve-ssl.pem': 'web' });
  expect(use([row('pveproxy-ssl.pem'), row('pve-ssl.pem'), row('odd.pem')])).toEqual({
    'pveproxy-ssl.pem': 'web',
    'pve-ssl.pem': 'node',
    'odd.pem': 'other',
  });
});

test('names out of distinguished names, in either form of writing', () => {
  const [a, b, c] = parseCertificates([
    row('a', {
      subject: '/OU=PVE Cluster Node/O=Proxmox/CN=pve1.example.test',
      issuer: '/CN=Proxmox Virtual Environment/OU=x/O=y',
    }),
    row('b', { subject: 'C = US, O = Org, CN = b.example', san: 'DNS:b.example, IP:192.0.2.1' }),
    row('c', { subject: '/O=nameless', san: ['c', 3, null], 'public-key-bits': '4096', 'public-key-type': 'rsaEncryption' }),
  ]);
  expect([a?.subject, a?.issuer]).toEqual(['pve1.example.test', 'Proxmox Virtual Environment']);
  expect([b?.subject, b?.san]).toEqual(['b.example', ['DNS:b.example', 'IP:192.0.2.1']]);
  expect([c?.subject, c?.san, c?.key, c?.notAfter]).toEqual(['/O=nameless', ['c', '3'], 'rsaEncryption 4096', 1_800_000_000]);
});

test('rows without a file fall out, missing times stay unknown', () => {
  expect(parseCertificates([{ subject: 'x' }, null])).toEqual([]);
  expect(() => parseCertificates('x')).toThrow('no list');
  expect(parseCertificates([{ filename: 'a' }])[0]).toMatchObject({ notAfter: undefined, san: [], fingerprint: undefined });
});
