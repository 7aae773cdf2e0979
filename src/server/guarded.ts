import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

const MAX_CHARS = 1_000;

/**
 * Runs a handler. What it throws and was not made for the client becomes an error in the words of the tools: what a fault of
 * this program says itself may hold anything, and goes to the log only.
 */
export async function guarded<T>(handle: () => Promise<T>): Promise<T> {
  try {
    return await handle();
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    const [{ toApiError }, { renderError }] = await Promise.all([
      import('../api/errors.ts'),
      import('../answer/render-error.ts'),
    ]);
    const error = toApiError(thrown);
    const code = error.kind === 'bad-argument' ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, renderError(error, { maxChars: MAX_CHARS }));
  }
}
