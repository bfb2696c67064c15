import { formatBytes } from '../../base/bytes.ts';
import { percent } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import { categoryPlural } from '../../model/allocations/words.ts';
import type { ReportFacts } from '../report-facts.ts';
import { firstDevice } from '../trace-only.ts';
import type { VerdictBuilder } from './builder.ts';
import { addDeviceLimit } from './device-limit.ts';
import { addOutlier } from './outlier.ts';
import { isProfile, isTrace, signalName } from './report-sentence.ts';

const MEASURES = {
  kernel: "peak of the workload's control group",
  proportional: 'peak of the process tree, shared pages divided among their users',
  'upper-bound': 'peak of the process tree, at most',
  machine: 'peak of the whole machine',
  card: 'peak of a GPU, whoever holds it',
  allocator: "peak of what was asked of the device's allocator",
} as const;

/** What is known of any run: its peak and who held it, whether it leaks, how it ended, which rank stands out. */
export function addFigures(report: ReportFacts, words: VerdictBuilder): void {
  const { headline, ranks, leak, recording } = report;
  if (headline) {
    words.evidence(
      '/headline/bytes',
      'bytes',
      `${MEASURES[headline.measure]}: ${formatBytes(headline.bytes)}`,
    );
  }
  addCard(report, words);
  if (isProfile(report)) addProfile(report, words);
  else if (isTrace(report)) addTrace(report, words);
  else addHolder(report, words);
  addEnding(report, words);
  addOutlier(ranks.outlier, words);
  if (leak.verdict === 'bounded' || leak.verdict === 'plateau') {
    words.evidence('/leak/verdict', null, 'shown not to leak');
  }
  const limit = recording.cgroup?.limitBytes ?? null;
  if (limit !== null) {
    words.evidence(
      '/recording/cgroup/limitBytes',
      'bytes',
      `the limit of its control group: ${formatBytes(limit)}`,
    );
  }
  addDeviceLimit(report, words);
}

function addProfile({ liveStacks }: ReportFacts, words: VerdictBuilder): void {
  const { bytes, places } = liveStacks!;
  words.evidence('/liveStacks/bytes', 'bytes', `in use by the profile: ${formatBytes(bytes)}`);
  if (!places[0]) return;
  const where = words.theirs('maker', places[0].where, 120);
  words.evidence('/liveStacks/places/0/bytes', 'bytes', `most was made by ${where}`);
}

function addCard({ gpus }: ReportFacts, words: VerdictBuilder): void {
  const shown = gpus.filter((gpu) => gpu.shown && gpu.headline);
  const [first] = shown.sort((a, b) => b.headline!.bytes - a.headline!.bytes);
  if (!first) return;
  const { bytes, of } = first.headline!;
  const whose = of === 'card' ? 'whoever holds it' : 'by this workload alone';
  const size = first.memoryBytes === null ? '' : ` of ${formatBytes(first.memoryBytes)}`;
  words.evidence(
    `/gpus/${gpus.indexOf(first)}/${of === 'card' ? 'peak' : 'headline'}/bytes`,
    'bytes',
    `peak of GPU ${first.gpu}, ${whose}: ${formatBytes(bytes)}${size}`,
  );
}

function addTrace({ devices }: ReportFacts, words: VerdictBuilder): void {
  const device = firstDevice(devices)!;
  const at = `/devices/${devices.indexOf(device)}`;
  const [most] = device.categories;
  const [stack] = device.topStacks;
  if (most && !device.oom) {
    const sure = most.category === 'unknown' ? '' : ` (${percent(most.confidence)} sure)`;
    words.evidence(
      `${at}/categories/0/bytes`,
      'bytes',
      `most at the peak of ${deviceName(device.device)}: ${categoryPlural(most.category)}, ${formatBytes(most.bytes)}${sure}`,
    );
  }
  if (stack && stack.frames.length > 0) {
    const where = words.theirs('maker', stack.where, 120);
    words.evidence(`${at}/topStacks/0/bytes`, 'bytes', `most was made by ${where}`);
  }
}

function addHolder({ processes: { roles } }: ReportFacts, words: VerdictBuilder): void {
  const [most] = roles;
  if (!most) return;
  const key =
    most.pssAtPeak !== null ? 'pssAtPeak' : most.rssAtPeak !== null ? 'rssAtPeak' : 'peakRss';
  const bytes = most[key];
  if (bytes === null) return;
  const who = words.theirs('process', most.role || most.name || `process ${most.pids[0]}`, 60);
  const of = roles.length > 1 ? `, of ${roles.length} roles` : '';
  words.evidence(
    `/processes/roles/0/${key}`,
    'bytes',
    `${who} held most of it: ${formatBytes(bytes)}${of}`,
  );
}

function addEnding({ ending, recording }: ReportFacts, words: VerdictBuilder): void {
  const after = formatDuration(recording.durationSeconds);
  if (ending.how === 'well' || ending.how === 'failed') {
    words.evidence(
      '/ending/code',
      'exit code',
      `it exited with code ${ending.code} after ${after}`,
    );
  } else if (ending.how === 'killed') {
    words.evidence(
      '/ending/signal',
      null,
      `it was ended by ${signalName(ending.signal)} after ${after}`,
    );
  }
}

/** What limits the meaning of the figures. */
export function addDoubts(report: ReportFacts, words: VerdictBuilder): void {
  const { trust, headline, leak, devices, warnings } = report;
  if (trust.stopped) {
    words.against(
      '/trust/stopped/seconds',
      'seconds',
      `the recording stops at ${formatDuration(trust.stopped.seconds)}: what came after is not known, and the peak is the least that it was`,
    );
  }
  if (trust.lostRows > 0) words.against('/trust/lostRows', 'count', 'rows were lost');
  if (trust.damage.length > 0) {
    words.against(
      '/trust/damage/0',
      null,
      `damaged: ${words.theirs('damage', trust.damage[0]!, 120)}`,
    );
  }
  if (headline?.measure === 'upper-bound') {
    words.against(
      '/headline/measure',
      null,
      'shared pages count once for each process: the peak is an upper bound',
    );
  }
  if (headline?.measure === 'machine') {
    words.against('/headline/measure', null, 'the whole machine: others had a part in it');
  }
  if (leak.verdict === 'inconclusive') {
    words.against('/leak/verdict', null, 'whether it leaks cannot be told');
  }
  const guessed = devices.findIndex(({ categories: [most] }) => most && most.confidence < 0.6);
  if (guessed >= 0) {
    words.against(
      `/devices/${guessed}/categories/0/confidence`,
      'share',
      'what most of it is, is a guess',
    );
  }
  const said = warnings.findIndex((text) => !trust.damage.includes(text) && !trust.stopped);
  if (said >= 0)
    words.against(`/warnings/${said}`, null, words.theirs('warning', warnings[said]!, 200));
}
