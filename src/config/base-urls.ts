import type { Parsed } from './parsed.ts';

/** Port of the Proxmox VE API when a URL gives neither a port nor a path. */
const API_PORT = 8006;
/** More entry points than any cluster has nodes is a paste gone wrong. */
const MAX_URLS = 64;
const ACCEPTS = 'the base URL of a node, such as https://pve1.example.com:8006';

/**
 * Comma-separated base URLs of one cluster, each as {@link parseBaseUrl} makes it, each once, in the order given.
 */
export function parseBaseUrls(list: string): Parsed<readonly string[]> {
  const entries = list.split(',');
  const urls = new Set<string>();
  if (entries.length > MAX_URLS) return { fault: { what: `has more than ${MAX_URLS} entries`, accepts: ACCEPTS } };
  for (const [index, entry] of entries.entries()) {
    const parsed = parseBaseUrl(entry.trim());
    if (parsed.fault === undefined) {
      urls.add(parsed.value);
      continue;
    }
    const where = entries.length === 1 ? '' : `entry ${index + 1} of ${entries.length}: `;
    return { fault: { ...parsed.fault, what: where + parsed.fault.what } };
  }
  return { value: [...urls] };
}

/**
 * One base URL in normal form: scheme, host, port and path prefix, without trailing slash and without `/api2/json`.
 * Port 8006 is filled in when the URL has neither a port nor a path prefix; write `:443` for a proxy at the root of a host.
 * Faults never repeat any part of the URL: a password may stand in it.
 */
export function parseBaseUrl(text: string): Parsed<string> {
  const fault = (what: string, accepts = ACCEPTS): Parsed<string> => ({ fault: { what, accepts } });
  if (text === '') return fault('is empty');
  if (/[^\x21-\x7e]|[\\"'<>`{}|^]/.test(text)) return fault('has a character that no base URL has');
  const scheme = /^(https?):\/\//i.exec(text);
  if (scheme === null) return fault('does not start with https://');
  const rest = text.slice(scheme[0].length);
  if (rest.includes('#')) return fault('has a "#" part: that is the address of a page of the web interface');
  if (rest.includes('?')) return fault('has a "?" part');
  const slash = rest.indexOf('/');
  const authority = slash === -1 ? rest : rest.slice(0, slash);
  if (rest.includes('@')) {
    return fault('has a user name or password in it', `${ACCEPTS}; the token belongs in the token id and token secret settings`);
  }
  if (authority === '') return fault('names no host');
  if (!authority.startsWith('[') && authority.split(':').length > 2) {
    return fault('has an IPv6 address without brackets', 'brackets, such as https://[2001:db8::1]:8006');
  }
  if (authority.startsWith('[') && authority.includes('%')) {
    return fault('has an IPv6 zone, which cannot stand in a URL', 'a routable address or a host name');
  }
  const port = /:(\d*)$/.exec(authority.replace(/^\[[^\]]*\]/, ''))?.[1];
  if (port === '' || (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))) {
    return fault('has a port that is not between 1 and 65535');
  }
  if (!URL.canParse(text)) return fault('has a host or port that cannot be read');
  const url = new URL(text);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return fault('is plain http, which would show the token to the network (only loopback may use http)');
  }
  const prefix = pathPrefix(slash === -1 ? '' : rest.slice(slash));
  if (prefix.fault !== undefined) return prefix;
  // An explicit port stays, the scheme's own too: `https://host:443` must mean the same when it is read again.
  const shownPort = port === undefined ? (prefix.value === '' ? API_PORT : undefined) : Number(port);
  return { value: `${url.protocol}//${url.hostname}${shownPort === undefined ? '' : `:${shownPort}`}${prefix.value}` };
}

/** The path without the API's own part and without trailing slashes; `''` when nothing is left. */
function pathPrefix(path: string): Parsed<string> {
  const prefix = path
    .replace(/\/+$/, '')
    .replace(/\/api2(\/(json|extjs))?$/, '')
    .replace(/\/+$/, '');
  if (/\/api2(\/|$)/.test(prefix)) {
    return { fault: { what: 'is the address of one API call', accepts: `${ACCEPTS}, without /api2/json and what follows` } };
  }
  const segments = prefix.split('/').slice(1);
  const plain = segments.every((segment) => /^[A-Za-z0-9._~-]+$/.test(segment) && segment !== '.' && segment !== '..');
  if (!plain)
    return {
      fault: { what: 'has a path with empty, dotted or encoded parts', accepts: `${ACCEPTS} or https://proxy.example.com/pve` },
    };
  return { value: prefix };
}

/** True for the hosts that never leave this machine. `hostname` as `URL` writes it. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}
