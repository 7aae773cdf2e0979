import { REDACTED, type Scrubbed } from './marker.ts';
import { scrubNamedValues } from './named-values.ts';
import { ownSecretPatterns } from './own-secrets.ts';
import { scrubUnmistakable } from './unmistakable.ts';
import { scrubUrls } from './url-secrets.ts';

/** Removes what must not leave the process from finished answers, errors, logs and progress texts. */
export interface Scrubber {
  /** Scrubs one text. The same string comes back where nothing was found. */
  text(text: string): Scrubbed;
  /** Scrubs every string and every key of a JSON-like value. The same reference comes back where nothing was found. */
  value(value: unknown): { value: unknown; redacted: number };
}

/** JSON from our own code is shallow; anything deeper is hidden rather than let through unread. */
const MAX_DEPTH = 100;

/**
 * Makes the scrubber for the way out. It knows the given secrets in every encoding (plain in any case, percent, JSON and
 * HTML escapes, hex, base64 and base64url at all alignments, UUIDs without dashes) and the forms that can be nothing but
 * a secret; it uses no heuristics, so our own words are never hit.
 * @param secrets the process's own secrets (token secrets, bearer tokens); those under 4 characters are ignored
 */
export function createScrubber(secrets: readonly string[]): Scrubber {
  const own = ownSecretPatterns(secrets);

  function text(input: string): Scrubbed {
    let redacted = 0;
    let out = input;
    if (own !== undefined) {
      const hide = () => {
        redacted += 1;
        return REDACTED;
      };
      out = out.replace(own.caseless, hide);
      if (own.exact !== undefined) out = out.replace(own.exact, hide);
    }
    const scrubbed = scrubUnmistakable(out);
    return { text: scrubbed.text, redacted: redacted + scrubbed.redacted };
  }

  function value(input: unknown): { value: unknown; redacted: number } {
    let redacted = 0;
    const scrub = (s: string): string => {
      const result = text(s);
      redacted += result.redacted;
      return result.text;
    };
    const walk = (node: unknown, depth: number): unknown => {
      if (typeof node === 'string') return scrub(node);
      if (typeof node !== 'object' || node === null) return node;
      if (depth >= MAX_DEPTH) {
        redacted += 1;
        return REDACTED;
      }
      if (Array.isArray(node)) {
        let changed = false;
        const items = node.map((item: unknown) => {
          const next = walk(item, depth + 1);
          if (next !== item) changed = true;
          return next;
        });
        return changed ? items : node;
      }
      let changed = false;
      const entries = Object.entries(node).map(([key, item]): [string, unknown] => {
        const nextKey = scrub(key);
        const next: unknown = walk(item, depth + 1);
        if (next !== item || nextKey !== key) changed = true;
        return [nextKey, next];
      });
      return changed ? Object.fromEntries(entries) : node;
    };
    return { value: walk(input, 0), redacted };
  }

  return { text, value };
}

/** Credentials that vendors gave a recognisable form. Only for upstream text: `sk-` and the like may stand in ours. */
const VENDOR_IDS = new RegExp(
  [
    '\\b(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}\\b', // AWS
    '\\bgh[pousr]_[A-Za-z0-9]{20,}', // GitHub
    '\\bgithub_pat_[A-Za-z0-9_]{20,}',
    '\\bgl(?:pat|dt|rt|ptt|cbt)-[\\w-]{16,}', // GitLab
    '\\bxox[abeoprs]-[A-Za-z0-9-]{10,}', // Slack
    '\\bxapp-\\d-[A-Za-z0-9-]{10,}',
    '\\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}', // Stripe
    '\\bsk-[A-Za-z0-9_-]{20,}', // AI vendors
    '\\bAIza[\\w-]{35}', // Google
    '\\bya29\\.[\\w-]{20,}',
    '\\bnpm_[A-Za-z0-9]{30,}',
    '\\bhf_[A-Za-z0-9]{20,}',
    '\\bdop_v1_[a-f0-9]{32,}',
    '\\bdckr_pat_[\\w-]{20,}',
    '\\bhvs\\.[\\w-]{20,}',
    '\\btskey-[a-z]+-[\\w-]{10,}',
    '\\bSG\\.[\\w-]{16,}\\.[\\w-]{16,}',
    '\\bAGE-SECRET-KEY-1[A-Z0-9]{40,}',
    '\\bey[JK][\\w-]{8,}\\.ey[JK][\\w-]{8,}\\.[\\w-]{8,}', // JSON web token
    '\\bAQ[A-Za-z0-9+/]{36}==', // Ceph key
    '\\b\\d{8,10}:AA[\\w-]{32,35}', // Telegram bot
  ].join('|'),
  'g',
);

