import { describe, expect, it } from 'vitest';
import { NO_GAPS } from '../api/reading.ts';
import { parsePermissions } from '../api/rights.ts';
import type { Read } from '../insights/token-areas.ts';
import { parseOwner, reachFrom } from './token-access.ts';

describe('parseOwner', () => {
  it('reads the tokens by name; 0 is never', () => {
    const data = {
      enable: 1,
      expire: 0,
      groups: ['ops', ''],
      tokens: { readonly: { comment: 'PVE\u202eAuditor', expire: '1800000000', privsep: '1' }, other: { expire: 0, privsep: 0 } },
    };
    expect(parseOwner(data, 'readonly')).toEqual({
      enabled: true,
      expires: 'never',
      groups: ['ops'],
      token: { privsep: true, expires: 1_800_000_000, comment: 'PVEAuditor' },
    });
    expect(parseOwner(data, 'other').token).toEqual({ privsep: false, expires: 'never', comment: undefined });
  });

  it.each([[{ tokens: null }], [{ tokens: 'junk', groups: 7 }], [null], [[]], ['text']])('makes nothing up: %j', (data) => {
    expect(parseOwner(data, 'readonly')).toMatchObject({ enabled: undefined, expires: undefined, token: undefined });
    expect(parseOwner(data, 'constructor').token).toBeUndefined();
  });
});

describe('reachFrom', () => {
  const read: Read = { opens: 'guests', any: ['VM.Audit'], on: '/vms', scope: 'below', kind: 'core' };
  const hidden = (path: string) => ({
    problems: [],
    coverage: 'partial' as const,
    hidden: [{ what: 'guests', privilege: 'VM.Audit', path }],
  });

  it('complete is all, and an unknown coverage stays unknown with its reason', () => {
    expect(reachFrom(NO_GAPS, read, new Map()).held).toBe('all');
    expect(reachFrom({ ...NO_GAPS, coverage: 'unknown', why: 'no list' }, read, new Map())).toMatchObject({
      held: 'unknown',
      why: 'no list',
    });
  });

  it('closed deeper down is except, with the paths', () => {
    expect(reachFrom(hidden('/vms/105'), read, new Map())).toEqual({ held: 'except', paths: ['/vms/105'], why: undefined });
  });

  it('not held at the path: some where it is held below, by pools when nothing else is listed, else none', () => {
    expect(
      reachFrom(hidden('/vms'), read, parsePermissions({ '/vms/100': { 'VM.Audit': 1 }, '/vms/101': { 'VM.Backup': 1 } })),
    ).toMatchObject({
      held: 'some',
      paths: ['/vms/100'],
    });
    expect(reachFrom(hidden('/vms'), read, parsePermissions({ '/pool/prod': { 'VM.Audit': 1 } }))).toMatchObject({
      held: 'some',
      paths: ['/pool/prod'],
    });
    expect(reachFrom(hidden('/vms'), read, parsePermissions({ '/storage/x': { 'VM.Audit': 1 } }))).toMatchObject({
      held: 'none',
      paths: [],
    });
  });
});
