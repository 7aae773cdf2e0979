import { formatTime } from '../../answer/units.ts';
import { parseBaseUrls } from '../../config/base-urls.ts';
import { readFileFromDisk, readNamedFile } from '../../config/read-file.ts';
import type { TlsSettings } from '../../config/settings.ts';
import { parseCaPem } from '../../config/tls-values.ts';
import { absolute } from '../configure-client.ts';
import { inspectTls, type Leaf, type TlsState } from '../inspect-tls.ts';
import type { Dialog } from './dialog.ts';

/** The variables that lead to the cluster and say how to trust it. */
export interface ConnectionAnswers {
  readonly PROXMOX_URL: string;
  readonly PROXMOX_CA_FILE?: string;
  readonly PROXMOX_TLS_FINGERPRINT?: string;
  readonly PROXMOX_TLS_SERVERNAME?: string;
}

/** An entry node and what it presents. */
interface Seen {
  readonly url: string;
  readonly tls: TlsState;
}

const BY_SYSTEM: TlsSettings = { verify: true, fingerprints: [] };

/** Asks for the URL until it leads to something that the person trusts. */
export async function askConnection(ui: Dialog, now: () => number): Promise<ConnectionAnswers> {
  let initial: string | undefined;
  for (;;) {
    const typed = await ui.text({
      message: 'Where is the cluster? (one URL, or several of its nodes separated by commas)',
      placeholder: 'https://pve1.example.com:8006',
      ...(initial === undefined ? {} : { initial }),
      fault: (text) => parseBaseUrls(text).fault?.what,
    });
    initial = typed;
    const { value: urls = [] } = parseBaseUrls(typed);
    const found = await trust(ui, urls, now);
    if (found !== undefined) return { PROXMOX_URL: urls.join(','), ...found };
  }
}

type TlsAnswers = Omit<ConnectionAnswers, 'PROXMOX_URL'>;

/** How these nodes can be trusted; undefined when the person wants to give other ones. */
async function trust(ui: Dialog, urls: readonly string[], now: () => number): Promise<TlsAnswers | undefined> {
  for (;;) {
    const seen = await look(urls, BY_SYSTEM);
    const failed = seen.filter(({ tls }) => tls.state === 'failed');
    for (const { url, tls } of failed) ui.error(`${url}: ${tls.why ?? 'no answer'}`);
    if (failed.length > 0) {
      const next = await ui.choose('There is no connection. What next?', [
        { value: 'url', label: 'Change the URL' },
        { value: 'again', label: 'Try again' },
      ]);
      if (next === 'url') return undefined;
      continue;
    }
    const doubtful = seen.filter(({ tls }) => tls.state === 'untrusted');
    for (const { url, tls } of seen) {
      if (tls.state === 'verified') ui.success(`${new URL(url).host} has a certificate that this machine trusts already.`);
      if (tls.state === 'none') ui.warn(`${url} is plain http on this machine: there is no certificate to check.`);
    }
    if (doubtful.length === 0) return {};
    for (const { url, tls } of doubtful) {
      if (tls.leaf !== undefined) ui.show(`${new URL(url).host} shows this certificate:`, certificateLines(tls.leaf, now()));
    }
    const way = await ui.choose('How do you want to trust it?', [
      { value: 'pin', label: 'Pin it', hint: 'the fingerprint is the one that the node itself shows' },
      { value: 'ca', label: "Use the cluster's CA", hint: 'a copy of /etc/pve/pve-root-ca.pem; one file for all nodes' },
      { value: 'url', label: 'Change the URL' },
    ]);
    if (way === 'url') return undefined;
    const answers = way === 'pin' ? await pin(ui, seen) : await certificateAuthority(ui, urls);
    if (answers !== undefined) return answers;
  }
}

function look(urls: readonly string[], tls: TlsSettings): Promise<readonly Seen[]> {
  return Promise.all(urls.map(async (url) => ({ url, tls: await inspectTls(url, tls) })));
}

