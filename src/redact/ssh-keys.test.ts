import { expect, it } from 'vitest';
import { scrubFreeText } from './scrub-text.ts';
import { shortenSshKeys, summarizeSshKeys } from './ssh-keys.ts';

// The fingerprints are what `ssh-keygen -lf` prints for these made-up keys: base64 of SHA-256 over the key's bytes.
const ED25519 = 'AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';

it('gives type, fingerprint and comment of every key and no key body', () => {
  const text = `ssh-ed25519 ${ED25519} ops@example.com\n\n# a note\nfrom="10.0.0.0/8",command="echo hi" ssh-rsa AAAAB3NzaC1yc2E= bob@laptop work\nssh-rsa AAAAB3NzaC1yc2E=\n`;
  const { keys, privateKeys } = summarizeSshKeys(encodeURIComponent(text), scrubFreeText);
  expect(privateKeys).toBe(0);
  expect(keys.map(({ type, comment }) => [type, comment])).toEqual([
    ['ssh-ed25519', 'ops@example.com'],
    ['ssh-rsa', 'bob@laptop work'],
    ['ssh-rsa', ''],
  ]);
  for (const key of keys) expect(key.fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
  expect(new Set(keys.map((key) => key.fingerprint)).size).toBe(2);
  expect(JSON.stringify(keys)).not.toContain('AAAA');
});

it('computes the fingerprint as ssh-keygen does', () => {
  const { keys } = summarizeSshKeys(`ssh-ed25519 ${ED25519}`, scrubFreeText);
  expect(keys[0]?.fingerprint).toBe('SHA256:ZkAslGjFiUHdGf/WUL8rQvkib4PTvQatUV0OUQSncCA');
});

it('hides a private key that was put there by mistake, and lines it does not understand', () => {
  const text = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n-----END OPENSSH PRIVATE KEY-----\nmy-password-1';
  const { keys, privateKeys } = summarizeSshKeys(encodeURIComponent(text), scrubFreeText);
  expect(privateKeys).toBe(1);
  expect(keys).toEqual([
    { type: 'private key', fingerprint: null, comment: '[redacted]' },
    { type: 'unknown', fingerprint: null, comment: '' },
  ]);
});

it('cleans comments', () => {
  const { keys, scrubbed } = summarizeSshKeys('ssh-rsa AAAAB3NzaC1yc2E= password=CANARY-1', scrubFreeText);
  expect([keys[0]?.comment, scrubbed]).toEqual(['password=[redacted]', 1]);
});

it('shortens keys inside a text', () => {
  expect(shortenSshKeys(`  - ssh-ed25519 ${ED25519} ops@example.com`)).toMatch(
    /^ {2}- ssh-ed25519 SHA256:\S{43} ops@example\.com$/,
  );
  expect(shortenSshKeys('no AAAA key')).toBe('no AAAA key');
});
