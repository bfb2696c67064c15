import { basename } from 'node:path';
import { CrashReader, splitLines } from '../formats/log-lines/index.ts';
import type { CrashText } from '../model/out-of-memory.ts';
import { readForeign } from './foreign-file.ts';

/** What a log says about memory that ran out; nothing of it is kept but that. */
export function readCrashText(path: string): CrashText {
  const reader = new CrashReader();
  const lines = splitLines();
  for (const piece of readForeign(path).pieces)
    for (const line of lines.push(piece)) reader.push(line);
  for (const line of lines.end()) reader.push(line);
  return reader.end(basename(path));
}

/** The same of what comes in while it comes: a pipe, or text that is pasted. */
export async function readCrashStream(stream: AsyncIterable<Uint8Array>): Promise<CrashText> {
  const reader = new CrashReader();
  const lines = splitLines();
  for await (const piece of stream) for (const line of lines.push(piece)) reader.push(line);
  for (const line of lines.end()) reader.push(line);
  return reader.end('standard input');
}
