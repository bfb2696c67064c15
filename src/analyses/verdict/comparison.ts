import { formatBytes, formatDelta, formatMiB } from '../../base/bytes.ts';
import { count } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import { MOMENT_WORDS } from '../../model/allocations/live-stacks.ts';
import { categoryPlural } from '../../model/allocations/words.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { AllocationComparison } from '../allocations/diff/index.ts';
import type { ComparisonFacts } from '../compare/comparison.ts';
import type { LiveStacksDifference } from '../compare/live-stacks.ts';
import { VerdictBuilder } from './builder.ts';
import type { Found } from './found.ts';
import { isTieOfOneRun, ONE_RUN_EACH } from './one-run.ts';
import { addOutlier } from './outlier.ts';
import { seriesWords } from './series-words.ts';

/** Which of the runs needs more, by how much, and what makes the difference. */
export function comparisonVerdict(comparison: ComparisonFacts): Verdict {
  const words = new VerdictBuilder(comparison);
  const { code, certainty, sentence } = found(comparison, words);
  addTraces(comparison.allocations, words);
  addRest(comparison, words);
  return words.build(code, certainty, sentence);
}

function found(comparison: ComparisonFacts, words: VerdictBuilder): Said {
  const { runs, allocations, liveStacks } = comparison;
  if (runs.length > 0) return ofSamples(comparison, words);
  if (allocations) return ofTraces(allocations, words);
  return liveStacks[0] ? ofProfiles(liveStacks[0], words) : ofSamples(comparison, words);
}

type Said = Found & { readonly sentence: string };

const NOT_COMPARABLE = { code: 'not-comparable', certainty: 'certain' } as const;

function ofSamples({ runs, series, comparable }: ComparisonFacts, words: VerdictBuilder): Said {
  const [most, ...others] = [...runs].sort(
    (a, b) => b.peakAboveBaselineBytes - a.peakAboveBaselineBytes,
  );
  if (!most) return { ...NOT_COMPARABLE, sentence: 'No run can be compared.' };
  if (!comparable) {
    return { ...NOT_COMPARABLE, sentence: `${count(runs.length, 'run')} of different measures.` };
  }
  const what = seriesWords(series, words);
  const based = most.baselineBytes > 0;
  const above = `${formatMiB(most.peakAboveBaselineBytes)}${based ? ' above its baseline' : ''}`;
  const at = (run: typeof most) => `/runs/${runs.indexOf(run)}/peakAboveBaselineBytes`;
  const name = words.theirs('most', most.name, 60);
  const least = others.at(-1);
  if (!least) {
    const rise = based ? `, ${above}` : '';
    const sentence = `${name} peaks at ${formatMiB(most.peakBytes)}${what}${rise}.`;
    words.against('/runs', null, 'there is nothing to hold it against');
    return { ...NOT_COMPARABLE, sentence };
  }
  words.evidence(at(most), 'bytes', `the most: ${name}, ${formatMiB(most.peakAboveBaselineBytes)}`);
  const lowName = words.theirs('least', least.name, 60);
  words.evidence(
    at(least),
    'bytes',
    `the least: ${lowName}, ${formatMiB(least.peakAboveBaselineBytes)}`,
  );
  const whole = runs.every(({ stopped }) => stopped === null);
  const certainty = whole ? 'likely' : 'possible';
  if (most.peakAboveBaselineBytes === least.peakAboveBaselineBytes) {
    const sentence = `All ${count(runs.length, 'run')} peak alike: ${above}${what}.`;
    return { code: 'alike', certainty, sentence };
  }
  const [high, low] = [most.peakAboveBaselineBytes, least.peakAboveBaselineBytes];
  words.against('/runs', 'count', ONE_RUN_EACH);
  if (isTieOfOneRun(high, low)) {
    const span = `from ${formatMiB(low)} to ${formatMiB(high)}${based ? ' above the baseline' : ''}${what}`;
    const sentence = `No run stands out: peaks ${span} are no further apart than two runs of the same may be.`;
    return { code: 'alike', certainty: 'possible', sentence };
  }
  const times =
    most.timesLowest === null ? '; lowest is' : `, ${formatTimes(most.timesLowest)} that of`;
  const lowest = `${lowName}, the lowest (${formatMiB(least.peakAboveBaselineBytes)})`;
  const sentence = `${name} peaks highest: ${above}${what}${times} ${lowest}.`;
  return { code: 'needs-more', certainty, sentence };
}

const formatTimes = (ratio: number) => `${ratio.toFixed(ratio < 10 ? 2 : 1)} ×`;

