import { formatMiB } from '../../base/bytes.ts';
import { count } from '../../base/text.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { SweepFacts, SweepRow } from '../sweep/facts.ts';
import { VerdictBuilder } from './builder.ts';
import type { Found } from './found.ts';
import { isTieOfOneRun, ONE_RUN_EACH } from './one-run.ts';
import { seriesWords } from './series-words.ts';

/** Which combination of a sweep needs most, and whether that is more than noise. */
export function sweepVerdict(sweep: SweepFacts): Verdict {
  const words = new VerdictBuilder(sweep);
  const { code, certainty, sentence } = answer(sweep, words);
  const { failed, waiting, running } = sweep.runs;
  if (failed > 0) {
    words.against('/runs/failed', 'count', `${count(failed, 'run')} failed`);
    words.next('why a run failed', 'report', '{input}', '--json');
  }
  const open = waiting + running;
  if (open > 0) words.against('/runs/waiting', 'count', `${count(open, 'run')} have not ended`);
  if (sweep.notes.length > 0)
    words.against('/notes/0', null, words.theirs('note', sweep.notes[0]!, 200));
  return words.build(code, certainty, sentence);
}

function answer(sweep: SweepFacts, words: VerdictBuilder): Found & { sentence: string } {
  const { combinations, runs, series, differences } = sweep;
  const ranked = combinations.filter((row) => row.well).sort((a, b) => peakOf(a) - peakOf(b));
  const [least] = ranked;
  const most = ranked.at(-1);
  if (!least || !most) {
    const failed = runs.failed > 0 ? `${count(runs.failed, 'run')} failed` : 'nothing has run yet';
    return {
      code: 'cannot-tell',
      certainty: 'unknown',
      sentence: `No combination went well: ${failed}.`,
    };
  }
  const at = (row: SweepRow) =>
    `/combinations/${combinations.indexOf(row)}/peakAboveBaselineBytes/mean`;
  const [high, low] = [words.theirs('most', most.name), words.theirs('least', least.name)];
  words.evidence(at(most), 'bytes', `the most: ${high}, ${formatMiB(peakOf(most))}`);
  words.evidence(at(least), 'bytes', `the least: ${low}, ${formatMiB(peakOf(least))}`);
  const based = combinations.some((row) => row.runs.some((run) => run.figures?.baselineBytes));
  const of = seriesWords(series, words);
  const what = based ? ` above its baseline${of}` : of;
  const highest = `${high} peaks at ${formatMiB(peakOf(most))}${what}`;
  if (least === most) return { code: 'needs-more', certainty: 'possible', sentence: `${highest}.` };
  const noise = differences.find((pair) => pair.a === least.name && pair.b === most.name);
  if (noise?.withinNoise) {
    const span = `from ${formatMiB(peakOf(least))} to ${formatMiB(peakOf(most))}${what}`;
    const sentence = `No combination stands out: peaks ${span} are within noise.`;
    return { code: 'alike', certainty: 'likely', sentence };
  }
  if (formatMiB(peakOf(least)) === formatMiB(peakOf(most))) {
    const sentence = `All combinations peak at ${formatMiB(peakOf(most))}${what}.`;
    return { code: 'alike', certainty: 'likely', sentence };
  }
  // Without repeats nobody knows the noise.
  if (noise?.withinNoise == null) {
    words.against('/combinations', 'count', ONE_RUN_EACH);
    if (isTieOfOneRun(peakOf(least), peakOf(most))) {
      const span = `from ${formatMiB(peakOf(least))} to ${formatMiB(peakOf(most))}${what}`;
      const sentence = `No combination stands out: peaks ${span} are no further apart than two runs of the same may be.`;
      return { code: 'alike', certainty: 'possible', sentence };
    }
  }
  const sentence = `Highest: ${highest}. Lowest: ${low}, ${formatMiB(peakOf(least))}.`;
  return {
    code: 'needs-more',
    certainty: noise?.withinNoise === false ? 'likely' : 'possible',
    sentence,
  };
}

const peakOf = (row: SweepRow) => row.peakAboveBaselineBytes?.mean ?? 0;