function certificateLines(leaf: Leaf, now: number): readonly string[] {
  return [
    `subject      ${leaf.subject}`,
    `issued by    ${leaf.issuer}`,
    `names        ${leaf.names.join(', ') || '-'}`,
    ...(leaf.validUntil === undefined ? [] : [`valid until  ${formatTime(leaf.validUntil, now)}`]),
    `SHA-256      ${leaf.fingerprint}`,
  ];
}

/** A pin replaces every other check, so that all nodes have to be pinned, those with a trusted certificate too. */
async function pin(ui: Dialog, seen: readonly Seen[]): Promise<TlsAnswers | undefined> {
  ui.show('Compare the SHA-256 with what each node shows about itself:', [
    'on its console   openssl x509 -in /etc/pve/local/pve-ssl.pem -noout -fingerprint -sha256',
    '                 (pveproxy-ssl.pem in the same folder, if there is one)',
    'web interface    Node > System > Certificates',
  ]);
  const same = await ui.confirm('Is it the same? Only then can nobody stand in between.', false);
  if (!same) {
    ui.warn('Then it is not pinned.');
    return undefined;
  }
  const pins = new Set(seen.flatMap(({ tls }) => tls.leaf?.fingerprint ?? []));
  return { PROXMOX_TLS_FINGERPRINT: [...pins].join(',') };
}

async function certificateAuthority(ui: Dialog, urls: readonly string[]): Promise<TlsAnswers | undefined> {
  const path = await ui.text({
    message: 'Path of the CA file',
    placeholder: '~/pve-root-ca.pem',
    fault: (text) => (text === '' ? 'give the path of a file' : readCa(text).fault),
  });
  const { pem: caPem = '' } = readCa(path);
  const seen = await look(urls, { ...BY_SYSTEM, caPem });
  const bad = seen.find(({ tls }) => tls.state !== 'verified');
  const answers = { PROXMOX_CA_FILE: absolute(path) };
  if (bad === undefined) {
    ui.success('The certificate is signed by this CA.');
    return answers;
  }
  if (bad.tls.why !== 'ERR_TLS_CERT_ALTNAME_INVALID') {
    ui.error(`${new URL(bad.url).host} has a certificate that this CA does not vouch for (${bad.tls.why ?? bad.tls.state}).`);
    return undefined;
  }
  return askName(ui, urls, caPem, bad.tls.leaf, answers);
}

/** The certificate is right, but not for the name or address in the URL. */
async function askName(
  ui: Dialog,
  urls: readonly string[],
  caPem: string,
  leaf: Leaf | undefined,
  answers: TlsAnswers,
): Promise<TlsAnswers | undefined> {
  const names = leaf?.names.flatMap((name) => (name.startsWith('DNS:') ? [name.slice(4)] : [])) ?? [];
  ui.warn('The certificate is signed by this CA, but it is not for the name in the URL.');
  const chosen = await ui.choose('Verify it under which of its names?', [
    ...names.map((name) => ({ value: name, label: name })),
    { value: '', label: 'None: change the URL' },
  ]);
  if (chosen === '') return undefined;
  const seen = await look(urls, { ...BY_SYSTEM, caPem, servername: chosen });
  const bad = seen.find(({ tls }) => tls.state !== 'verified');
  if (bad === undefined) return { ...answers, PROXMOX_TLS_SERVERNAME: chosen };
  ui.error(`${new URL(bad.url).host} has no certificate for ${chosen} (${bad.tls.why ?? bad.tls.state}).`);
  return undefined;
}

function readCa(path: string): { readonly pem?: string; readonly fault?: string } {
  const file = readNamedFile(readFileFromDisk, { text: path, base: process.cwd() }, 'the path of a PEM file');
  if (file.fault !== undefined) return { fault: file.fault.what };
  const pem = parseCaPem(file.value.text);
  return pem.fault === undefined ? { pem: pem.value } : { fault: pem.fault.what };
}
