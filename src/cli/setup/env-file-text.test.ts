import { describe, expect, it } from 'vitest';
import { parseEnvironmentFile } from '../../config/environment-file.ts';
import { setVariables } from './env-file-text.ts';

describe('setVariables', () => {
  it('sets, adds and takes out, and keeps every other line', () => {
    const before = '# mine\nexport PROXMOX_URL="https://a:8006"\n\nOTHER=1\nPROXMOX_TLS_FINGERPRINT=AA\n#PROXMOX_CA_FILE=x\n';
    expect(
      setVariables(before, { PROXMOX_URL: 'https://b:8006', PROXMOX_CA_FILE: '/ca.pem', PROXMOX_TLS_FINGERPRINT: undefined }),
    ).toBe('# mine\nPROXMOX_URL=https://b:8006\n\nOTHER=1\n#PROXMOX_CA_FILE=x\nPROXMOX_CA_FILE=/ca.pem\n');
  });

  it('leaves one of several lines for the same variable', () => {
    expect(setVariables('A=1\nB=2\nA=3\n', { A: '4' })).toBe('B=2\nA=4\n');
  });

  it('makes a file of an empty one, and nothing of nothing twice', () => {
    const once = setVariables('', { A: '1' });
    expect(once).toBe('A=1\n');
    expect(setVariables(once, { A: '1' })).toBe(once);
  });

  it.each([
    'plain',
    '/with blank/ca.pem',
    'C:\\Users\\a b\\ca.pem',
    'C:\\new\\ca.pem',
    'a#b',
    `it's`,
    `a'b"c`,
    'x=y',
    "~/it's a #1.pem",
  ])('writes %j so that it is read back', (value) => {
    expect(parseEnvironmentFile(setVariables('', { PROXMOX_CA_FILE: value })).value).toEqual({ PROXMOX_CA_FILE: value });
  });

  it('refuses what the format cannot hold', () => {
    expect(() => setVariables('', { A: '\'"`' })).toThrow(TypeError);
    expect(() => setVariables('', { A: 'a\nB=1' })).toThrow(TypeError);
  });
});
