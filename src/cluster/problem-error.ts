import { ApiError } from '../api/errors.ts';
import type { Problem } from '../api/reading.ts';

/** The failure behind a problem, for an answer that would have nothing else to tell. */
export function errorOf(problem: Problem, about?: string): ApiError {
  return new ApiError(problem.kind, about === undefined ? problem.message : `${about}: ${problem.message}`, {
    needs: problem.needs,
  });
}
