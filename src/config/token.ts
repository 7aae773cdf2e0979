import type { Parsed } from './parsed.ts';

/** Token secrets are UUIDs. */
const SECRET = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** `user@realm!name`; a user may itself hold an `@`. Nothing that could end or split the header it is sent in. */
const TOKEN_ID = /^[\x21-\x7e]{1,64}@[A-Za-z][A-Za-z0-9._-]{1,31}![A-Za-z][A-Za-z0-9._-]{1,63}$/;
const NOT_IN_USER = /[:/!=;,"\\]/;

const ID_ACCEPTS = 'user@realm!tokenname, such as mcp@pve!assistant';
const SECRET_ACCEPTS = 'the UUID that Proxmox showed once, when the token was made';

/**
 * A token's full id. The faults tell the usual mistakes apart and never repeat the value, since the secret is often pasted
 * along with it.
 */
export function parseTokenId(text: string): Parsed<string> {
  const fault = (what: string): Parsed<string> => ({ fault: { what, accepts: ID_ACCEPTS } });
  if (/^PVEAPIToken[= ]/i.test(text)) return fault('holds a whole Authorization header, with the secret');
  if (SECRET.test(text)) return fault('holds a token secret in place of the token id');
  const bang = text.lastIndexOf('!');
  if (text.slice(bang + 1).includes('=')) {
    return fault('holds "=" after the token name (the secret belongs in its own setting, not after the id)');
  }
  if (bang === -1)
    return fault(
      text.includes('@') ? 'names a user but no token ("!" is missing)' : 'is not a token id ("@" and "!" are missing)',
    );
  const user = text.slice(0, text.lastIndexOf('@', bang));
  if (!text.slice(0, bang).includes('@')) return fault('has no realm ("@" before "!" is missing)');
  if (!TOKEN_ID.test(text) || NOT_IN_USER.test(user))
    return fault('has a part that is empty, too long or has characters that no token id has');
  return { value: text };
}

/** A token's secret, lower or upper case as given. The faults say nothing about the value but its kind of mistake. */
export function parseTokenSecret(text: string): Parsed<string> {
  if (SECRET.test(text)) return { value: text };
  const what = text.includes('!')
    ? 'holds more than the secret (the token id belongs in its own setting)'
    : 'is not a token secret (a password does not work here)';
  return { fault: { what, accepts: SECRET_ACCEPTS } };
}
