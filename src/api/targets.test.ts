import { expect, test } from 'vitest';
import { createTargets } from './targets.ts';

test('a failed entry node goes to the end of the line and comes back', () => {
  let clock = 0;
  const targets = createTargets(['https://a', 'https://b', 'https://c'], () => clock);
  expect(targets.order()).toEqual([0, 1, 2]);
  targets.failed(0);
  expect(targets.order()).toEqual([1, 2, 0]);
  clock += 15_000;
  expect(targets.order()).toEqual([0, 1, 2]);
});

test('failures that happen together count once, repeated ones rest longer', () => {
  let clock = 0;
  const targets = createTargets(['https://a', 'https://b'], () => clock);
  for (let i = 0; i < 10; i += 1) targets.failed(0);
  clock += 15_000;
  expect(targets.order()).toEqual([0, 1]);
  targets.failed(0);
  clock += 15_000;
  expect(targets.order()).toEqual([1, 0]);
  clock += 15_000;
  expect(targets.order()).toEqual([0, 1]);
  targets.worked(0);
  targets.failed(0);
  clock += 15_000;
  expect(targets.order()).toEqual([0, 1]);
});

test('with every entry node resting all are still tried', () => {
  const targets = createTargets(['https://a', 'https://b'], () => 0);
  targets.failed(0);
  targets.failed(1);
  expect(targets.order()).toEqual([0, 1]);
});
