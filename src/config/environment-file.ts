import { parseEnv } from 'node:util';
import type { Parsed } from './parsed.ts';
import type { Environment } from './variables.ts';

const ACCEPTS = 'lines of the form NAME=value, comments that start with #, and quotation marks that close';

/**
 * A dotenv file as Node reads it: `NAME=value`, optional `export`, quotes, `#` comments. Lines that Node would pass over or
 * glue to the next one are refused, as a setting in them would be lost in silence. Faults repeat no value.
 */
export function parseEnvironmentFile(text: string): Parsed<Environment> {
  const fault = (what: string): Parsed<Environment> => ({ fault: { what, accepts: ACCEPTS } });
  const halfLine = /^[ \t]*(?:export[ \t]+)?(PROXMOX_[A-Z_]{1,40})\b(?![ \t]*=)/m.exec(text);
  if (halfLine !== null) return fault(`the line of ${halfLine[1]} has no "=" after the name`);
  const env = parseEnv(text);
  for (const [name, value] of Object.entries(env)) {
    if (/\s/.test(name)) return fault('the file has a line without "="');
    if (value !== undefined && /^["'`]/.test(value) && name.startsWith('PROXMOX_')) {
      return fault(`the value of ${/^[A-Z_]{1,40}$/.test(name) ? name : 'a variable'} has a quotation mark that does not close`);
    }
  }
  return { value: env };
}
