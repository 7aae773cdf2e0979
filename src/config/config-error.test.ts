import { expect, test } from 'vitest';
import { ConfigError, ConfigErrors } from './config-error.ts';

test('the message names the variable, the mistake and what is right', () => {
  const error = new ConfigError('PROXMOX_VERIFY_TLS', { what: '"flase" is not a boolean', accepts: 'true or false' });
  expect(error.message).toBe('PROXMOX_VERIFY_TLS: "flase" is not a boolean; use true or false');
  expect(error).toMatchObject({ kind: 'config', variable: 'PROXMOX_VERIFY_TLS', accepts: 'true or false' });
  expect(new ConfigErrors([error]).message).toBe(`The configuration has a problem:\n- ${error.message}`);
  expect(new ConfigErrors([error, error]).message).toContain('has 2 problems:\n- ');
});

test('what has the form of a token secret is taken out, whoever put it in', () => {
  const secret = 'c0ffee00-1234-4abc-8def-5ec2e75ec2e7';
  const error = new ConfigError(`clusters.${secret}`, { what: `x${secret}x ${secret.toUpperCase()}`, accepts: secret });
  expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toMatch(/c0ffee/i);
  expect(error.message).toBe('clusters.[redacted]: x[redacted]x [redacted]; use [redacted]');
});
