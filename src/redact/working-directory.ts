/**
 * `PWD=/root` as sudo, `env` and core dumps write it. A connection string has a semicolon right behind the value or the
 * setting before (`UID=sa; PWD=/x;`) where sudo has a blank, most write `Pwd`, and few passwords are made of a path's
 * characters alone.
 */
const WORKING_DIRECTORY =
  /(?<![^\s"'`(]|\S;\s{1,4})PWD=(["']?)(?:\/[\w.@+/-]*|~(?:\/[\w.@+/-]*)?)\1(?=["'`)\]]*[.,:]?(?:["'\s]|$))/y;

/** Whether the name that stands there in the text is the variable for the working directory, and no password. */
export function isWorkingDirectory(text: string, at: number): boolean {
  WORKING_DIRECTORY.lastIndex = at;
  return WORKING_DIRECTORY.test(text);
}
