import type { ListedRun, ListedVerdict } from '../analyses/listed-run.ts';
import { formatBytes } from '../base/bytes.ts';
import { alignColumns, ellipsize, printable, shellJoin } from '../base/text.ts';
import { formatDuration } from '../base/time.ts';
import { bytesOr } from './table.ts';

/** A recording and where it is; `run` is null where it cannot be read. */
export interface ListEntry {
  readonly path: string;
  readonly bytes: number;
  readonly run: ListedRun | null;
  /** Why it cannot be read. */
  readonly error: string | null;
}

const COMMAND_WIDTH = 50;

/** One line a recording, the newest first. */
export function runListText(entries: readonly ListEntry[]): string {
  const head = ['started', 'lasted', 'peak', 'ended', 'size', 'command', 'recording'];
  const rows = entries.map(({ path, bytes, run, error }) =>
    run
      ? [
          localTime(run.startedAt),
          formatDuration(run.durationSeconds),
          bytesOr(run.peak?.bytes ?? null),
          endedWords(run),
          formatBytes(bytes),
          ellipsize(printable(run.argv.length > 0 ? shellJoin(run.argv) : run.name), COMMAND_WIDTH),
          printable(path),
        ]
      : [
          '',
          '',
          '',
          'unreadable',
          formatBytes(bytes),
          ellipsize(printable(error ?? ''), COMMAND_WIDTH),
          printable(path),
        ],
  );
  const lines = alignColumns([head, ...rows], new Set([1, 2, 4]));
  return `${lines.join('\n')}\n`;
}

/** To the second, in the reader's own zone. */
function localTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return '';
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

function endedWords({ ended, complete }: ListedRun): string {
  const { how, code, signal, outOfMemory } = ended;
  const words = {
    well: 'well',
    failed: `code ${code}`,
    killed: printable(signal ?? 'killed'),
    ended: 'by Highwater',
    'cut-off': 'not seen',
    watched: 'watched',
    imported: 'imported',
  }[how];
  return `${words}${outOfMemory ? ', out of memory' : ''}${complete ? '' : ', incomplete'}`;
}

/** What became of it, in a word or two: the worst first. */
export function verdictWord(run: ListedVerdict): { word: string; tone: 'bad' | 'good' | 'plain' } {
  const { ended, complete, leak } = run;
  if (ended.outOfMemory) return { word: 'out of memory', tone: 'bad' };
  if (ended.how === 'failed') return { word: `failed, code ${ended.code}`, tone: 'bad' };
  if (ended.how === 'killed')
    return { word: `killed, ${printable(ended.signal ?? 'a signal')}`, tone: 'bad' };
  if (leak === 'leak') return { word: 'leaks', tone: 'bad' };
  if (!complete) return { word: 'incomplete', tone: 'plain' };
  const word = { well: 'fine', ended: 'ended by Highwater', watched: 'watched' }[
    ended.how as string
  ];
  return { word: word ?? endedWords(run), tone: ended.how === 'well' ? 'good' : 'plain' };
}
