/** An answer whose cursors are readable and without the second in which they were asked: all that differs between two equal calls. */
export function steadyCursors(text: string): string {
  return text.replace(/cursor="([\w-]+)"/g, (_, cursor: string) =>
    Buffer.from(cursor, 'base64url')
      .toString()
      .replace(/\b\d{10}\b/, 'NOW'),
  );
}
