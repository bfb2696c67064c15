import type { Format } from '../format.ts';
import { headText } from '../input.ts';
import { guessHeader, parseHeader } from './header.ts';
import { readNvidiaSmi } from './read.ts';
import { isOwnMessage } from './rows.ts';
import { sampleRate, writeNvidiaSmi } from './write.ts';

/**
 * What `nvidia-smi --query-gpu=… --format=csv[,noheader][,nounits] -lms N` writes: a row a GPU and
 * sample, with whatever fields were asked for.
 */
export const nvidiaSmi: Format = {
  id: 'nvidia-smi',
  title: 'a log of nvidia-smi --query-gpu',
  extensions: [],
  only: 'gpu',
  fileName: ({ name }) => `memory_${plainName(name)}.txt`,
  sniff,
  read: readNvidiaSmi,
  write: writeNvidiaSmi,
  writeNote: sampleRate,
};

/** A recording's name may hold slashes, or come from such a file itself. */
const plainName = (name: string) =>
  name
    .replace(/^memory_|\.txt$/g, '')
    .replace(/[^\w.+=,-]+/g, '-')
    .slice(0, 100);

/** Without a header, so many lines must look like rows. */
const SEVERAL = 3;

function sniff(head: Uint8Array): boolean {
  const lines = headText(head).split('\n');
  const [first = ''] = lines.map((line) => line.trim()).filter(Boolean);
  if (parseHeader(first) || isOwnMessage(first)) return true;
  const rows = lines.slice(0, -1).filter((line) => line.trim() !== '');
  return rows.length >= SEVERAL && rows.every((line) => guessHeader(line.trim()) !== null);
}
