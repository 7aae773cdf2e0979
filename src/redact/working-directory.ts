/**
 * `PWD=/root` as sudo, `env` and core dumps write it. A connection string has its semicolon right at the name or behind
 * the value (`UID=sa;PWD=/x;`), most write `Pwd`, and few passwords are made of a path's characters alone.
 */
const WORKING_DIRECTORY = /(?<![^\s"'`(])PWD=(["']?)(?:\/[\w.@+/-]*|~(?:\/[\w.@+/-]*)?)\1(?=["'`)\]]*[.,;:]?(?:["'\s]|$))/y;

/** Whether the name that stands there in the text is the variable for the working directory, and no password. */
export function isWorkingDirectory(text: string, at: number): boolean {
  WORKING_DIRECTORY.lastIndex = at;
  return WORKING_DIRECTORY.test(text);
}
