import type { Problems } from './problems.ts';
import { type ReadFile, readNamedFile } from './read-file.ts';
import type { TlsSettings } from './settings.ts';
import { parseCaPem, parseFingerprints, parseServername } from './tls-values.ts';
import type { Given } from './variables.ts';

/** The TLS settings as given, not yet checked. */
export interface TlsInput {
  readonly verify: boolean | undefined;
  readonly caFile: Given | undefined;
  readonly fingerprints: readonly string[] | undefined;
  readonly servername: string | undefined;
}

/** How messages name each setting: by its variable or by its path in the file. */
export type TlsNames = Readonly<Record<keyof TlsInput, string>>;

/**
 * Checks the TLS settings for themselves and together, reads the CA file, and notes what is wrong. `urls` is undefined when
 * the URLs are themselves wrong.
 */
export function readTls(
  input: TlsInput,
  names: TlsNames,
  urls: readonly string[] | undefined,
  readFile: ReadFile,
  problems: Problems,
): TlsSettings {
  if (input.verify === false) {
    for (const key of ['caFile', 'fingerprints'] as const) {
      if (input[key] === undefined) continue;
      const accepts = `true, or leave it out, to verify with ${names[key]}`;
      problems.add(names.verify, { what: `is false, but ${names[key]} asks to verify`, accepts });
    }
  }
  if (urls?.every((url) => url.startsWith('http:'))) {
    for (const key of ['caFile', 'fingerprints', 'servername'] as const) {
      if (input[key] === undefined) continue;
      problems.add(names[key], { what: 'has no effect, as every URL is plain http', accepts: 'an https URL, or leave it out' });
    }
  }
  const caPem = input.caFile && readCaFile(input.caFile, names.caFile, readFile, problems);
  const fingerprints = input.fingerprints && problems.take(names.fingerprints, parseFingerprints(input.fingerprints));
  const servername =
    input.servername === undefined ? undefined : problems.take(names.servername, parseServername(input.servername));
  return {
    verify: input.verify ?? true,
    ...(caPem === undefined ? {} : { caPem }),
    fingerprints: fingerprints ?? [],
    ...(servername === undefined ? {} : { servername }),
  };
}

function readCaFile(path: Given, name: string, readFile: ReadFile, problems: Problems): string | undefined {
  const accepts = 'the path of a PEM file with the CA certificate';
  const file = problems.take(name, readNamedFile(readFile, path, accepts));
  return file && problems.take(name, parseCaPem(file.text));
}
