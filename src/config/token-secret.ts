import { Secret } from '../redact/secret.ts';
import type { Problems } from './problems.ts';
import { permissionWarning, readNamedFile } from './read-file.ts';
import type { Sources } from './sources.ts';
import { parseTokenSecret } from './token.ts';
import type { Given } from './variables.ts';

/** A token secret that was given as such. From here on it is kept out of every message. */
export function takeSecret(name: string, text: string, problems: Problems): Secret | undefined {
  problems.hide(text);
  const value = problems.take(name, parseTokenSecret(text.trim()));
  return value === undefined ? undefined : new Secret(value);
}

/** A token secret that stands alone in a file. Warns when other users can read the file. */
export function readSecretFile(name: string, path: Given, sources: Sources, problems: Problems): Secret | undefined {
  const accepts = 'the path of a file with the token secret and nothing else';
  const file = problems.take(name, readNamedFile(sources.readFile, path, accepts));
  if (file === undefined) return undefined;
  const warning = permissionWarning(name, file);
  if (warning !== undefined) sources.warnings.push(warning);
  return takeSecret(name, file.text, problems);
}
