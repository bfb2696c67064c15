import { figures, fileEvidence } from './evidence.ts';
import type { GrowthBreakdown } from './growth-breakdown.ts';
import { type KindFinding, type KindRule, MAIN_CAUSE, share } from './rule.ts';

/** What to do about the files that were seen, by who makes such. */
export function sharedAdvice(files: GrowthBreakdown['files'], torch: boolean): string[] {
  const made = (start: string) => files.some(({ pattern }) => pattern.startsWith(start));
  const tensors = made('torch_') || torch;
  const names = [
    ...(tensors ? ['torch_<pid>_* are tensors of that process'] : []),
    ...(made('psm_') ? ['psm_* is what multiprocessing.shared_memory makes'] : []),
  ].join(', ');
  return [
    `remove what is left: \`ls -l /dev/shm\`${names && ` (${names})`}, then \`rm\` what nobody uses any more`,
    'whoever makes a file in /dev/shm has to remove it (os.remove, shm_unlink); SharedMemory needs close() in each process and unlink() in the last',
    ...(tensors
      ? [
          'tensors sent through a queue live until the receiver drops them: `del` them, or send clones; where processes are killed, the sharing strategy file_descriptor leaves no files behind, file_system does',
        ]
      : []),
  ];
}

/** Files in /dev/shm and other memory that outlives a process. */
export const sharedMemory: KindRule = {
  kind: 'shared-memory',
  find: (breakdown) =>
    !breakdown.device && (share(breakdown, 'shmem') >= MAIN_CAUSE || filesGrow(breakdown))
      ? {
          ...filesNamed(breakdown.files),
          evidence: [...breakdown.files.map(fileEvidence), ...figures(breakdown)],
          advice: sharedAdvice(breakdown.files, breakdown.program.torch),
        }
      : null,
};

/** The largest group of files; where none was seen, what it is. */
export function filesNamed([first]: GrowthBreakdown['files']): Pick<KindFinding, 'name' | 'where'> {
  return { name: first ? `/dev/shm/${first.pattern}` : 'shared memory', where: null };
}

/** All processes share /dev/shm: its files are no explanation where private memory is one. */
const filesGrow = (breakdown: GrowthBreakdown) =>
  share(breakdown, 'shm.used') >= MAIN_CAUSE &&
  breakdown.rates.has('anon') &&
  share(breakdown, 'anon') < MAIN_CAUSE;
