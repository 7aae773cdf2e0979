import { generate } from 'selfsigned';
import { ConfigErrors } from './config-error.ts';
import { type LoadOptions, loadSettings } from './load-settings.ts';
import type { FileText, ReadFile } from './read-file.ts';
import type { Settings } from './settings.ts';
import type { Environment } from './variables.ts';

/** A well-formed token secret that must never show. */
export const SECRET = 'c0ffee00-1234-4abc-8def-5ec2e75ec2e7';

/** The least that works. */
export const RIGHT: Environment = {
  PROXMOX_URL: 'https://pve1.example.com:8006',
  PROXMOX_TOKEN_ID: 'mcp@pve!assistant',
  PROXMOX_TOKEN_SECRET: SECRET,
};

/** A file system of a few files, by absolute path; any other path does not exist. */
export function filesOf(files: Readonly<Record<string, string | FileText>>): ReadFile {
  return (path) => {
    const file = files[path];
    if (file === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' });
    return typeof file === 'string' ? { text: file, mode: 0o100600 } : file;
  };
}

/** Loads with no files unless given, from the folder `/home/me`. */
export function load(options: LoadOptions): Promise<Settings> {
  return loadSettings({ readFile: filesOf({}), cwd: '/home/me', ...options });
}

/** The problems of a configuration that must not load. */
export async function failure(options: LoadOptions): Promise<ConfigErrors> {
  try {
    await load(options);
  } catch (error) {
    if (error instanceof ConfigErrors) return error;
    throw error;
  }
  throw new Error('the configuration loaded, but must not');
}

/** A CA, a server certificate that it signed, and one that signs itself; made anew, so that none expires. */
export async function makeCertificates(): Promise<{ ca: string; leaf: string; selfSigned: string; key: string }> {
  const ca = await generate([{ name: 'commonName', value: 'Test CA' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
  });
  const end = [{ name: 'basicConstraints' as const, cA: false }];
  const leaf = await generate([{ name: 'commonName', value: 'pve1.example.com' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: end,
    ca: { key: ca.private, cert: ca.cert },
  });
  const selfSigned = await generate([{ name: 'commonName', value: 'pve2.example.com' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: end,
  });
  return { ca: ca.cert, leaf: leaf.cert, selfSigned: selfSigned.cert, key: ca.private };
}
