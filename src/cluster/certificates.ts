import type { Call } from '../api/call.ts';
import { byText, intOf, listOf, textOf, timeOf } from '../api/lenient.ts';
import { cleaned } from './shown-text.ts';

/** A certificate of a node. */
export interface Certificate {
  readonly file: string;
  /** Common name, or the whole subject where there is none. */
  readonly subject: string | undefined;
  readonly issuer: string | undefined;
  readonly san: readonly string[];
  /** Epoch seconds. */
  readonly notBefore: number | undefined;
  readonly notAfter: number | undefined;
  /** SHA-256, `AA:BB:...`. */
  readonly fingerprint: string | undefined;
  /** `rsaEncryption 2048` */
  readonly key: string | undefined;
  /**
   * - `web`: what the API and the web interface show
   * - `node`: made by the cluster, spare where a certificate of one's own is shown
   * - `ca`: the cluster's own authority, the same on every node
   */
  readonly use: 'web' | 'node' | 'ca' | 'other';
}

/** Source: GET /nodes/{node}/certificates/info (any user). */
export async function readCertificates(call: Call, node: string): Promise<readonly Certificate[]> {
  return parseCertificates((await call.get('/nodes/{node}/certificates/info', { node })).data);
}

export function parseCertificates(data: unknown): readonly Certificate[] {
  const rows = listOf(data, 'certificates');
  const ownShown = rows.some((row) => textOf(row['filename']) === 'pveproxy-ssl.pem');
  return rows
    .flatMap((row) => {
      const file = cleaned(row['filename']);
      if (file === undefined) return [];
      const bits = intOf(row['public-key-bits']);
      const type = cleaned(row['public-key-type']);
      return [
        {
          file,
          subject: nameOf(cleaned(row['subject'])),
          issuer: nameOf(cleaned(row['issuer'])),
          san: sanOf(row['san']),
          notBefore: timeOf(row['notbefore']),
          notAfter: timeOf(row['notafter']),
          fingerprint: cleaned(row['fingerprint']),
          key: type === undefined ? undefined : bits === undefined ? type : `${type} ${bits}`,
          use: useOf(file, ownShown),
        },
      ];
    })
    .sort((a, b) => byText(a.file, b.file));
}

function useOf(file: string, ownShown: boolean): Certificate['use'] {
  if (file === 'pveproxy-ssl.pem') return 'web';
  if (file === 'pve-ssl.pem') return ownShown ? 'node' : 'web';
  return file === 'pve-root-ca.pem' ? 'ca' : 'other';
}

/** `/OU=PVE Cluster Node/CN=pve1.example` is known by its last part. */
function nameOf(distinguished: string | undefined): string | undefined {
  if (distinguished === undefined) return undefined;
  return /(?:^|[/,]\s*)CN\s*=\s*([^/,]+)/.exec(distinguished)?.[1]?.trim() ?? distinguished;
}

function sanOf(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : (textOf(value)?.split(/[\s,]+/) ?? []);
  return list.flatMap((name) => cleaned(name) ?? []);
}
