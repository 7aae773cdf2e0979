import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Secret } from '../redact/secret.ts';
import { createRuntime } from './runtime.ts';

const cluster = {
  name: 'lab',
  urls: ['https://127.0.0.1:1'],
  tokenId: 'mcp@pve!auditor',
  tokenSecret: new Secret('00000000-0000-4000-8000-000000000000'),
  tls: { verify: true, fingerprints: [] },
  timeoutMs: 1_000,
};
const runtimeOf = () =>
  createRuntime({
    clusters: new Map([['lab', cluster]]),
    toolsets: ['guests'],
    output: 'text',
    maxAnswerChars: 10_000,
    health: { ignore: [], thresholds: {} },
    warnings: [],
  });
const SECRET = '11111111-1111-4111-8111-111111111111';

describe("sessions of callers' own tokens", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are kept while they are used, and gone with their secret five minutes after', () => {
    const runtime = runtimeOf();
    const first = runtime.sessionFor('lab', 'a@pve!t', SECRET, 'alice');
    for (let i = 0; i < 10; i += 1) {
      vi.advanceTimersByTime(4 * 60_000);
      expect(runtime.sessionFor('lab', 'a@pve!t', SECRET, 'alice')).toBe(first);
    }
    vi.advanceTimersByTime(5 * 60_000 + 10);
    expect(runtime.sessionFor('lab', 'a@pve!t', SECRET, 'alice')).not.toBe(first);
  });

  it('belong to one token and one secret, and never to the configured one', () => {
    const runtime = runtimeOf();
    const sessions = [
      runtime.session('lab'),
      runtime.sessionFor('lab', 'a@pve!t', SECRET, 'alice'),
      runtime.sessionFor('lab', 'b@pve!t', SECRET, 'alice'),
      runtime.sessionFor('lab', 'a@pve!t', SECRET.replaceAll('1', '2'), 'alice'),
      // A caller who knows the configured token is still another identity here.
      runtime.sessionFor('lab', cluster.tokenId, cluster.tokenSecret.reveal(), 'alice'),
    ];
    expect(new Set(sessions).size).toBe(5);
  });

  it('of tokens that were never let in push out none of the others', () => {
    const runtime = runtimeOf();
    const first = runtime.sessionFor('lab', 'a0@pve!t', SECRET, 'alice');
    expect(first.isStranger()).toBe(true);
    vi.spyOn(first, 'isStranger').mockReturnValue(false);
    expect(runtime.sessionFor('lab', 'a0@pve!t', SECRET, 'alice')).toBe(first);
    for (let i = 1; i <= 200; i += 1) runtime.sessionFor('lab', `a${i}@pve!t`, SECRET, 'alice');
    expect(runtime.sessionFor('lab', 'a0@pve!t', SECRET, 'alice')).toBe(first);
  });

  it('keep a bounded amount of answers altogether, those longest unused losing theirs', () => {
    const runtime = runtimeOf();
    const sessions = ['a0', 'a1', 'a2'].map((user) => runtime.sessionFor('lab', `${user}@pve!t`, SECRET, 'alice'));
    const forgotten: number[] = [];
    for (const [i, session] of sessions.entries()) {
      vi.spyOn(session, 'isStranger').mockReturnValue(false);
      vi.spyOn(session, 'kept').mockReturnValue(30 * 1024 * 1024);
      vi.spyOn(session, 'forget').mockImplementation(() => void forgotten.push(i));
    }
    for (const user of ['a0', 'a1', 'a2']) runtime.sessionFor('lab', `${user}@pve!t`, SECRET, 'alice');
    expect(forgotten).toEqual([0]);
  });

  it('are bounded in number', () => {
    const runtime = runtimeOf();
    const first = runtime.sessionFor('lab', 'a0@pve!t', SECRET, 'alice');
    for (let i = 1; i <= 500; i += 1) runtime.sessionFor('lab', `a${i}@pve!t`, SECRET, 'alice');
    expect(runtime.sessionFor('lab', 'a0@pve!t', SECRET, 'alice')).not.toBe(first);
  });
});
