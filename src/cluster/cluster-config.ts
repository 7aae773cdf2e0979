import type { Call } from '../api/call.ts';
import { boolOf, byText, intOf, isRaw, listOf, rawOf, textOf, timeOf } from '../api/lenient.ts';
import { decodeBase64Text } from '../redact/encodings.ts';
import { cleanText, oneLine } from '../redact/plain-text.ts';
import { scrubFreeText } from '../redact/scrub-text.ts';
import { cleaned, commentOf } from './shown-text.ts';

/** Settings of the whole datacenter. */
export interface DatacenterOptions {
  /** Every setting as one line: `migration` to `network=10.0.0.0/24,type=secure`; secrets hidden. */
  readonly values: ReadonlyMap<string, string>;
  /** Notes as people wrote them, line breaks kept. */
  readonly notes: string | undefined;
}

/** Source: GET /cluster/options (any user, but without Sys.Audit on / only what the web interface needs). */
export async function readDatacenterOptions(call: Call): Promise<DatacenterOptions> {
  return parseDatacenterOptions((await call.get('/cluster/options', {})).data);
}

/** Prose of people, shown only where it was asked for. */
const PROSE: ReadonlySet<string> = new Set(['description', 'consent-text']);

export function parseDatacenterOptions(data: unknown): DatacenterOptions {
  return { values: flatSettings(data), notes: textOf(rawOf(data)['description']) };
}

/** The settings of an answer as one line each, sorted by name; prose and the digest are left out. */
export function flatSettings(data: unknown): ReadonlyMap<string, string> {
  const row = rawOf(data);
  const values = new Map<string, string>();
  for (const key of Object.keys(row).sort(byText)) {
    if (PROSE.has(key) || key === 'digest') continue;
    const text = flat(row[key]);
    if (text !== undefined) values.set(cleanText(key), text);
  }
  return values;
}

/** Settings arrive as text, as an object or as a list, by release and key. */
function flat(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.flatMap((v) => flat(v) ?? []).join(', ');
  if (isRaw(value)) {
    return Object.keys(value)
      .sort(byText)
      .flatMap((key) => (flat(value[key]) === undefined ? [] : [`${cleanText(key)}=${flat(value[key])}`]))
      .join(',');
  }
  if (typeof value === 'boolean') return value ? '1' : '0';
  return cleaned(value);
}

/** How the nodes of a cluster talk to each other. */
export interface Totem {
  readonly clusterName: string | undefined;
  readonly configVersion: number | undefined;
  readonly encrypted: boolean | undefined;
  readonly linkMode: string | undefined;
  readonly ipVersion: string | undefined;
  /** Link numbers that the configuration declares. */
  readonly links: readonly number[];
}

/** Source: GET /cluster/config/totem (Sys.Audit on /). */
export async function readTotem(call: Call): Promise<Totem> {
  return parseTotem((await call.get('/cluster/config/totem', {})).data);
}

export function parseTotem(data: unknown): Totem {
  const row = rawOf(data);
  const secure = cleaned(row['secauth']);
  return {
    clusterName: cleaned(row['cluster_name']),
    configVersion: intOf(row['config_version']),
    encrypted: secure === undefined ? undefined : (boolOf(secure) ?? false),
    linkMode: cleaned(row['link_mode']),
    ipVersion: cleaned(row['ip_version']),
    links: Object.keys(rawOf(row['interface']))
      .flatMap((key) => intOf(key) ?? [])
      .sort((a, b) => a - b),
  };
}

/** Where metrics are pushed to. */
export interface MetricServer {
  readonly id: string;
  readonly type: string;
  readonly server: string | undefined;
  readonly port: number | undefined;
  readonly enabled: boolean;
  /** What else is set, without secrets; only when it was asked for. */
  readonly details: string | undefined;
}

/** Source: GET /cluster/metrics/server (Sys.Audit on /). */
export async function readMetricServers(call: Call): Promise<readonly MetricServer[]> {
  return parseMetricServers((await call.get('/cluster/metrics/server', {})).data);
}

export function parseMetricServers(data: unknown): readonly MetricServer[] {
  return listOf(data, 'metric servers')
    .flatMap((row) => {
      const id = cleaned(row['id']);
      if (id === undefined) return [];
      return [
        {
          id,
          type: cleaned(row['type']) ?? 'unknown',
          server: cleaned(row['server']),
          port: intOf(row['port']),
          enabled: boolOf(row['disable']) !== true,
          details: undefined,
        },
      ];
    })
    .sort((a, b) => byText(a.id, b.id));
}

const LISTED: ReadonlySet<string> = new Set(['id', 'type', 'server', 'port', 'disable', 'digest']);

/** Source: GET /cluster/metrics/server/{id} (Sys.Audit on /). */
export async function readMetricServerDetails(call: Call, id: string): Promise<string | undefined> {
  return parseMetricServerDetails((await call.get('/cluster/metrics/server/{id}', { id })).data);
}

