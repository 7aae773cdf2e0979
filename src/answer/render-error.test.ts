import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { renderError } from './render-error.ts';

const render = (thrown: unknown) => renderError(thrown, { maxChars: 1000 });

afterEach(() => vi.restoreAllMocks());

describe('renderError', () => {
  it('says what, why and what next', () => {
    const error = new ApiError('forbidden', 'the token may not read the configuration of guest 100', {
      needs: 'VM.Audit on /vms/100',
      hint: 'Grant PVEAuditor on /vms.',
    });
    expect(render(error)).toBe(
      'Error (forbidden): the token may not read the configuration of guest 100\nNeeds: VM.Audit on /vms/100\nNext: Grant PVEAuditor on /vms.',
    );
  });

  it('knows a next step where the error has none', () => {
    expect(render(new ApiError('not-found', 'no guest 999'))).toBe(
      'Error (not-found): no guest 999\nNext: Use search_inventory to find what exists.',
    );
    expect(render(new ApiError('cancelled', 'the call was cancelled'))).toBe('Error (cancelled): the call was cancelled');
  });

  it('tells a fault of its own without its words', () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(render(new TypeError("Cannot find module '/srv/app/dist/chunk-a1.mjs'"))).toBe(
      'Error (internal): An internal fault of this program; please report it.\nNext: Other tools may still work; the details are in the log of this server.',
    );
  });

  it.each([['a text'], [undefined], [null], [{ strange: true }]])('takes anything that was thrown: %j', (thrown) => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(render(thrown)).toMatch(/^Error \(internal\): /);
  });

  it('stays within its size and three lines', () => {
    const long = 'long words\n'.repeat(3000);
    for (const detail of [{}, { needs: long }, { hint: long }, { needs: long, hint: long }]) {
      const text = render(new ApiError('upstream', long, detail));
      expect(text.length).toBeLessThanOrEqual(1000);
      expect(text.split('\n').length).toBeLessThanOrEqual(3);
      expect(text).toMatch(/^Error \(upstream\): long words/);
    }
    expect(renderError(new ApiError('upstream', long), { maxChars: 50 }).length).toBeLessThanOrEqual(50);
  });
});
