import { SECOND_NS } from '../base/time.ts';
import { origin } from '../model/origin.ts';
import type { Recording } from '../model/recording.ts';
import type { Verdict } from '../model/verdict.ts';
import { withTimeAfter } from './allocations/after-trace.ts';
import { devices } from './allocations/index.ts';
import { liveStacks } from './allocations/live-stacks.ts';
import { inStepsOfRun } from './allocations/run-step.ts';
import { allocationTrust, allocationWarnings } from './allocations/trust.ts';
import { caches } from './caches.ts';
import { cells } from './cells.ts';
import { ending } from './ending.ts';
import { gpus } from './gpu/index.ts';
import { liveByCategory } from './gpu/live-by-category.ts';
import { isHearsay } from './hearsay.ts';
import { inside } from './inside.ts';
import { layers } from './layers/index.ts';
import { leak } from './leak/index.ts';
import { judgeFigures } from './out-of-memory.ts';
import { peaks } from './peaks.ts';
import { pinnedMemory } from './pinned.ts';
import { plan } from './plan/index.ts';
import { sleepsOf } from './plan/sleeps.ts';
import { hostPeak } from './processes/host-peak/index.ts';
import { processes } from './processes/index.ts';
import { ranks } from './ranks/index.ts';
import type { ReportFacts, SaidOutOfMemory } from './report-facts.ts';
import { requests } from './requests/index.ts';
import { timing } from './timing.ts';
import { traceHeadline, traceLeak } from './trace-only.ts';
import { trust } from './trust.ts';
import { withCauses } from './verdict/failure/index.ts';
import { reportVerdict } from './verdict/report.ts';

/** The version of the report as programs read it: new keys leave it, changed ones raise it. */
const REPORT_VERSION = 1;

/** What happened in one run, and the verdict on it. Its JSON is a contract: keys are added, never renamed. */
export interface Report extends ReportFacts {
  /** Why it died, whether it leaks, what to do: docs/json-outputs.md. */
  readonly verdict: Verdict;
}

/** The allocation trace that one rank left. */
export interface RankRecording {
  readonly rank: number;
  readonly recording: Recording;
}

/** What a report is asked about: a recording with what the allocators of its workload left beside it. */
export interface RecordingWithTraces {
  readonly recording: Recording;
  /** Allocation traces that the workload left beside its recording. */
  readonly snapshots: readonly Recording[];
  /** One of each rank, where they left some. */
  readonly rankTraces: readonly RankRecording[];
}

/**
 * Every analysis of a report by its name, with what it needs of the inputs. A new one gets a line
 * here, a key in `ReportFacts` and its place among the others in `report`; what is said of it is a
 * section of `views/report/sections.ts`. They are asked in this order, and damage is told in the
 * order in which tables are read.
 */
const ANALYSES = {
  ending: ({ recording }: RecordingWithTraces) => ending(recording),
  outOfMemory: ({ recording }: RecordingWithTraces) => saidOutOfMemory(recording),
  timing: ({ recording }: RecordingWithTraces) => timing(recording),
  processes: ({ recording }: RecordingWithTraces) => processes(recording),
  leak: ({ recording }: RecordingWithTraces) => leak(recording),
  ranks: ({ recording, rankTraces }: RecordingWithTraces) =>
    ranks(
      recording,
      rankTraces.map((one) => ({ rank: one.rank, devices: devices(one.recording, recording.run) })),
    ),
  inside: ({ recording }: RecordingWithTraces) => inside(recording),
  cells: ({ recording }: RecordingWithTraces) => cells(recording),
  peaks: ({ recording }: RecordingWithTraces) => peaks(recording),
  trust: ({ recording }: RecordingWithTraces) => trust(recording),
  gpus: ({ recording }: RecordingWithTraces) => gpus(recording),
  plan: ({ recording }: RecordingWithTraces) => plan(recording),
  layers: ({ recording }: RecordingWithTraces) => layers(recording),
  devices: ({ recording, snapshots }: RecordingWithTraces) => [
    ...devices(recording),
    ...inStepsOfRun(
      recording,
      withTimeAfter(
        recording,
        snapshots.flatMap((one) => devices(one, recording.run)),
      ),
    ),
  ],
  liveStacks: ({ recording }: RecordingWithTraces) => liveStacks(recording),
  allocationTrust: ({ recording, snapshots }: RecordingWithTraces) =>
    [recording, ...snapshots].flatMap(allocationTrust),
  allocationWarnings: ({ recording, snapshots }: RecordingWithTraces) =>
    [recording, ...snapshots].flatMap(allocationWarnings),
};

