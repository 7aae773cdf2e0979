/**
 * Decides by its name whether a field holds a secret (the deny pass of the redaction). A name is cut into words at
 * `-`, `_`, `.`, `/`, blanks and camelCase humps, and whole words are compared, so that `keyboard`, `keep-last`,
 * `keyctl`, `secauth`, `tokenid` or `pre-enrolled-keys` are not hit.
 */

/** Words that mean a secret by themselves. */
const SECRET_WORDS = new Set([
  'password',
  'passwords',
  'passwd',
  'passphrase',
  'passcode',
  'pass',
  'pwd',
  'secret',
  'secrets',
  'psk',
  'credential',
  'credentials',
  'creds',
  'keyring',
  'authorization',
  'cookie',
  'token',
  'bearer',
  'jwt',
  'passwort',
  'kennwort',
  'apikey',
  'apikeys',
  'privatekey',
  'authkey',
]);

/** Endings of run-together words: `cipassword`, `truenas_adminpassword`, `clientsecret`, `apitoken`. */
const SECRET_ENDINGS = /(?:password|passwd|passphrase|passwort|kennwort|secret|token|credentials?|apikey|pass)$/;

/** Words that end like a secret and aren't one. */
const HARMLESS_ENDINGS = new Set(['bypass', 'compass', 'encompass', 'trespass', 'overpass', 'underpass']);

/** `<word> key` means a secret for these words: `api_key`, `client-key`, `secretKey`, `preshared-key`. */
const KEY_QUALIFIERS = new Set([
  'api',
  'private',
  'priv',
  'client',
  'secret',
  'access',
  'auth',
  'authentication',
  'encryption',
  'enc',
  'shared',
  'preshared',
  'master',
  'signing',
  'ssl',
  'tls',
  'wep',
  'wpa',
  'wireless',
  'crypt',
  'account',
  'session',
  'service',
]);

const KEY_ENDING = /^(?:api|private|client|secret|access|auth|encryption|preshared|shared|master|signing)keys?$/;

/**
 * Last words that turn the name into something about the secret (`token-id`, `password-reset`, `secret_expire`,
 * `keystone_password_path`) rather than the secret itself.
 */
const ABOUT_WORDS = new Set([
  'id',
  'ids',
  'name',
  'type',
  'kind',
  'expire',
  'expires',
  'expiry',
  'expiration',
  'expired',
  'ttl',
  'count',
  'length',
  'locked',
  'enable',
  'enabled',
  'disabled',
  'required',
  'policy',
  'reset',
  'change',
  'changed',
  'age',
  'bits',
  'size',
  'format',
  'fingerprint',
  'file',
  'path',
  'script',
  'command',
  'algorithm',
  'method',
  'hint',
  'present',
  'set',
  'auth',
]);

/** A name's words, lower case, without trailing digits (`wireless-key1`, `password2`). */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => word.replace(/\d+$/, ''))
    .filter((word) => word !== '');
}

function isSecretWord(word: string): boolean {
  if (SECRET_WORDS.has(word) || KEY_ENDING.test(word)) return true;
  return SECRET_ENDINGS.test(word) && !HARMLESS_ENDINGS.has(word);
}

/** Longer names are not field names; they are looked at as text instead. */
const MAX_NAME_LENGTH = 120;

/**
 * Whether a field of this name holds a secret. Names of things about a secret (`tokenid`, `token-expire`,
 * `password_file`) don't, and neither do public halves (`public-key`, `master-pubkey`, `fingerprint`).
 */
export function isSecretName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH) return false;
  const words = wordsOf(name);
  const last = words.at(-1);
  if (last === undefined) return false;
  // `secret_id` is the secret half of an AppRole login, the one `id` that is not harmless.
  if (ABOUT_WORDS.has(last) && !(last === 'id' && words.at(-2) === 'secret')) {
    return last === 'id' && words.at(-2) === 'key' && words.at(-3) === 'access';
  }
  return words.some((word, index) => {
    if (isSecretWord(word)) return true;
    if (word !== 'key' && word !== 'keys') return false;
    const qualifier = words[index - 1];
    return qualifier !== undefined && KEY_QUALIFIERS.has(qualifier);
  });
}
