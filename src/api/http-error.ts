import { cleanText, oneLine, repairMojibake } from '../redact/plain-text.ts';
import { scrubFreeText } from '../redact/scrub-text.ts';
import { type EndpointPath, endpointSpec } from './endpoints.ts';
import { ApiError } from './errors.ts';
import type { RawAnswer } from './get.ts';
import { atLeast, type Release } from './release.ts';

type Params = Readonly<Record<string, string | number>>;

/**
 * Gives an unsuccessful answer its meaning. The API says what is wrong in the reason phrase, in the body's `message`,
 * in both, or in neither; and most of "not found" is a 500.
 */
export function errorFromAnswer(path: EndpointPath, params: Params, answer: RawAnswer, release: Release | undefined): ApiError {
  const { message, errors } = errorBody(answer.body);
  const said = tidy(message ?? answer.reason);
  const { status } = answer;
  const detail = { status };
  const node = params['node'] === undefined ? undefined : String(params['node']);

  if (status === 401) {
    return new ApiError('unauthenticated', `Proxmox refused the token${said === '' ? '' : ` (${said})`}.`, {
      ...detail,
      hint: 'Check PROXMOX_TOKEN_ID (user@realm!name) and PROXMOX_TOKEN_SECRET, and that token and user are enabled and not expired.',
    });
  }
  if (status === 403) {
    const needs = neededRight(said, path, params, release);
    return new ApiError(
      'forbidden',
      needs === undefined ? `Not allowed: ${said || 'permission denied'}.` : 'Not allowed for this token.',
      {
        ...detail,
        needs,
        hint: 'Run check_token_access to see what the token may read and the grant that opens the rest.',
      },
    );
  }
  if (status === 595) return nodeUnreachable(node, said || 'no connection to it', detail);
  if (status === 596 || status === 599 || status === 597) {
    if (/certificate|tls_/i.test(said))
      return nodeUnreachable(
        node,
        `the nodes do not trust each other's certificates, or the node name is wrong (${said})`,
        detail,
      );
    return new ApiError(
      'timeout',
      `${node === undefined ? 'The cluster' : `Node ${node}`} did not answer the entry node in time (${status}${said === '' ? '' : ` ${said}`}).`,
      detail,
    );
  }
  if (status === 501) {
    return new ApiError(
      'unsupported-by-this-release',
      `This release of Proxmox VE${release === undefined ? '' : ` (${release.text})`} has no ${path}.`,
      detail,
    );
  }
  if (status === 400) return badParameter(errors, said, detail);
  if (status === 404) return new ApiError('not-found', said || 'Not found.', detail);
  if (status >= 300 && status < 400) {
    return new ApiError('unreachable', 'The server redirects; redirects are never followed.', {
      ...detail,
      hint: 'Check scheme, host and port in PROXMOX_URL.',
    });
  }
  return businessError(said, node, detail);
}

/** Texts in which the API says that something is not there. */
const NOT_FOUND = /does not exist|no such |not found|unable to find|doesn't exist|no rule at position|not defined/i;
const NOT_CONFIGURED = [
  {
    pattern: /ceph.*(not installed|not initialized|not fully)|binary not installed|rados_\w+ failed - No such file/i,
    text: 'Ceph is not set up here',
  },
  { pattern: /ha groups have been migrated to rules/i, text: 'HA groups were migrated to rules' },
  {
    pattern: /(node is not in a cluster|standalone node\b|no cluster|corosync.*(missing|not exist)|not part of a cluster)/i,
    text: 'this node is not part of a cluster',
  },
  { pattern: /sdn.*(not installed|not available)|libpve-network/i, text: 'SDN is not installed' },
] as const;

