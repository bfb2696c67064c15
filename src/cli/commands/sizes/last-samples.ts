import type { Recording } from '../../../model/recording.ts';
import type { SizedProcess } from '../../../views/sizes.ts';

const MOST = 8;

/** What samples tell of processes that told nothing themselves: each as it was last seen, the largest first. */
export function lastSamples(recording: Recording, at: string): SizedProcess[] {
  const samples = recording.table('process');
  const pids = samples.u32('pid');
  const column = (name: string) => samples.f64(name);
  const [rss, anon, file, shmem] = ['rss', 'anon', 'file', 'shmem'].map(column);
  const last = new Map<number, number>();
  for (let row = 0; row < pids.length; row++) {
    // A process that is being taken down has let go of everything already.
    if (rss![row]! > 0) last.set(pids[row]!, row);
  }
  const reason = `not from inside: no process told its sizes at ${at}; Python and Node programs do`;
  const found = [...last].map(([pid, row]): SizedProcess => {
    const parts: [string, number][] = [
      ['anonymous (heap, arrays, stacks)', anon![row]!],
      ['mapped files (code, libraries)', file![row]!],
      ['shared memory', shmem![row]!],
    ];
    return {
      pid,
      rank: null,
      command: commandOf(recording, pid),
      at: 'last sample',
      topsize: rss![row]!,
      sizes: null,
      reason,
      parts: parts.filter(([, bytes]) => bytes > 0).sort((a, b) => b[1] - a[1]),
    };
  });
  return found.sort((a, b) => b.topsize - a.topsize).slice(0, MOST);
}

/** What a process was started as; empty where the recorder did not get to see it. */
export function commandOf(recording: Recording, pid: number): string {
  const processes = recording.table('processes');
  const row = processes.u32('pid').lastIndexOf(pid);
  return row < 0 ? '' : recording.text(processes.u32('argv')[row]!);
}
