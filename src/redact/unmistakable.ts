import { REDACTED, type Scrubbed } from './marker.ts';

/**
 * Secrets that can be told by their form alone, whatever stands around them. These patterns also run over our own
 * finished answers, so none of them may ever match ordinary words.
 */

const PEM_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const PEM_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const MAX_PEM_LENGTH = 32_768;
const PEM_BODY_WITHOUT_END = /(?:[ \t]*(?:\\r|\\n|\r|\n)+[ \t+>|]*[A-Za-z0-9+/=]{16,})*/y;

/** Whether a private key begins in this text and doesn't end in it (a log shows one line a row). */
export function opensPrivateKey(text: string): boolean {
  if (!text.includes('PRIVATE KEY')) return false;
  const begin = text.search(PEM_BEGIN);
  return begin >= 0 && text.slice(begin).search(PEM_END) < 0;
}

/** Whether a private key ends in this text. */
export function closesPrivateKey(text: string): boolean {
  return text.includes('PRIVATE KEY') && text.search(PEM_END) >= 0;
}

function scrubPem(text: string): Scrubbed {
  // Positions of the ends are collected once: a text full of beginnings must not be searched again for each.
  const ends = [...text.matchAll(PEM_END)].map((end) => ({ from: end.index, to: end.index + end[0].length }));
  let nextEnd = 0;
  let redacted = 0;
  let out = '';
  let position = 0;
  for (const begin of text.matchAll(PEM_BEGIN)) {
    if (begin.index < position) continue;
    let end = ends[nextEnd];
    while (end !== undefined && end.from < begin.index) {
      nextEnd += 1;
      end = ends[nextEnd];
    }
    let stop: number;
    if (end !== undefined && end.from - begin.index <= MAX_PEM_LENGTH) {
      stop = end.to;
    } else {
      // Cut off: what still looks like the key's lines goes too, but not the text behind them.
      PEM_BODY_WITHOUT_END.lastIndex = begin.index + begin[0].length;
      stop = begin.index + begin[0].length + (PEM_BODY_WITHOUT_END.exec(text)?.[0].length ?? 0);
    }
    out += text.slice(position, begin.index) + REDACTED;
    position = stop;
    redacted += 1;
  }
  return redacted === 0 ? { text, redacted } : { text: out + text.slice(position), redacted };
}

const CRYPT_HASH = /\$(?:1|5|6|7|2[abxy]?|y|gy|apr1|argon2(?:id|i|d)|scrypt)\$[^\s,"'`<>|]{4,}/g;
const TICKET = /P(?:VE|BS|MG)[A-Z]{0,8}:(?:[^:\s]{1,128}@[^:\s]{1,64}:)?[0-9A-F]{8}::[\w+/=%-]{8,}/g;
/** With a token id and a secret that has a digit in it, so that `PVEAPIToken=USER@REALM!ID=SECRET` in a hint stays. */
const API_TOKEN = /(P(?:VE|BS|MG)APIToken[= ])[^\s'"<>,;!]{1,128}![\w.-]{1,128}[=:](?=[^\s'"<>,;]{0,200}\d)[^\s'"<>,;]{8,}/g;
const TOKEN_UUID = /(![A-Za-z][\w.-]{0,127}(?:=|%3D))[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}/gi;

/** The bearer tokens of this program's own HTTP server: 43 characters behind their prefix. */
const BEARER = /(?<![A-Za-z0-9])mcpx_[A-Za-z0-9_-]{40,}/g;

/**
 * Replaces what can be nothing but a secret: PEM private keys, crypt hashes, tickets, `PVEAPIToken=ID=SECRET`, a UUID
 * right behind `!tokenname=` and bearer tokens of this program (`mcpx_...`). The same text comes back where there was none.
 */
export function scrubUnmistakable(text: string): Scrubbed {
  let { text: out, redacted } = text.includes('PRIVATE KEY') ? scrubPem(text) : { text, redacted: 0 };
  const hide = (pattern: RegExp): void => {
    // A group of the pattern is what stays in front; without one that argument is a position.
    out = out.replace(pattern, (_match, before: unknown) => {
      redacted += 1;
      return typeof before === 'string' ? before + REDACTED : REDACTED;
    });
  };
  if (out.includes('$')) hide(CRYPT_HASH);
  if (out.includes('mcpx_')) hide(BEARER);
  if (out.includes('::')) hide(TICKET);
  if (out.includes('!')) {
    hide(API_TOKEN);
    hide(TOKEN_UUID);
  }
  return { text: out, redacted };
}