function businessError(said: string, node: string | undefined, detail: { status: number }): ApiError {
  for (const { pattern, text } of NOT_CONFIGURED) {
    if (pattern.test(said)) return new ApiError('not-configured', `${text} (${said}).`, detail);
  }
  // A set-up that is there and does not answer is not "no Ceph".
  if (/rados_\w+ failed/.test(said)) return new ApiError('timeout', `Ceph does not answer (${said}).`, detail);
  if (/hostname lookup '.*' failed|address lookup for '.*' did not find/.test(said)) {
    return new ApiError('wrong-node', `There is no node ${node ?? ''} in this cluster.`, {
      ...detail,
      hint: 'list_nodes shows the names; they are case-sensitive.',
    });
  }
  if (/No QEMU guest agent configured/i.test(said))
    return new ApiError('not-configured', 'The guest agent is not enabled for this guest.', detail);
  if (/guest agent is not running/i.test(said)) return new ApiError('timeout', 'The guest agent does not answer.', detail);
  if (/\b(?:VM|CT|guest|container)\b.*not running/i.test(said))
    return new ApiError('not-configured', `The guest is not running (${said}).`, detail);
  if (NOT_FOUND.test(said)) return new ApiError('not-found', said, detail);
  return new ApiError('upstream', said === '' ? `Proxmox answered ${detail.status} without a text.` : said, detail);
}

function nodeUnreachable(node: string | undefined, why: string, detail: { status: number }): ApiError {
  return new ApiError(
    'node-unreachable',
    `${node === undefined ? 'The node' : `Node ${node}`} cannot be reached from the entry node: ${why}.`,
    detail,
  );
}

function badParameter(errors: Readonly<Record<string, string>>, said: string, detail: { status: number }): ApiError {
  const listed = Object.entries(errors).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = listed.map(([name, why]) => `${name}: ${tidy(why)}`).join('; ');
  if (text !== '' && listed.every(([, why]) => /no such|not found|does not exist/i.test(why)))
    return new ApiError('not-found', text, detail);
  return new ApiError(
    'bad-parameter',
    text === '' ? said || 'Proxmox refused a parameter.' : `Proxmox refused a parameter: ${text}`,
    detail,
  );
}

function errorBody(body: string): { message: string | undefined; errors: Record<string, string> } {
  const none = { message: undefined, errors: {} };
  if (!body.startsWith('{')) return none;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // An error whose body is broken still has its status and reason phrase.
    return none;
  }
  if (typeof parsed !== 'object' || parsed === null) return none;
  const message = 'message' in parsed && typeof parsed.message === 'string' ? parsed.message : undefined;
  const errors: Record<string, string> = {};
  if ('errors' in parsed && typeof parsed.errors === 'object' && parsed.errors !== null) {
    for (const [key, value] of Object.entries(parsed.errors)) errors[key] = String(value);
  }
  return { message, errors };
}

/** Error texts of the API carry server paths, whole command lines and secrets; a reader gets one clean line. */
function tidy(text: string): string {
  const withoutPlace = repairMojibake(cleanText(text)).replace(/ at \/\S+ line \d+\.?.*$/s, '');
  return oneLine(scrubFreeText(withoutPlace).text, 300).replace(/\s*\.?\s*$/, '');
}

/** `VM.Audit on /vms/100`, from the API's own words or else from the endpoint's declaration. */
function neededRight(said: string, path: EndpointPath, params: Params, release: Release | undefined): string | undefined {
  const parsed = /Permission check failed \(([^,]*), ([^)]+)\)/.exec(said);
  if (parsed !== null) {
    const [, where = '', privileges = ''] = parsed;
    if (where !== '') return `${privileges.split('|').join(' or ')} on ${where}`;
  }
  if (/user != root@pam/.test(said)) return 'to be root@pam itself (no token can read this)';
  const spec = endpointSpec(path);
  const need =
    spec.needsBefore9 !== undefined && release !== undefined && !atLeast(release, '9.0') ? spec.needsBefore9 : spec.needs;
  if (need === 'any-user') return undefined;
  const where = need.on.replace(/\{([^}]+)\}/g, (_, name: string) => String(params[name] ?? `{${name}}`));
  return `${need.any?.join(' or ') ?? need.all?.join(' and ') ?? ''} on ${where}`;
}
