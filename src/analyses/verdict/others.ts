import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { count, percent } from '../../base/text.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { GateableSeries } from '../check/gateable-series.ts';
import type { Repeats } from '../leak/repeats.ts';
import { VerdictBuilder } from './builder.ts';

/** Which name to hold against a limit. */
export function seriesVerdict(result: GateableSeries): Verdict {
  const words = new VerdictBuilder(result);
  const [best] = result.series;
  for (const [i, { name, peakBytes }] of result.series.slice(0, 6).entries()) {
    words.evidence(
      `/series/${i}/peakBytes`,
      'bytes',
      `peak of ${words.theirs('series', name, 40)}: ${formatBytes(peakBytes)}`,
    );
  }
  if (!best) return words.build('nothing-measured', 'certain', 'This recording has no series.');
  const name = words.theirs('series', best.name, 40);
  const sentence = `${count(result.series.length, 'series', 'series')}; the one that repeats best from run to run is ${name}.`;
  return words.build('answers', 'certain', sentence);
}

/** What the same workload leaves behind, run after run. */
export function repeatsVerdict(repeats: Repeats): Verdict {
  const words = new VerdictBuilder(repeats);
  const { runs, told, leakedBytes, lowBytes, highBytes, judgement } = repeats;
  words.evidence('/told', 'count', `runs whose levels before and after were steady, of ${runs}`);
  if (leakedBytes === null || lowBytes === null || highBytes === null) {
    const sentence = `Leak or not: cannot be told, as the levels before and after were steady in only ${told} of ${count(runs, 'run')}.`;
    return words.build('cannot-tell', 'unknown', sentence);
  }
  words.evidence('/leakedBytes', 'bytes', 'left behind by each run on average');
  words.evidence('/lowBytes', 'bytes', 'at least, in 95 of 100 cases');
  words.evidence('/highBytes', 'bytes', 'at most, in 95 of 100 cases');
  words.against(
    '/leakedBytes',
    'bytes',
    "this is the whole machine's memory: others may have had a part in it",
  );
  const interval = `95 %: ${formatDelta(lowBytes)} to ${formatDelta(highBytes)}`;
  const each = `${formatDelta(leakedBytes)} left behind by each run on average (${interval}, ${told} of ${count(runs, 'run')})`;
  switch (judgement) {
    case 'leak':
      return words.build('leak', 'likely', `Leak: ${each}.`);
    case 'bounded':
      return words.build(
        'no-problem-seen',
        'likely',
        `No leak: ${each}, less than ${formatBytes(1024 ** 2)}.`,
      );
    case 'inconclusive':
      return words.build(
        'cannot-tell',
        'unknown',
        `Leak or not: cannot be told from ${count(runs, 'run')}: ${each}.`,
      );
  }
}

interface Sized {
  readonly command: string;
  readonly pid: number;
  readonly topsize: number;
  readonly sizes: { readonly explained: number } | null;
  readonly reason: string | null;
}

/** What explains the size of processes. */
export function sizesVerdict(result: { readonly processes: readonly Sized[] }): Verdict {
  const words = new VerdictBuilder(result);
  const { processes } = result;
  const ranked = [...processes].sort((a, b) => b.topsize - a.topsize);
  for (const one of ranked.slice(0, 4)) {
    const at = `/processes/${processes.indexOf(one)}`;
    const who = `process ${one.pid}`;
    words.evidence(`${at}/topsize`, 'bytes', `size of ${who}: ${formatBytes(one.topsize)}`);
    if (one.sizes)
      words.evidence(
        `${at}/sizes/explained`,
        'bytes',
        `explained of ${who}: ${formatBytes(one.sizes.explained)}`,
      );
    else if (one.reason)
      words.against(
        `${at}/reason`,
        null,
        `${who} was not asked: ${words.theirs('why', one.reason, 160)}`,
      );
  }
  const [most] = ranked;
  if (!most) return words.build('nothing-measured', 'certain', 'No process told its size.');
  const who = `${words.theirs('command', most.command, 60)} (process ${most.pid})`;
  const explained = most.sizes
    ? `, ${percent(most.sizes.explained / Math.max(1, most.topsize))} of it explained`
    : '; what explains it is not known';
  return words.build(
    'held-by',
    most.sizes ? 'certain' : 'unknown',
    `${who} holds ${formatBytes(most.topsize)}${explained}.`,
  );
}

interface TaggedLog {
  readonly name: string;
  readonly totals: { readonly bytes: number; readonly unknownBytes: number };
  readonly categories: readonly { readonly label: string; readonly bytes: number }[];
}

/** What tagged allocations add up to. */
export function tagsVerdict(result: { readonly logs: readonly TaggedLog[] }): Verdict {
  const words = new VerdictBuilder(result);
  for (const [i, { categories, totals }] of result.logs.slice(0, 4).entries()) {
    const [most] = categories;
    const label = most ? words.theirs('label', most.label, 60) : '';
    if (most)
      words.evidence(
        `/logs/${i}/categories/0/bytes`,
        'bytes',
        `most in log ${i + 1}: ${label}, ${formatBytes(most.bytes)}`,
      );
    if (totals.unknownBytes > 0) {
      words.against(
        `/logs/${i}/totals/unknownBytes`,
        'bytes',
        `of no known tag in log ${i + 1}: ${formatBytes(totals.unknownBytes)}`,
      );
    }
  }
  const [first] = result.logs;
  if (!first) return words.build('nothing-measured', 'certain', 'No log has tagged allocations.');
  const [most] = first.categories;
  const name = words.theirs('name', first.name, 60);
  const what = most
    ? `: most of it ${words.theirs('label', most.label, 60)}, ${formatBytes(most.bytes)}`
    : '';
  return words.build(
    'held-by',
    'certain',
    `${name} allocated ${formatBytes(first.totals.bytes)}${what}.`,
  );
}

interface Source {
  readonly id: string;
  readonly title: string;
  readonly ok: boolean;
  readonly reason?: string;
  readonly remedy?: string;
}

/** What can be measured on this machine. */
export function doctorVerdict(result: { readonly sources: readonly Source[] }): Verdict {
  const words = new VerdictBuilder(result);
  const absent = [...result.sources.entries()].filter(([, { ok }]) => !ok);
  for (const [i, { id, title, reason = '', remedy }] of absent) {
    words.evidence(
      `/sources/${i}/ok`,
      null,
      `not there: ${id} (${title}): ${words.theirs('why', reason, 120)}`,
    );
    // A remedy is ours, but for names of files on this machine.
    if (remedy) words.fix(id, words.theirs('remedy', remedy, 120), null);
  }
  const there = `${result.sources.length - absent.length} of ${result.sources.length} ways to measure are there.`;
  return absent.length === 0
    ? words.build('can-measure', 'certain', there)
    : words.build('measures-less', 'certain', there);
}
