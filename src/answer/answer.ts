import type { Gaps } from '../api/reading.ts';
import type { OutputSpec, SectionsOf } from './spec.ts';

/** What a tool has to say, before it becomes text or structure. */
export interface Answer<O extends OutputSpec = OutputSpec> {
  /** One line with the counts; the renderer adds "N of M shown" when it cuts. No full stop needed. */
  readonly headline: string;
  /** In the order of the tool's declaration; an absent one was not asked for. */
  readonly sections: SectionsOf<O>;
  /** What is missing, merged over everything that was read. */
  readonly gaps: Gaps;
  /** Facts the reader must know to understand the data, one sentence each. */
  readonly notes?: readonly string[] | undefined;
  /** Calls that lead on, e.g. `get_guest vmid=100`. */
  readonly next?: readonly string[] | undefined;
}
