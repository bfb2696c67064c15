import { formatBytes } from '../../base/bytes.ts';
import type { ReportFacts, SaidOutOfMemory } from '../report-facts.ts';
import type { VerdictBuilder } from './builder.ts';
import { reachedDeviceLimit } from './device-limit.ts';
import { sliceInUse } from './failure/card.ts';
import type { Found } from './found.ts';
import { addKernelKill } from './kernel-kill.ts';
import { addLeak } from './leak.ts';
import { addAdvice } from './oom-advice.ts';
import { addCauses, settledCause } from './oom-causes.ts';

/** What the program's own last message proves, with what was measured beside it. */
export function addMessage(report: ReportFacts, words: VerdictBuilder): Found {
  const last = report.ending.oomMessages.length - 1;
  const title = report.ending.oomMessages[last]?.lines[0] ?? '';
  const said = report.outOfMemory.length - 1;
  const message = words.theirs('message', title, 160);
  words.evidence(`/ending/oomMessages/${last}/seconds`, 'seconds', `the program said: ${message}`);
  const grows = addLeak(report, words);
  const oom = report.outOfMemory[said];
  // Recordings of earlier versions have the words only.
  if (!oom) return { code: 'out-of-memory', certainty: 'certain' };
  const at = `/outOfMemory/${said}`;
  if (oom.asked !== undefined) {
    words.evidence(`${at}/asked`, 'bytes', `asked for: ${formatBytes(oom.asked)}`);
  }
  const found = settledCause(oom);
  if (oom.place === 'host' && found.code === 'out-of-memory') {
    const host = workerKilled(report, words) ?? onHost(report, oom, words);
    if (host) return host;
  }
  if (oom.place === 'gpu') addSlice(report, words);
  addCauses(oom, at, words);
  addAdvice(oom, words);
  if (!grows) words.next('who held it at the peak', 'report', '{input}', '--json');
  if (oom.place !== 'gpu' || found.code !== 'out-of-memory') return found;
  return limitOfGroup(report, oom, words) ?? found;
}

/** A program does not know of its control group's limit on device memory: to it the card is full. */
function limitOfGroup(
  report: ReportFacts,
  { asked }: SaidOutOfMemory,
  words: VerdictBuilder,
): Found | null {
  const reached = reachedDeviceLimit(report, asked);
  if (!reached) return null;
  const remedy = `raise dmem.max of its control group (${formatBytes(reached.limit)}), or take less`;
  words.fix('limit', remedy, null);
  return { code: 'limit', certainty: 'likely' };
}

/** A slice of a card is all that the program had of it. */
function addSlice(report: ReportFacts, words: VerdictBuilder): void {
  const slice = sliceInUse(report);
  if (!slice) return;
  const { bytes, cardBytes, at } = slice;
  const of = cardBytes === null ? 'a card' : `a card that has ${formatBytes(cardBytes)}`;
  const given = `the program was given a slice (MIG) of ${formatBytes(bytes)} of ${of}`;
  words.evidence(`${at}/memoryBytes`, 'bytes', given);
}

/** That one of its processes was killed, the program says; where memory was full, the kernel knows. */
function workerKilled(report: ReportFacts, words: VerdictBuilder): Found | null {
  const found = addKernelKill(report, words);
  if (found?.code !== 'limit') return found;
  words.fix('limit', 'raise the limit of container, job or service, or take less', null);
  return found;
}

/** What was sampled of the machine says whether all of it was in use. */
function onHost(report: ReportFacts, oom: SaidOutOfMemory, words: VerdictBuilder): Found | null {
  const { asked } = oom;
  const { memoryBytes } = report.recording.host;
  const used = report.peaks.findIndex(({ series }) => series === 'host.used');
  if (asked === undefined || memoryBytes === null || used < 0) return null;
  if (asked > memoryBytes) {
    const all = `more than all ${formatBytes(memoryBytes)} of the machine`;
    words.evidence('/recording/host/memoryBytes', 'bytes', all);
    return { code: 'too-large', certainty: 'likely' };
  }
  const most = report.peaks[used]!.bytes;
  if (memoryBytes - most < asked) return null;
  words.evidence(
    `/peaks/${used}/bytes`,
    'bytes',
    `excluded: all of the machine's memory in use: at most ${formatBytes(most)} of ${formatBytes(memoryBytes)} was, so ${formatBytes(asked)} were there`,
  );
  words.against(
    `/peaks/${used}/bytes`,
    'bytes',
    'which limit is not known: ulimit -v, a control group, or how much the kernel promises (vm.overcommit_memory)',
  );
  words.fix(
    'limit',
    'raise the limit of process, container or job (ulimit -v; --mem), or take less',
    null,
  );
  words.next('after a change: whether it still runs out', 'record', '--', '{command}');
  return { code: 'limit', certainty: 'likely' };
}
