/** A failed call in words: what happened, why, and what to do next. */
import { type ErrorKind, toApiError } from '../api/errors.ts';
import { oneLine } from '../redact/plain-text.ts';
import { shorten } from './cut.ts';

/** The next step where the error itself knows no better one. */
const NEXT: Readonly<Record<ErrorKind, string | undefined>> = {
  unauthenticated: 'Check the token id and its secret in the configuration; the token may be expired or deleted.',
  forbidden: 'Use check_token_access to see what this token lacks and the grant that opens it.',
  'not-found': 'Use search_inventory to find what exists.',
  'wrong-node': 'Leave out node: it is found by itself.',
  'node-unreachable': 'Use get_cluster_overview to see which nodes are online.',
  unreachable: 'Check the configured URL and that the API port (8006) can be reached from here.',
  timeout: 'Try again in half a minute, or ask for less.',
  'bad-parameter': 'Correct the arguments and repeat the call.',
  'bad-argument': 'Correct the arguments and repeat the call.',
  'unsupported-by-this-release': 'Use get_cluster_overview to see the releases that run.',
  'not-configured': undefined,
  'malformed-answer': 'Check that the configured URL is that of a Proxmox VE API, not of a proxy or another product.',
  'too-large': 'Ask for less: a narrower filter or a smaller limit.',
  tls: 'Configure the CA file or the fingerprint of the certificate.',
  cancelled: undefined,
  upstream: 'Repeat the call once; if it fails again, look at the logs of the node.',
  internal: 'Other tools may still work; the details are in the log of this server.',
};

/**
 * An error as one to three lines of at most `maxChars` characters: `Error (forbidden): ...`, `Needs: ...`, `Next: ...`.
 * Without stack or cause. Cleaned of control characters; secrets are scrubbed by the caller.
 */
export function renderError(thrown: unknown, options: { readonly maxChars: number }): string {
  const { kind, message: what, needs, hint } = toApiError(thrown);
  const next = hint ?? NEXT[kind];
  const share = Math.floor(options.maxChars / 4);
  const extra = [
    ...(needs === undefined ? [] : [`Needs: ${oneLine(needs, share)}`]),
    ...(next === undefined ? [] : [`Next: ${oneLine(next, share)}`]),
  ];
  const used = extra.reduce((sum, line) => sum + line.length + 1, 0);
  const head = `Error (${kind}): `;
  const first = head + oneLine(what, Math.max(20, options.maxChars - used - head.length));
  return shorten([first, ...extra].join('\n'), options.maxChars);
}
