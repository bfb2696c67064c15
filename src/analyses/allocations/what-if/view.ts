import type { TypedArray } from '../../../model/columns.ts';
import type { Verdict } from '../../../model/verdict.ts';
import type { WhatIfFigures } from './answer.ts';
import { askedOf } from './index.ts';
import type { WhatIfQuestion } from './question.ts';
import type { ReadyTrace } from './ready.ts';
import { recordedCurve } from './recorded-curve.ts';

/** An answer with the verdict on it, as the command line prints it. */
export type WhatIfAnswer = WhatIfFigures & { readonly verdict: Verdict };

/** What a page is told: the answer, and beside it the curves of each row and of the recorded run. */
export interface WhatIfView {
  readonly type: 'what-if-view';
  readonly answer: WhatIfAnswer;
  /** Where the trace's first event stands in the file. */
  readonly firstEvent: number;
  /** Events in each stretch of the curves but the last. */
  readonly stretch: number;
}

/**
 * The curves as columns, a value for each stretch of events: `recorded.reserved`, `recorded.inUse` and `recorded.failed`, and of
 * the row at a place in the answer `0.reserved` and `0.retries`.
 */
export function whatIfView(
  ready: ReadyTrace,
  question: WhatIfQuestion,
  answer: WhatIfAnswer,
): { header: WhatIfView; arrays: Record<string, TypedArray> } {
  const { trace } = ready.program;
  const recorded = recordedCurve(trace);
  const arrays: Record<string, TypedArray> = {
    'recorded.reserved': recorded.reserved,
    'recorded.inUse': recorded.inUse,
    'recorded.failed': recorded.failed,
  };
  const asked = askedOf(ready, question);
  for (const [place, row] of answer.rows.entries()) {
    const curve = ready.rows.curve(asked.find(({ text }) => text === row.conf)!);
    if (!curve) continue;
    arrays[`${place}.reserved`] = curve.reserved;
    arrays[`${place}.retries`] = curve.retries;
  }
  const { firstEvent } = trace;
  const header = { type: 'what-if-view', answer, firstEvent, stretch: recorded.stretch } as const;
  return { header, arrays };
}
