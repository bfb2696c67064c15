import { jobNameOf } from '../model/job/job-name.ts';
import type { RunInfo } from '../model/run.ts';
import { METRICS, type MetricKey } from './list.ts';
import type { Labels, Point } from './window/gauges.ts';
import type { Window } from './window/window-taker.ts';

/** One value of a series at a time, whatever it is sent as. */
export interface Sample {
  readonly metric: MetricKey;
  /** Of the window's largest sample; else of its last. */
  readonly isPeak: boolean;
  readonly labels: Labels;
  readonly value: number;
  /** Unix time. */
  readonly timeMs: number;
}

/** What is known of a run beside its samples. */
export interface RunFacts {
  /** job, host, run, and rank where there is one. */
  readonly labels: Labels;
  /** Labels of `highwater_run_info`. */
  readonly info: Labels;
  readonly startedAtMs: number;
  readonly uuids: Readonly<Record<string, string>>;
  /** The driver's process ids are of another view of the machine: who holds a card is not known. */
  readonly foreignProcesses: boolean;
  readonly groupLimit: number | null;
  readonly requested: number | null;
}

export function factsOf(run: RunInfo): RunFacts {
  const { labels, host, cgroup } = run;
  const { launcher, worldSize, restart } = labels;
  return {
    labels: withoutEmpty({
      job: jobNameOf(run) ?? labels.jobName ?? run.asked?.job ?? run.name,
      host: host.name,
      run: run.id,
      rank: labels.rank,
    }),
    info: withoutEmpty({
      name: run.name,
      launcher,
      world_size: worldSize,
      restart,
      version: run.recorder.version,
    }),
    startedAtMs: Date.parse(run.startedAt),
    uuids: Object.fromEntries(run.gpus.map(({ index, uuid }) => [String(index), uuid])),
    foreignProcesses: run.gpu?.processIds === 'foreign',
    groupLimit: cgroup?.limitBytes ?? null,
    requested: run.asked?.memoryBytes ?? null,
  };
}

/** What is measured once, and said with every window. */
export interface Counts {
  readonly samples?: number;
  readonly samplesMissed?: number;
  readonly pushDropped?: number;
}

/** All samples of a window, at its end. */
export function samplesOf(window: Window, facts: RunFacts, counts: Counts = {}): Sample[] {
  const timeMs = Math.round(facts.startedAtMs + window.endNs / 1e6);
  const { labels, requested } = facts;
  const groupLimit = window.points.some(isOfGroup) ? facts.groupLimit : null;
  const known = Object.entries({ groupLimit, requested, ...counts }).flatMap(([key, value]) =>
    value == null
      ? []
      : [{ metric: key as MetricKey, isPeak: false, labels, value, timeMs } satisfies Sample],
  );
  return [
    ...runSamples(facts, timeMs),
    ...known,
    ...window.points.flatMap((point) => samplesOfPoint(point, facts, timeMs)),
  ];
}

const isOfGroup = ({ metric }: Point) => metric === 'groupCurrent';

/** That there is such a run: what can be said before its first window ends. */
export function runSamples(facts: RunFacts, timeMs: number): Sample[] {
  const { labels, info, startedAtMs } = facts;
  return [
    { metric: 'info', isPeak: false, labels: { ...labels, ...info }, value: 1, timeMs },
    { metric: 'started', isPeak: false, labels, value: startedAtMs / 1000, timeMs },
  ];
}

function samplesOfPoint(point: Point, facts: RunFacts, timeMs: number): Sample[] {
  const { metric, last, peak } = point;
  if (metric === 'gpuTree' && facts.foreignProcesses) return [];
  const uuid = point.labels.card === undefined ? undefined : facts.uuids[point.labels.card];
  const labels = { ...facts.labels, ...point.labels, ...(uuid && { uuid }) };
  const sample = { metric, labels, timeMs };
  return [
    { ...sample, isPeak: false, value: last },
    ...(peak === null ? [] : [{ ...sample, isPeak: true, value: peak }]),
  ];
}

const withoutEmpty = (labels: Readonly<Record<string, string | undefined>>): Labels =>
  Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );

/** Samples of one series together, in the order of time. */
export interface SampledSeries {
  /** Says which series it is: the same in every window. */
  readonly key: string;
  readonly metric: MetricKey;
  readonly isPeak: boolean;
  readonly labels: Labels;
  readonly samples: readonly Sample[];
}

export function bySeries(samples: readonly Sample[]): SampledSeries[] {
  const found = new Map<string, Sample[]>();
  for (const sample of samples) {
    const key = `${sample.metric} ${sample.isPeak} ${JSON.stringify(sample.labels)}`;
    const of = found.get(key);
    if (of) of.push(sample);
    else found.set(key, [sample]);
  }
  return Array.from(found, ([key, of]) => {
    const { metric, isPeak, labels } = of[0]!;
    return { key, metric, isPeak, labels, samples: of.sort((a, b) => a.timeMs - b.timeMs) };
  });
}

export const metricOf = ({ metric }: Pick<Sample, 'metric'>) => METRICS[metric];