type Answers = { readonly [Id in keyof typeof ANALYSES]: ReturnType<(typeof ANALYSES)[Id]> };

/** Asks every analysis and puts the answers side by side. */
export function report(
  recording: Recording,
  snapshots: readonly Recording[] = [],
  rankTraces: readonly RankRecording[] = [],
): Report {
  const { run } = recording;
  const answers = askAll({ recording, snapshots, rankTraces });
  const { originNs: _, ...time } = untagged(answers.timing);
  const { warnings, ...doubts } = untagged(answers.trust);
  const { code, signal, oomKilled } = answers.ending;
  const served = requests(recording, answers.leak);
  const { sleepers, phases } = sleepsOf(recording);
  const facts: ReportFacts = {
    type: 'report',
    schemaVersion: REPORT_VERSION,
    recording: {
      id: run.id,
      name: run.name,
      argv: run.argv,
      subject: run.subject,
      durationSeconds: time.durationSeconds,
      exit: { code, signal, oomKilled },
      host: run.host,
      cgroup: run.cgroup,
      startedAt: run.startedAt,
      endedAt: run.endedAt,
      labels: run.labels,
      recorder: run.recorder.version,
      ...(run.frameworks && { frameworks: run.frameworks }),
    },
    headline: answers.peaks.headline ?? traceHeadline(answers.devices),
    peaks: answers.peaks.peaks,
    gpus: liveByCategory(answers.gpus.gpus, answers.devices),
    ending: untagged(answers.ending),
    outOfMemory: answers.outOfMemory,
    leak: untagged(traceLeak(answers)),
    timing: time,
    processes: untagged(answers.processes),
    hostPeak: untagged(hostPeak(recording, answers.processes)),
    ranks: untagged(answers.ranks),
    inside: untagged(answers.inside),
    cells: answers.cells.cells,
    plan: untagged(answers.plan),
    sleeps: sleepers,
    phases,
    requests: served && untagged(served),
    pinned: pinnedMemory(recording),
    caches: caches(recording, served?.unit ?? null),
    layers: answers.layers.models,
    devices: answers.devices,
    liveStacks: answers.liveStacks && untagged(answers.liveStacks),
    sampling: { ...run.sampling, samples: answers.peaks.samples },
    sources: run.sources,
    trust: { ...doubts, allocations: answers.allocationTrust },
    warnings: [...warnings, ...answers.allocationWarnings],
  };
  const judged: ReportFacts = { ...facts, devices: withCauses(facts) };
  return { ...judged, verdict: reportVerdict(judged) };
}

function saidOutOfMemory(recording: Recording): SaidOutOfMemory[] {
  const zero = origin(recording).ns;
  const { outOfMemory: said = [], frameworks } = recording.run;
  const believed = said.filter((one) => !isHearsay(one, recording.run));
  return believed.map(({ ns, ...figures }) => ({
    seconds: (ns - zero) / SECOND_NS,
    // Where no traceback tells who asked, the training's own loop does.
    ...(frameworks && figures.place === 'gpu' && { frameworks }),
    ...figures,
    ...judgeFigures(figures),
  }));
}

function askAll(inputs: RecordingWithTraces): Answers {
  const asked = Object.entries(ANALYSES).map(([id, run]) => [id, run(inputs)]);
  return Object.fromEntries(asked) as Answers;
}

/** The key it stands under says what it is. */
function untagged<Answer extends { readonly type: string }>(answer: Answer): Omit<Answer, 'type'> {
  const { type: _, ...rest } = answer;
  return rest;
}
