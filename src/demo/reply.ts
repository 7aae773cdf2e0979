/** What goes back to the client, before it is put on the wire. */
import { type DemoHttpError, type DemoRelease, HandlerReply } from './types.ts';

export interface Reply {
  readonly status: number;
  readonly reason: string;
  /** Undefined: neither body nor Content-Length. */
  readonly body: string | undefined;
  readonly contentType?: string;
  /** The answer came through a second daemon (privileged, or on another node), which leaves a trace in the headers. */
  readonly relayed?: boolean;
  /** Always compressed, and its end is that of the connection. */
  readonly streamed?: boolean;
}

/** The representations below /api2/. */
export type ReplyFormat = 'json' | 'extjs' | 'html';

const JSON_TYPE = 'application/json;charset=UTF-8';
const HTML_TYPE = 'text/html;charset=UTF-8';

/** Says whether a path segment names a representation. */
export function isReplyFormat(text: string): text is ReplyFormat {
  return text === 'json' || text === 'extjs' || text === 'html';
}

/** A successful answer; a `HandlerReply` puts its extra keys beside `data`. */
export function successReply(result: unknown, format: ReplyFormat, relayed: boolean): Reply {
  const { data, extra, streamed } = result instanceof HandlerReply ? result : new HandlerReply(result, {});
  const answer = { ...(format === 'extjs' ? { success: 1 } : {}), data: data ?? null, ...extra };
  const body = format === 'html' ? htmlPage('Proxmox VE API', JSON.stringify(answer, undefined, 2)) : JSON.stringify(answer);
  return { status: 200, reason: 'OK', body, contentType: format === 'html' ? HTML_TYPE : JSON_TYPE, relayed, streamed };
}

/**
 * An error: reason phrase = first line of the message; body `{"data":null,"message":...}` since 8.4, `{"data":null}`
 * before. In the `extjs` representation every error is a 200.
 */
export function errorReply(error: DemoHttpError, format: ReplyFormat, release: DemoRelease): Reply {
  const { status, errors } = error;
  // A carriage return breaks the real server's status line, which then says no more than the number.
  if (error.message.includes('\r')) return { status: 400, reason: 'Bad Request', body: undefined };
  const [reason = ''] = error.message.split('\n');
  // Only "not implemented" comes without the line end.
  const message = status === 501 || error.message.endsWith('\n') ? error.message : `${error.message}\n`;
  const map = errors === undefined ? {} : { errors };
  if (format === 'extjs') {
    const body = JSON.stringify({ data: null, message, status: String(status), ...map, success: 0 });
    return { status: 200, reason: 'OK', body, contentType: JSON_TYPE };
  }
  if (format === 'html') return { status, reason, body: htmlPage('Proxmox VE API', message), contentType: HTML_TYPE };
  const told = release === '7.4' ? {} : { message };
  return { status, reason, body: JSON.stringify({ data: null, ...told, ...map }), contentType: JSON_TYPE };
}

/** An error of the HTTP layer: plain text without a content type. */
export function plainReply(status: number, text: string): Reply {
  return { status, reason: text.split('\n')[0] ?? '', body: text };
}

/** Nothing but a status line: 401, 595, 596. */
export function bareReply(status: number, reason: string): Reply {
  return { status, reason, body: undefined };
}

/** An HTML page, as the web interface or a login page in front of it sends. */
export function htmlReply(title: string, text: string): Reply {
  return { status: 200, reason: 'OK', body: htmlPage(title, text), contentType: HTML_TYPE };
}

function htmlPage(title: string, text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${title}</title></head>\n<body><pre>${escaped}</pre></body>\n</html>\n`;
}
