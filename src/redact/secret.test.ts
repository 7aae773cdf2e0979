import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { Secret } from './secret.ts';

const VALUE = 'b6a4c1d2-made-up';

it.each<[string, (secret: Secret) => string]>([
  ['String()', (s) => String(s)],
  ['a template', (s) => `${s}`],
  ['concatenation', (s) => ''.concat('', String(s))],
  ['JSON', (s) => JSON.stringify({ s })],
  ['util.inspect', (s) => inspect({ s }, { showHidden: true, depth: 9 })],
  ['console formatting', (s) => inspect(s)],
  ['its own keys', (s) => JSON.stringify([Object.keys(s), Object.getOwnPropertyNames(s), { ...s }])],
])('is not shown by %s', (_name, print) => {
  expect(print(new Secret(VALUE))).not.toContain(VALUE);
});

it('shows the marker instead, and the value on request', () => {
  const secret = new Secret(VALUE);
  expect(`${secret} ${JSON.stringify([secret])} ${inspect(secret)}`).toBe('[redacted] ["[redacted]"] [redacted]');
  expect(secret.reveal()).toBe(VALUE);
});
