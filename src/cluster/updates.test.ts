import { describe, expect, test } from 'vitest';
import { parseNodeVersions } from './node-status.ts';
import { coreUpdates, findDrift, isSecurity, parseRepositories, parseUpdates } from './updates.ts';

const versions = (rows: readonly (readonly [name: string, installed: string | undefined, candidate: string])[]) =>
  parseNodeVersions(
    rows.map(([Package, installed, Version]) => ({
      Package,
      Version,
      CurrentState: installed === undefined ? 'NotInstalled' : 'Installed',
      ...(installed === undefined ? {} : { OldVersion: installed }),
    })),
  );

test('updates by name; a new package has no old version', () => {
  const updates = parseUpdates([
    { Package: 'openssl', OldVersion: '1', Version: '2', Origin: 'Debian-Security' },
    { Package: 'new-one', Version: '1', Origin: 'Debian' },
    { Version: '9' },
    null,
  ]);
  expect(updates.map((u) => [u.name, u.installed, u.available])).toEqual([
    ['new-one', undefined, '1'],
    ['openssl', '1', '2'],
  ]);
  expect(updates.map(isSecurity)).toEqual([false, true]);
  expect(() => parseUpdates({})).toThrow('no list');
});

test('the core packages tell their own updates', () => {
  const found = coreUpdates(
    versions([
      ['pve-manager', '9.2.4', '9.2.11'],
      ['qemu-server', '9.1.12', '9.1.12'],
      ['ceph-fuse', undefined, '19'],
    ]),
  );
  expect(found).toEqual([
    { name: 'pve-manager', installed: '9.2.4', available: '9.2.11', origin: undefined, section: undefined },
  ]);
});

describe('findDrift', () => {
  const a = {
    node: 'a',
    versions: versions([
      ['pve-manager', '2', '2'],
      ['x', '1', '1'],
      ['proxmox-kernel-6.17.4-2-pve', '1', '1'],
    ]),
  };
  const b = {
    node: 'b',
    versions: versions([
      ['pve-manager', '1', '2'],
      ['x', undefined, '1'],
    ]),
  };
  const c = {
    node: 'c',
    versions: versions([
      ['pve-manager', '2', '2'],
      ['x', '1', '1'],
    ]),
  };

  test('versions with the nodes that have them; missing counts, single kernels do not', () => {
    const drift = findDrift([a, b, c]);
    expect(drift.map((d) => [d.name, [...d.versions]])).toEqual([
      [
        'pve-manager',
        [
          ['1', ['b']],
          ['2', ['a', 'c']],
        ],
      ],
      [
        'x',
        [
          ['1', ['a', 'c']],
          ['not installed', ['b']],
        ],
      ],
    ]);
  });

  test('one node differs from nobody', () => {
    expect(findDrift([a])).toEqual([]);
    expect(findDrift([])).toEqual([]);
  });
});

describe('parseRepositories', () => {
  test('sources in one line without credentials, switched off or not told', () => {
    const { repositories, remarks } = parseRepositories({
      files: [
        {
          path: '/etc/apt/x.sources',
          repositories: [
            { URIs: ['https://user:s3cr3tpass@mirror.example/debian'], Suites: ['trixie'], Components: ['main', 'contrib'] },
            { URIs: ['http://b.example'], Suites: ['t'], Components: ['test'], Enabled: false, Comment: 'off since\nthe move' },
          ],
        },
        { path: '/etc/apt/empty', repositories: null },
      ],
      errors: [{ error: 'line 3: unknown key', path: '/etc/apt/broken' }],
      infos: [
        { kind: 'origin', message: 'Proxmox' },
        { kind: 'warning', message: 'old suite!' },
      ],
    });
    expect(repositories.map((r) => [r.source, r.enabled, r.comment])).toEqual([
      [expect.stringMatching(/^https:\/\/.*mirror\.example\/debian trixie main contrib$/), true, undefined],
      ['http://b.example t test', false, 'off since the move'],
    ]);
    expect(JSON.stringify(repositories)).not.toContain('s3cr3tpass');
    expect(remarks).toEqual(['line 3: unknown key (/etc/apt/broken)', 'old suite!']);
  });

  test('nothing in it', () => {
    expect(parseRepositories(null)).toEqual({ repositories: [], remarks: [] });
  });
});
