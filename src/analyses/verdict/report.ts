import type { Verdict } from '../../model/verdict.ts';
import type { ReportFacts } from '../report-facts.ts';
import { VerdictBuilder } from './builder.ts';
import { causeOf } from './report-cause.ts';
import { addDoubts, addFigures } from './report-evidence.ts';
import { reportSentence } from './report-sentence.ts';

/** Why it died, whether it leaks, what held the memory, and what to do. */
export function reportVerdict(report: ReportFacts): Verdict {
  const words = new VerdictBuilder(report);
  const sentence = reportSentence(report, words);
  // The cause brings its own evidence first; what is known besides follows.
  const { code, certainty } = causeOf(report, words);
  addFigures(report, words);
  addDoubts(report, words);
  return words.build(code, certainty, sentence);
}
