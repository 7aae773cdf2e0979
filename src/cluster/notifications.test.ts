import { expect, test } from 'vitest';
import { parseMatchers, parsePlaces, parseTargets } from './notifications.ts';

test('targets are on unless they are switched off, with places where known', () => {
  const places = new Map([['relay', 'smtp.example']]);
  const targets = parseTargets(
    [{ name: 'relay', type: 'smtp' }, { name: 'chat', disable: true, type: 'webhook' }, { type: 'x' }, 0],
    places,
  );
  expect(targets.map((t) => [t.name, t.enabled, t.place])).toEqual([
    ['chat', false, undefined],
    ['relay', true, 'smtp.example'],
  ]);
  expect(() => parseTargets(null, places)).toThrow('no list');
});

test('conditions of a matcher, however many; a text where a list is meant', () => {
  const [all, some] = parseMatchers([
    {
      name: 'b',
      target: ['chat', 'phone'],
      'match-field': ['exact:type=vzdump'],
      'match-severity': 'error,warning',
      'invert-match': 1,
    },
    { name: 'a' },
  ]);
  expect(all).toMatchObject({ name: 'a', conditions: [], targets: [], mode: 'all', inverted: false, enabled: true });
  expect(some).toMatchObject({
    conditions: ['severity error,warning', 'field exact:type=vzdump'],
    targets: ['chat', 'phone'],
    inverted: true,
  });
});

test('places name server and receivers, nothing else of an endpoint', () => {
  const places = parsePlaces([
    { name: 'relay', server: 'smtp.example', mailto: ['ops@example.com'], 'mailto-user': 'root@pam', username: 'u' },
    { name: 'silent' },
    { server: 'nameless' },
  ]);
  expect([...places]).toEqual([['relay', 'smtp.example to ops@example.com, root@pam']]);
});
