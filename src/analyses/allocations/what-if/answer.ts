import type { ContextFrom } from './question.ts';
import type { WhatIfRow } from './rows.ts';

/** What a program would have reserved under other settings of torch's allocator, by a replay of its requests. */
export interface WhatIfFigures {
  readonly type: 'what-if';
  readonly schemaVersion: 1;
  /** The device's ordinal. */
  readonly device: number;
  readonly events: number;
  readonly recorded: RecordedFigures;
  /** What no layout can do without: the most in use at one moment. */
  readonly floorBytes: number;
  /** There before the trace began: where it would have lain under other settings nobody saw. */
  readonly beforeTraceBytes: number;
  /** The environment variable that takes settings. */
  readonly variable: string;
  readonly card: CardFigures | null;
  readonly rows: readonly WhatIfRow[];
  /** What the figures rest on, and what they leave out. */
  readonly notes: readonly string[];
}

export interface RecordedFigures {
  /** In torch's words; `default`: none were set. */
  readonly conf: string;
  /** false: the trace does not tell its settings. */
  readonly confTold: boolean;
  readonly reservedPeakBytes: number;
  readonly simulatedReservedPeakBytes: number;
  /** Whether the replay of the recorded run fetched the same segments in the same order and reached the same peak. */
  readonly exact: boolean;
  /** `dies`: a request failed, and nothing after it got more. */
  readonly outcome: 'runs' | 'dies';
  /** Segments or pages fetched from the driver; and how many of them, from the first on, the replay has too. */
  readonly deviceAllocs: number;
  readonly sameDeviceAllocs: number;
  /** What could be reserved, where a request that failed shows it. */
  readonly limitBytes: number | null;
}

export interface CardFigures {
  readonly name: string;
  readonly totalBytes: number;
  /** Of it, for context and libraries; `measured`: what the driver counted for the process less what torch had reserved. */
  readonly contextBytes: number;
  readonly contextFrom: ContextFrom;
  /** What is left for torch to reserve. */
  readonly usableBytes: number;
}
