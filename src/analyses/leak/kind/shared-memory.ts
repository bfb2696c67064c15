import { figures, fileEvidence } from './evidence.ts';
import type { GrowthBreakdown } from './growth-breakdown.ts';
import { type KindFinding, type KindRule, MAIN_CAUSE, share } from './rule.ts';

export const SHARED_ADVICE: readonly string[] = [
  'remove what is left: `ls -l /dev/shm` (torch_<pid>_* are tensors of that process, psm_* of multiprocessing.shared_memory), then `rm` those whose process is gone',
  'SharedMemory needs close() in each process and unlink() in the last; files of your own in /dev/shm need os.remove()',
  'tensors sent through a queue live until the receiver drops them: `del` them, or send clones; where processes are killed, the sharing strategy file_descriptor leaves no files behind, file_system does',
];

/** Files in /dev/shm and other memory that outlives a process. */
export const sharedMemory: KindRule = {
  kind: 'shared-memory',
  find: (breakdown) =>
    !breakdown.device && (share(breakdown, 'shmem') >= MAIN_CAUSE || filesGrow(breakdown))
      ? {
          ...filesNamed(breakdown.files),
          evidence: [...breakdown.files.map(fileEvidence), ...figures(breakdown)],
          advice: SHARED_ADVICE,
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
