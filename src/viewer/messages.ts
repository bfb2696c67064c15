import type { Question, Told } from '../model/questions.ts';

export type ToViewerWorker =
  | Question
  /** In the place of those that were open. */
  | { readonly type: 'open'; readonly files: readonly File[] };

/** Another worker is wanted for replays, which speaks through this port; or is done with. */
export type ReplayWorkerWish =
  | { readonly type: 'start replays'; readonly id: number; readonly port: MessagePort }
  | { readonly type: 'end replays'; readonly id: number };

export type FromViewerWorker = Told | ReplayWorkerWish;
