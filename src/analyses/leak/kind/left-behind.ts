import { formatBytes } from '../../../base/bytes.ts';
import type { Recording } from '../../../model/recording.ts';
import type { Shelf } from '../shelf.ts';
import { type Survivor, survivors } from '../survivors.ts';
import type { WorkloadSpan } from '../workload-span.ts';
import { bytes, fileEvidence, type KindEvidence } from './evidence.ts';
import { programOf } from './program.ts';
import { type LeakCause, MAIN_CAUSE, NOTHING_KNOWN } from './rule.ts';
import { filesNamed, sharedAdvice } from './shared-memory.ts';

/** What it was that stayed behind the workload: files in shared memory, processes that live on, or neither. */
export function leftBehindCause(
  recording: Recording,
  span: WorkloadSpan,
  { remains, leakedBytes }: Shelf,
): LeakCause {
  const unknown: LeakCause = { kind: 'unknown', ...NOTHING_KNOWN };
  if (!remains || leakedBytes === null) return unknown;
  const { shmemBytes, anonBytes, kernelBytes } = remains;
  const evidence = [
    bytes('Shmem', shmemBytes, 'run'),
    bytes('AnonPages', anonBytes, 'run'),
    bytes('kernel', kernelBytes, 'run'),
  ];
  if (shmemBytes > MAIN_CAUSE * leakedBytes) {
    const files = recording.run.leftInShm ?? [];
    return {
      ...unknown,
      kind: 'shared-memory',
      ...filesNamed(files),
      evidence: [...files.map(fileEvidence), ...evidence],
      advice: sharedAdvice(files, programOf(recording, null).torch),
    };
  }
  const alive = survivors(recording, span);
  const held = alive.reduce((sum, one) => sum + one.bytes, 0);
  const [first] = alive;
  if (!first || held < MAIN_CAUSE * leakedBytes) return { ...unknown, evidence };
  const named = alive.filter((one) => one.bytes >= MAIN_CAUSE * first.bytes);
  return {
    kind: 'surviving-process',
    name: first.argv || first.name || null,
    where: null,
    process: named.map(processWords).join(', '),
    evidence: [...named.map(survivorEvidence), ...evidence],
    advice: [
      `${processWords(first)} lives on with ${formatBytes(first.bytes)}: end it (\`kill ${first.pid}\`), or have the program end and join what it starts`,
    ],
  };
}

const processWords = ({ role, name, pid }: Survivor) => `${role || name} (pid ${pid})`;

const survivorEvidence = (one: Survivor): KindEvidence => ({
  ...bytes(processWords(one), one.bytes, 'run'),
  madeBy: one.argv || null,
});
