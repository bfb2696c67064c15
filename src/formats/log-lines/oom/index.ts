import type { OomFigures } from '../../../model/out-of-memory.ts';
import type { Message } from './message.ts';
import { PROGRAMS } from './programs.ts';
import { SERVING } from './serving.ts';
import { SYSTEM } from './system.ts';
import { TORCH } from './torch.ts';
import { XLA } from './xla.ts';

/** In order: the first that fits a line is whose it is. */
const MESSAGES: readonly Message[] = [
  ...SERVING,
  ...TORCH,
  ...XLA,
  ...PROGRAMS,
  ...SYSTEM,
  // Whatever else calls the driver.
  {
    source: 'cuda',
    place: 'gpu',
    when: /\bCUDA_ERROR_OUT_OF_MEMORY\b|cudaErrorMemoryAllocation\b|hipErrorOutOfMemory\b/,
  },
];

/** Warnings of an allocator that goes on, and lines of source code in a traceback. */
const HARMLESS = /not a failure|performance gains|^\s{2,}(?:raise|except|return|#)\b/;

/** The wording of a line; null for any line that does not say that memory ran out. */
export function oomMessage(line: string): Message | null {
  const message = MESSAGES.find(({ when }) => when.test(line));
  return message && !HARMLESS.test(line) ? message : null;
}

/** What a message says, of its line and of those after it that belong to it. */
export function oomFigures({ source, place, read }: Message, text: string): OomFigures {
  const figures = Object.entries(read?.(text) ?? {}).filter(([, value]) => value !== undefined);
  return { source, place, ...Object.fromEntries(figures) };
}

/** What an out-of-memory message says in its first line; null for any other line. */
export function oomIn(line: string): OomFigures | null {
  const message = oomMessage(line);
  return message ? oomFigures(message, line) : null;
}
