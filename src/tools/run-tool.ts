import { decodeCursor, encodeCursor } from '../answer/cursor.ts';
import { renderAnswer } from '../answer/render.ts';
import { renderError } from '../answer/render-error.ts';
import { type CallOptions, type CallStats, createCall } from '../api/call.ts';
import type { Session } from '../api/session.ts';
import type { OutputForm } from '../config/settings.ts';
import { createScrubber } from '../redact/scrub-text.ts';
import type { PreparedCall, Tool } from './define-tool.ts';

/** What a tool call gives back, in the form the client asked for. */
export interface ToolOutcome {
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>> | undefined;
  readonly isError: boolean;
  readonly stats: CallStats;
  /** Kind of the error, for exit codes and the audit log. */
  readonly errorKind: string | undefined;
}

export interface RunOptions extends CallOptions {
  readonly form: OutputForm;
  readonly maxChars: number;
}

const MAX_ERROR_CHARS = 1_000;

/** The one way from arguments to an answer: check, read, render, scrub. Never throws. */
export async function runTool(tool: Tool, raw: unknown, session: Session, options: RunOptions): Promise<ToolOutcome> {
  const call = createCall(session, options);
  const scrub = createScrubber(session.secrets);
  try {
    const prepared = tool.prepare(raw);
    const context = { tool: tool.name, args: prepared.args, identity: session.key };
    const after = prepared.cursor === undefined ? undefined : decodeCursor(prepared.cursor, context);
    const answer = await prepared.run(call, after);
    const render = (redacted: number) =>
      renderAnswer(tool.output, answer, {
        form: options.form,
        maxChars: options.maxChars,
        now: call.now(),
        redacted,
        ...pageOf(prepared),
        ...(after === undefined ? {} : { after }),
        cursorFor: (position) => encodeCursor({ ...context, after: position }),
      });
    const first = render(call.stats.redacted);
    const late = scrub.text(first.text).redacted;
    // A secret that only the last look found is counted like the others.
    const rendered = late === 0 ? first : render(call.stats.redacted + late);
    return {
      text: scrub.text(rendered.text).text,
      structured: rendered.structured === undefined ? undefined : asRecord(scrub.value(rendered.structured).value),
      isError: false,
      stats: call.stats,
      errorKind: undefined,
    };
  } catch (thrown) {
    const text = scrub.text(renderError(thrown, { maxChars: MAX_ERROR_CHARS })).text;
    const errorKind = thrown instanceof Error && 'kind' in thrown && typeof thrown.kind === 'string' ? thrown.kind : 'internal';
    return { text, structured: undefined, isError: true, stats: call.stats, errorKind };
  }
}

function pageOf({ limit, fields }: PreparedCall): { limit?: number; fields?: readonly string[] } {
  return { ...(limit === undefined ? {} : { limit }), ...(fields === undefined ? {} : { fields }) };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
