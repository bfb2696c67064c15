import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { shellJoin } from '../../../base/text.ts';
import { folderFiles } from '../../../model/disk/files.ts';
import { openRecording } from '../../../model/disk/reader.ts';
import { makeTemporaryFolder } from '../../../model/disk/temporary-folder.ts';
import type { Recording } from '../../../model/recording.ts';
import { sizesIn } from '../../../record/agents/import-baseline.ts';
import { resolveCommand } from '../../../record/run/command.ts';
import { recorderEnd, startRecorder } from '../../../sweep/recorder.ts';
import type { SizedProcess } from '../../../views/sizes.ts';
import { recordWords } from '../../flags/record-words.ts';

/** So many processes are shown where none reported its sizes. */
const MOST = 8;

interface CommandSizes {
  readonly processes: readonly SizedProcess[];
  readonly exitCode: number;
}

interface CommandOptions {
  /** `exit` or `iteration=5`. */
  readonly at: string;
  readonly baseline: boolean;
  /** Where the recording is kept; null: nowhere. */
  readonly out: string | null;
}

/** Runs a command under the recorder; its own output goes to stderr, as stdout is for the answer. */
export async function sizesOfCommand(
  argv: readonly string[],
  options: CommandOptions,
): Promise<CommandSizes> {
  resolveCommand(argv[0]!);
  const temporary = options.out === null ? makeTemporaryFolder('highwater-sizes-') : null;
  const folder = options.out ?? join(temporary!, 'run.hw');
  try {
    const how = { quiet: true, out: folder, beforeSeconds: 0, afterSeconds: 0, sizes: options.at };
    const exitCode = await recorded([...recordWords(how), '--', ...argv]);
    const processes = await sizesOfRecording(folder, options.at, options.baseline);
    return { processes, exitCode };
  } finally {
    if (temporary) rmSync(temporary, { recursive: true, force: true });
  }
}

/** What the processes of a recording reported; where none did, their last samples. */
export async function sizesOfRecording(
  folder: string,
  asked: string,
  baseline: boolean,
): Promise<SizedProcess[]> {
  const recording = openRecording(folderFiles(folder));
  const all = await sizesIn(folder, baseline);
  if (all.length === 0) return lastSamples(recording, asked);
  return all.map(({ at, rank, sizes }) => {
    const { pid, topsize } = sizes;
    const command = commandOf(recording, pid) || shellJoin(recording.run.argv);
    return { pid, rank, command, at, topsize, sizes, reason: null, parts: null };
  });
}

function recorded(words: string[]): Promise<number> {
  const recorder = startRecorder(words, { stdio: ['inherit', 2, 2] });
  // The recorder passes signals of the terminal on, and we wait for it.
  const wait = () => {};
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, wait);
  return recorderEnd(recorder).finally(() => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, wait);
  });
}

/** For processes that reported nothing themselves: the last sample of each, the largest first. */
function lastSamples(recording: Recording, at: string): SizedProcess[] {
  const samples = recording.table('process');
  const pids = samples.u32('pid');
  const column = (name: string) => samples.f64(name);
  const [rss, anon, file, shmem] = ['rss', 'anon', 'file', 'shmem'].map(column);
  const last = new Map<number, number>();
  for (let row = 0; row < pids.length; row++) {
    // A process that is exiting has released everything already.
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
function commandOf(recording: Recording, pid: number): string {
  const processes = recording.table('processes');
  const row = processes.u32('pid').lastIndexOf(pid);
  return row < 0 ? '' : recording.text(processes.u32('argv')[row]!);
}