/** A licence key: the product prefix says which subscription it is and stays. */
const SUBSCRIPTION_KEY = /\b(p(?:ve|bs|mg)\d?[a-z]-)[0-9a-f]{10}\b/gi;

/** `Authorization: Bearer x`, `Proxy-Authorization=Basic x`; without a known scheme only what is no plain word. */
const AUTHORIZATION =
  /((?:proxy-)?authorization["']?\s{0,2}[:=]\s{0,2}["']?)(Digest\s[^\r\n"]{4,}|(?:Bearer|Basic|Token|Negotiate|NTLM|ApiKey|Key|AWS4-HMAC-SHA256|GenieKey|Splunk|PVEAPIToken)\s+[^\s"',;]{2,}|(?=[^\s"',;]{0,128}[^A-Za-z\s"',;])[^\s"',;]{6,})/gi;
const BEARER = /\b(Bearer\s+)(?!(?:tokens?|auth\w*|scheme|realm|error|header)\b)([^\s"'`,;<>()]{6,})/g;
const BASIC = /\b(Basic\s+)([A-Za-z0-9+/_-]{8,}={0,2})(?![A-Za-z0-9])/g;

/** Everything below needs at least one of these in the text; most lines have none and cost one search. */
const HINT =
  /:\/\/|PRIVATE KEY|\$[0-9a-z]|::|![A-Za-z]|pass|secret|token|key|psk|cred|pwd|\bpw\b|kennwort|contrase|senha|парол|密码|auth|bearer|basic|cookie|AKIA|A[SR][IO]A|AIDA|A[GN]PA|A[NB][VI]A|ACCA|gh[pousr]_|gl[a-z]+-|xox|xapp|[rs]k[_-]|AIza|ya29|npm_|hf_|dop_|dckr|hvs\.|SG\.|eyJ|eyK|AQ|:AA|p(?:ve|bs|mg)\d?[a-z]-|admin|root:|-u\s/i;

/** Replaces credentials with a vendor's form (AWS, GitHub, Slack, JSON web tokens, ...). For upstream text only. */
export function scrubVendorIds(text: string): Scrubbed {
  let redacted = 0;
  const out = text
    .replace(VENDOR_IDS, () => {
      redacted += 1;
      return REDACTED;
    })
    .replace(SUBSCRIPTION_KEY, (_match, prefix: string) => {
      redacted += 1;
      return prefix + REDACTED;
    });
  return { text: out, redacted };
}

function looksLikeBasicCredentials(encoded: string): boolean {
  return Buffer.from(encoded, 'base64').includes(':');
}

function scrubAuthorization(text: string): Scrubbed {
  let redacted = 0;
  const hide = (match: string, prefix: string, value: string): string => {
    if (value.includes(REDACTED)) return match;
    redacted += 1;
    return prefix + REDACTED;
  };
  const out = text
    .replace(AUTHORIZATION, hide)
    .replace(BEARER, hide)
    .replace(BASIC, (match, prefix: string, value: string) =>
      looksLikeBasicCredentials(value) ? hide(match, prefix, value) : match,
    );
  return { text: out, redacted };
}

/**
 * Cleans free text from upstream (notes, logs, task status, error texts) as well as patterns can: private keys, crypt
 * hashes, tickets, API tokens, URL passwords and parameters, `Authorization` and `Bearer`, `password: x`, `secret=x`,
 * `--token x`, cloud-config passwords, vendor ids. Ordinary sentences about passwords or tokens, UPIDs, permission
 * messages and placeholders stay. The same string comes back where nothing was found.
 */
export function scrubFreeText(text: string): Scrubbed {
  if (text.length < 4 || !HINT.test(text)) return { text, redacted: 0 };
  let out = text;
  let redacted = 0;
  for (const step of [scrubUnmistakable, scrubUrls, scrubAuthorization, scrubNamedValues, scrubVendorIds]) {
    const result = step(out);
    out = result.text;
    redacted += result.redacted;
  }
  return { text: out, redacted };
}
