import { beforeEach, describe, expect, test } from 'vitest';
import { createBreaker, dependencies, SILENCE_MS } from './breaker.ts';
import { ApiError } from './errors.ts';

describe('breaker', () => {
  let clock = 0;
  const now = (): number => clock;
  beforeEach(() => {
    clock = 1_000_000;
  });

  test('what timed out fails fast for its time, then lets exactly one probe through', () => {
    const breaker = createBreaker(now);
    const chain = dependencies('/nodes/{node}/status', { node: 'pve1' });
    breaker.check(chain);
    breaker.trip(chain);
    expect(() => breaker.check(chain)).toThrow(/node pve1 did not answer/);
    clock += SILENCE_MS;
    breaker.check(chain);
    expect(() => breaker.check(chain)).toThrow(/did not answer/);
    breaker.reset(chain);
    breaker.check(chain);
  });

  test('the rest of the cluster is called well only when the answer to it does not depend on what is silent', () => {
    const hintOf = (chain: ReturnType<typeof dependencies>): string | undefined => {
      const breaker = createBreaker(now);
      breaker.trip(chain);
      try {
        breaker.check(chain);
      } catch (thrown) {
        return thrown instanceof ApiError ? thrown.hint : undefined;
      }
      return undefined;
    };
    expect(hintOf(dependencies('/nodes/{node}/status', { node: 'pve1' }))).toContain('are not affected');
    expect(hintOf(dependencies('/cluster/backup', {}))).toContain('are not affected');
    expect(hintOf(dependencies('/cluster/resources', {}))).not.toContain('not affected');
  });

  test('a probe that told nothing leaves its turn to the next request', () => {
    const breaker = createBreaker(now);
    const chain = dependencies('/nodes/{node}/status', { node: 'pve1' });
    breaker.trip(chain);
    breaker.giveBack(chain);
    expect(() => breaker.check(chain), 'only a probe has something to give back').toThrow(/did not answer/);
    clock += SILENCE_MS;
    breaker.check(chain);
    breaker.giveBack(chain);
    breaker.check(chain);
    expect(() => breaker.check(chain)).toThrow(/did not answer/);
  });

  test('a probe that finds a storage silent does not keep its node silent', () => {
    const breaker = createBreaker(now);
    const node = dependencies('/nodes/{node}/status', { node: 'pve1' });
    const storage = dependencies('/nodes/{node}/storage/{storage}/content', { node: 'pve1', storage: 'nfs' });
    breaker.trip(node);
    clock += SILENCE_MS;
    breaker.check(storage);
    breaker.trip(storage);
    breaker.check(node);
  });

  test('two storages in a row and not a word from their node in between: the node is silent', () => {
    const breaker = createBreaker(now);
    const storage = (name: string) => dependencies('/nodes/{node}/storage/{storage}/content', { node: 'pve1', storage: name });
    breaker.reset(storage('a'));
    clock += 1_000;
    const asked = now();
    clock += 10_000;
    breaker.trip(storage('b'), asked);
    breaker.check(storage('d'));
    breaker.trip(storage('c'), asked);
    expect(() => breaker.check(storage('d'))).toThrow(/node pve1 did not answer/);
    breaker.check(dependencies('/nodes/{node}/status', { node: 'pve2' }));
    breaker.check(dependencies('/cluster/resources', {}));
  });

  test('given up early: nothing alone, but a sign after something else of a node that never answered', () => {
    const breaker = createBreaker(now);
    const of = (storage: string) => dependencies('/nodes/{node}/storage/{storage}/content', { node: 'pve1', storage });
    clock += 3_000;
    breaker.giveUp(of('a'), clock - 3_000);
    breaker.check(of('b'));
    breaker.trip(of('a'), clock - 3_000);
    breaker.giveUp(of('b'), clock - 100);
    breaker.check(of('b'));
    clock += 3_000;
    breaker.giveUp(of('b'), clock - 3_000);
    expect(() => breaker.check(of('c'))).toThrow(/node pve1 did not answer/);
  });

  test('given up early by a node that answers others: nothing', () => {
    const breaker = createBreaker(now);
    const of = (storage: string) => dependencies('/nodes/{node}/storage/{storage}/content', { node: 'pve1', storage });
    breaker.trip(of('a'), clock - 5_000);
    breaker.reset(dependencies('/nodes/{node}/status', { node: 'pve1' }));
    clock += 3_000;
    breaker.giveUp(of('b'), clock - 3_000);
    breaker.check(of('b'));
  });

  test('a dead storage does not make its node look dead, however many there are, while the node answers', () => {
    const breaker = createBreaker(now);
    for (const storage of ['a', 'b', 'c']) {
      const asked = now();
      clock += 5_000;
      breaker.reset(dependencies('/nodes/{node}/status', { node: 'pve1' }));
      clock += 5_000;
      breaker.trip(dependencies('/nodes/{node}/storage/{storage}/content', { node: 'pve1', storage }), asked);
    }
    breaker.check(dependencies('/nodes/{node}/status', { node: 'pve1' }));
    expect(() => breaker.check(dependencies('/nodes/{node}/storage/{storage}/content', { node: 'pve1', storage: 'a' }))).toThrow(
      /storage a on pve1/,
    );
  });

  test('a mute agent costs its own guest only', () => {
    const breaker = createBreaker(now);
    breaker.trip(dependencies('/nodes/{node}/qemu/{vmid}/agent/get-osinfo', { node: 'pve1', vmid: 102 }));
    breaker.check(dependencies('/nodes/{node}/qemu/{vmid}/agent/get-osinfo', { node: 'pve1', vmid: 100 }));
    breaker.check(dependencies('/nodes/{node}/qemu/{vmid}/config', { node: 'pve1', vmid: 102 }));
    expect(() => breaker.check(dependencies('/nodes/{node}/qemu/{vmid}/agent/info', { node: 'pve1', vmid: 102 }))).toThrow(
      /guest agent of 102/,
    );
  });

  test('two silent slow endpoints of a node make the node silent, one does not', () => {
    const breaker = createBreaker(now);
    breaker.trip(dependencies('/nodes/{node}/apt/versions', { node: 'pve1' }));
    breaker.check(dependencies('/nodes/{node}/status', { node: 'pve1' }));
    breaker.trip(dependencies('/nodes/{node}/disks/zfs', { node: 'pve1' }));
    expect(() => breaker.check(dependencies('/nodes/{node}/status', { node: 'pve1' }))).toThrow(/node pve1/);
    breaker.check(dependencies('/nodes/{node}/status', { node: 'pve2' }));
  });

  test('one silent cluster endpoint leaves the others, two make the cluster silent', () => {
    const breaker = createBreaker(now);
    breaker.trip(dependencies('/cluster/ha/status/current', {}));
    breaker.check(dependencies('/cluster/resources', {}));
    breaker.trip(dependencies('/cluster/resources', {}));
    expect(() => breaker.check(dependencies('/nodes/{node}/status', { node: 'pve1' }))).toThrow(/the cluster did not answer/);
  });
});