/** Of the first pair; the text has a sentence for each. */
function ofTraces({ devices, differences }: AllocationComparison, words: VerdictBuilder): Said {
  const [pair] = differences;
  if (!pair) {
    const [only] = devices;
    if (!only) return { ...NOT_COMPARABLE, sentence: 'No run can be compared.' };
    const { run, device, peakRequestedBytes, peakReservedBytes } = only;
    const name = words.theirs('most', run, 60);
    const sentence =
      `${name} peaks at ${formatBytes(peakRequestedBytes)} requested on ${deviceName(device)}, ` +
      `${formatBytes(peakReservedBytes)} reserved; give another trace to hold it against.`;
    return { ...NOT_COMPARABLE, sentence };
  }
  const { peakRequestedBytes: peak, peakReservedBytes: reserved, device, otherDevice } = pair;
  const where =
    otherDevice === null
      ? deviceName(device)
      : `${deviceName(device)} and ${deviceName(otherDevice)}`;
  const [a, b] = [words.theirs('a', pair.a, 60), words.theirs('b', pair.b, 60)];
  if (peak.difference === 0) {
    const sentence = `${b} and ${a} peak alike on ${where}: ${formatBytes(peak.a)} requested.`;
    return { code: 'alike', certainty: 'certain', sentence };
  }
  const more = peak.difference > 0 ? 'more' : 'less';
  const held = `${formatBytes(peak.b)} against ${formatBytes(peak.a)}`;
  const kept = reserved.difference === 0 ? 'same' : formatDelta(reserved.difference);
  const sentence =
    `${b} takes ${formatBytes(Math.abs(peak.difference))} ${more} than ${a} at the peak on ${where}: ` +
    `${held} requested (reserved: ${kept}).`;
  return { code: 'needs-more', certainty: 'certain', sentence };
}

/** Of the first pair, as with traces. */
function ofProfiles(pair: LiveStacksDifference, words: VerdictBuilder): Said {
  const { a, b, bytes, places, moments } = pair;
  const [one, other] = [words.theirs('a', a, 60), words.theirs('b', b, 60)];
  const at = '/liveStacks/0';
  const [first, second] = [MOMENT_WORDS[moments.a], MOMENT_WORDS[moments.b]];
  const alike = moments.a === moments.b;
  if (!alike) {
    words.against(
      `${at}/moments`,
      null,
      `of one is told what was ${first}, of the other what was ${second}`,
    );
  } else if (moments.a === 'taken') {
    words.against(`${at}/moments`, null, 'they show the moments when they were taken, not peaks');
  }
  const certainty = alike ? 'certain' : 'possible';
  if (bytes.difference === 0) {
    const sentence = `${other} and ${one} have alike in use: ${formatBytes(bytes.a)}.`;
    return { code: 'alike', certainty, sentence };
  }
  words.evidence(`${at}/bytes/difference`, 'bytes', `${formatDelta(bytes.difference)} ${second}`);
  for (const [i, place] of places.slice(0, 2).entries()) {
    const where = words.theirs('place', place.where, 120);
    words.evidence(
      `${at}/places/${i}/bytes/difference`,
      'bytes',
      `${formatDelta(place.bytes.difference)} at ${where}`,
    );
  }
  const more = bytes.difference > 0 ? 'more' : 'less';
  const sentence =
    `${other} has ${formatBytes(Math.abs(bytes.difference))} ${more} in use than ${one}: ` +
    `${formatBytes(bytes.b)} against ${formatBytes(bytes.a)}.`;
  return { code: 'needs-more', certainty, sentence };
}

function addTraces(allocations: AllocationComparison | null, words: VerdictBuilder): void {
  const [pair] = allocations?.differences ?? [];
  if (!pair) return;
  const at = '/allocations/differences/0';
  words.evidence(
    `${at}/peakRequestedBytes/difference`,
    'bytes',
    `${formatDelta(pair.peakRequestedBytes.difference)} requested at the peak`,
  );
  const largest = pair.categories.findIndex(({ bytes }) => bytes.difference !== 0);
  if (largest >= 0) {
    const { category, bytes } = pair.categories[largest]!;
    words.evidence(
      `${at}/categories/${largest}/bytes/difference`,
      'bytes',
      `${categoryPlural(category)}: ${formatDelta(bytes.difference)}`,
    );
  }
  for (const [i, site] of pair.sites.shown.slice(0, 2).entries()) {
    if (site.bytes.difference === 0) continue;
    const where = words.theirs('place', site.where, 120);
    words.evidence(
      `${at}/sites/shown/${i}/bytes/difference`,
      'bytes',
      `${formatDelta(site.bytes.difference)} at ${where}`,
    );
  }
}

function addRest(comparison: ComparisonFacts, words: VerdictBuilder): void {
  const { runs, layers, ranks, notes } = comparison;
  const [layer] = layers[0]?.layers ?? [];
  if (layer && layer.differenceBytes !== 0) {
    const name = words.theirs('layer', layer.layer || 'in no layer', 80);
    words.evidence(
      '/layers/0/layers/0/differenceBytes',
      'bytes',
      `the layer that changed most: ${name}`,
    );
  }
  addOutlier(ranks?.outlier ?? null, words);
  const stopped = runs.findIndex((run) => run.stopped !== null);
  if (stopped >= 0) {
    const { name, stopped: stop } = runs[stopped]!;
    const who = words.theirs('stopped', name, 60);
    const until = formatDuration(stop!.seconds);
    words.against(
      `/runs/${stopped}/stopped/seconds`,
      'seconds',
      `${who} was recorded until ${until} only: its peak is the least that it was`,
    );
  }
  if (notes.length > 0) words.against('/notes/0', null, words.theirs('note', notes[0]!, 200));
  words.next('each run on its own', 'report', '{input}', '--json', '--brief');
}
