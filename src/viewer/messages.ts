import type { Question, Told } from '../model/questions.ts';

export type ToViewerWorker =
  | Question
  /** In the place of those that were open. */
  | { readonly type: 'open'; readonly files: readonly File[] };

export type FromViewerWorker = Told;
