import type { Recording } from '../../../model/recording.ts';
import type { Card } from './cards.ts';

/** What is asked of a trace. */
export interface WhatIfQuestion {
  /** Settings in torch's words, in order; null: those recorded and the usual ones. */
  readonly sets: readonly string[] | null;
  /** Tried besides, where `sets` is null. Where they are given, the usual ones are tried under a limit too. */
  readonly besides?: readonly string[];
  /** Bytes that the process may reserve; with several, a row for each. */
  readonly limits: readonly number[];
  readonly card: Card | null;
  /** Of the card, what is not torch's allocator's: context and libraries. null: as measured, or else assumed. */
  readonly contextBytes: number | null;
  /** The recording that the trace lies beside, which may have measured that. */
  readonly beside: Recording | null;
  /** Whether the smallest card is looked for too. */
  readonly smallest: boolean;
  /** The device's ordinal; null: the one that reserved most. */
  readonly device: number | null;
}

export type ContextFrom = 'given' | 'measured' | 'assumed';

/** Tried where none are named. */
export const USUAL_SETS = [
  'expandable_segments:True',
  'roundup_power2_divisions:4',
  'max_split_size_mb:64',
  'max_split_size_mb:256',
  'max_split_size_mb:512',
] as const;
