import type { Answer } from '../answer/answer.ts';
import { type CursorScope, decodeCursor, encodeCursor } from '../answer/cursor.ts';
import { renderAnswer } from '../answer/render.ts';
import { renderError } from '../answer/render-error.ts';
import type { OutputSpec } from '../answer/spec.ts';
import { type CallOptions, type CallStats, createCall } from '../api/call.ts';
import { toApiError } from '../api/errors.ts';
import type { Session } from '../api/session.ts';
import type { OutputForm } from '../config/settings.ts';
import type { Scrubber } from '../redact/scrub-text.ts';
import type { PagePosition, PreparedCall, Tool } from './define-tool.ts';

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

/** A question whose arguments are right: how it is read, and what its cursors are bound to. */
export interface Question {
  readonly output: OutputSpec;
  readonly prepared: PreparedCall;
  readonly scope: CursorScope;
  read(position: PagePosition): Promise<Answer>;
}

/** What surrounds a question. */
export interface Surroundings extends Pick<RunOptions, 'form' | 'maxChars'> {
  /** Filled while it is read. */
  readonly stats: CallStats;
  /** Takes out what must not appear in the answer. */
  readonly scrub: Scrubber;
  now(): number;
}

/** Runs a tool at one cluster. Never throws. */
export function runTool(tool: Tool, raw: unknown, session: Session, options: RunOptions): Promise<ToolOutcome> {
  const call = createCall(session, options);
  const { form, maxChars } = options;
  return respond({ stats: call.stats, scrub: session.scrubber, now: call.now, form, maxChars }, () => {
    const prepared = tool.prepare(raw);
    return {
      output: tool.output,
      prepared,
      scope: { tool: tool.name, args: prepared.args, identity: session.key },
      read: async (position) => {
        const answer = await prepared.run(call, position);
        // Readers turn failures into gaps; when every read failed there is no answer to have gaps in.
        const failure = call.failure();
        if (failure !== undefined) throw failure;
        return answer;
      },
    };
  });
}

/** The one way from a question to an answer: check, read, render, scrub. Never throws: a failure is an answer of its own. */
export async function respond(around: Surroundings, ask: () => Question): Promise<ToolOutcome> {
  const { stats, form, maxChars, scrub } = around;
  try {
    const { output, prepared, scope, read } = ask();
    const { after, asked }: PagePosition =
      prepared.cursor === undefined
        ? { after: undefined, asked: Math.floor(around.now() / 1000) }
        : decodeCursor(prepared.cursor, scope);
    const answer = await read({ after, asked });
    const render = (redacted: number) =>
      renderAnswer(output, answer, {
        form,
        maxChars,
        now: around.now(),
        redacted,
        ...pageOf(prepared),
        ...(after === undefined ? {} : { after }),
        cursorFor: (last) => encodeCursor({ ...scope, after: last, asked }),
      });
    const first = render(stats.redacted);
    const late = scrub.text(first.text).redacted;
    // A secret that only the last look found is counted like the others.
    const rendered = late === 0 ? first : render(stats.redacted + late);
    return {
      text: scrub.text(rendered.text).text,
      structured: rendered.structured === undefined ? undefined : asRecord(scrub.value(rendered.structured).value),
      isError: false,
      stats,
      errorKind: undefined,
    };
  } catch (thrown) {
    const error = toApiError(thrown);
    const text = scrub.text(renderError(error, { maxChars: MAX_ERROR_CHARS })).text;
    return { text, structured: undefined, isError: true, stats, errorKind: error.kind };
  }
}

function pageOf({ limit, fields }: PreparedCall): { limit?: number; fields?: readonly string[] } {
  return { ...(limit === undefined ? {} : { limit }), ...(fields === undefined ? {} : { fields }) };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
