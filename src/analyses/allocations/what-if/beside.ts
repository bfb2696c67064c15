import type { Recording } from '../../../model/recording.ts';
import { confText } from '../replay/conf.ts';
import { type Program, programOf } from '../replay/program.ts';
import { confOf } from '../replay/recorded-run.ts';
import type { WhatIfFigures } from './answer.ts';
import { askedOf, whatIf } from './index.ts';
import type { WhatIfQuestion } from './question.ts';
import { readyProgram, traceOf } from './ready.ts';
import { type Elsewhere, rowOptions } from './rows.ts';

/** The answer, with the first other setting replayed elsewhere while the recorded run and the rest are replayed here. */
export async function whatIfBeside(
  recording: Recording,
  question: WhatIfQuestion,
  elsewhereFor: (program: Program) => Pick<Elsewhere, 'replay'>,
): Promise<WhatIfFigures> {
  const program = programOf(recording, traceOf(recording, question.device));
  const run = confOf(recording, program.trace);
  const own = confText(run.conf);
  const asked = askedOf({ run, program }, question);
  const other = asked.find(({ conf }) => confText(conf) !== own);
  if (!other) return whatIf(recording, question, readyProgram(recording, program));
  const options = rowOptions(other, run);
  const begun = elsewhereFor(program).replay(options);
  // Why it failed is heard where it is waited for.
  begun.catch(() => {});
  const ready = readyProgram(recording, program);
  for (const one of asked) if (one !== other) ready.rows.row(one, question.smallest);
  ready.rows.takeReplayed(options, await begun);
  return whatIf(recording, question, ready);
}