export function parseMetricServerDetails(data: unknown): string | undefined {
  const row = rawOf(data);
  const parts = Object.keys(row)
    .filter((key) => !LISTED.has(key))
    .sort(byText)
    .flatMap((key) => {
      const value = key === 'otel-resource-attributes' ? attributesOf(row[key]) : flat(row[key]);
      return value === undefined ? [] : [`${cleanText(key)}=${value}`];
    });
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** Base64 of JSON, written by people. */
function attributesOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : oneLine(scrubFreeText(decodeBase64Text(text) ?? text).text, 200);
}

/** Where users are authenticated. */
export interface Realm {
  readonly realm: string;
  readonly type: string;
  readonly isDefault: boolean;
  /** Second factor that the realm demands. */
  readonly tfa: string | undefined;
  readonly comment: string | undefined;
}

/** Source: GET /access/domains (anybody). */
export async function readRealms(call: Call): Promise<readonly Realm[]> {
  return parseRealms((await call.get('/access/domains', {})).data);
}

export function parseRealms(data: unknown): readonly Realm[] {
  return listOf(data, 'realms')
    .flatMap((row) => {
      const realm = cleaned(row['realm']);
      if (realm === undefined) return [];
      return [
        {
          realm,
          type: cleaned(row['type']) ?? 'unknown',
          isDefault: boolOf(row['default']) ?? false,
          tfa: cleaned(row['tfa']),
          comment: commentOf(row['comment']),
        },
      ];
    })
    .sort((a, b) => byText(a.realm, b.realm));
}

/** A regular copy of users and groups out of a directory. */
export interface RealmSync {
  readonly id: string;
  readonly realm: string | undefined;
  readonly schedule: string | undefined;
  readonly enabled: boolean;
  /** Epoch seconds. */
  readonly lastRun: number | undefined;
  readonly nextRun: number | undefined;
  readonly comment: string | undefined;
}

/** Source: GET /cluster/jobs/realm-sync (Sys.Audit on /). */
export async function readRealmSyncs(call: Call): Promise<readonly RealmSync[]> {
  return parseRealmSyncs((await call.get('/cluster/jobs/realm-sync', {})).data);
}

export function parseRealmSyncs(data: unknown): readonly RealmSync[] {
  return listOf(data, 'realm syncs')
    .flatMap((row) => {
      const id = cleaned(row['id']);
      if (id === undefined) return [];
      return [
        {
          id,
          realm: cleaned(row['realm']),
          schedule: cleaned(row['schedule']),
          enabled: boolOf(row['enabled']) ?? true,
          lastRun: timeOf(row['last-run']),
          nextRun: timeOf(row['next-run']),
          comment: commentOf(row['comment']),
        },
      ];
    })
    .sort((a, b) => byText(a.id, b.id));
}

/** A way to prove to a certificate authority that a name is ours. */
export interface AcmePlugin {
  readonly id: string;
  readonly type: string | undefined;
  /** Name of the DNS provider's interface. */
  readonly api: string | undefined;
}

/** Accounts with certificate authorities: names only. Source: GET /cluster/acme/account (any user). */
export async function readAcmeAccounts(call: Call): Promise<readonly string[]> {
  return listOf((await call.get('/cluster/acme/account', {})).data, 'ACME accounts')
    .flatMap((row) => cleaned(row['name']) ?? [])
    .sort(byText);
}

/** Certificate authorities that the product knows, `name: address`. Source: GET /cluster/acme/directories (any user). */
export async function readAcmeDirectories(call: Call): Promise<readonly string[]> {
  return listOf((await call.get('/cluster/acme/directories', {})).data, 'ACME directories').flatMap((row) => {
    const [name, url] = [cleaned(row['name']), cleaned(row['url'])];
    return name === undefined || url === undefined ? [] : [`${name}: ${url}`];
  });
}

/** Source: GET /cluster/acme/plugins (Sys.Modify on /). Their credentials stay out. */
export async function readAcmePlugins(call: Call): Promise<readonly AcmePlugin[]> {
  return parseAcmePlugins((await call.get('/cluster/acme/plugins', {})).data);
}

export function parseAcmePlugins(data: unknown): readonly AcmePlugin[] {
  return listOf(data, 'ACME plugins')
    .flatMap((row) => {
      const id = cleaned(row['plugin']);
      return id === undefined ? [] : [{ id, type: cleaned(row['type']), api: cleaned(row['api']) }];
    })
    .sort((a, b) => byText(a.id, b.id));
}

/** A CPU model that administrators of the cluster put together. */
export interface CpuModel {
  readonly name: string;
  readonly basedOn: string | undefined;
  readonly flags: string | undefined;
}

/** Source: GET /cluster/qemu/custom-cpu-models (9.2; rows need Mapping.Audit on /mapping/cpu/{model}). */
export async function readCustomCpuModels(call: Call): Promise<readonly CpuModel[]> {
  return parseCustomCpuModels((await call.get('/cluster/qemu/custom-cpu-models', {})).data);
}

export function parseCustomCpuModels(data: unknown): readonly CpuModel[] {
  return listOf(data, 'CPU models')
    .flatMap((row) => {
      const name = cleaned(row['cputype']);
      return name === undefined ? [] : [{ name, basedOn: cleaned(row['reported-model']), flags: cleaned(row['flags']) }];
    })
    .sort((a, b) => byText(a.name, b.name));
}
