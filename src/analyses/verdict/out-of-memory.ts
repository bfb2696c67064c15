import { formatBytes } from '../../base/bytes.ts';
import { capitalized } from '../../base/text.ts';
import { placeName } from '../../model/out-of-memory.ts';
import type { Verdict } from '../../model/verdict.ts';
import type { JudgedOom, OutOfMemory } from '../out-of-memory.ts';
import { VerdictBuilder } from './builder.ts';
import { addAdvice, addNextTime } from './oom-advice.ts';
import { addCauses, causeWords, settledCause } from './oom-causes.ts';

/** A program that prints so much after it has very likely caught it. */
export const GOES_ON_LINES = 20;

/** What a log says about memory that ran out. */
export function outOfMemoryVerdict(result: OutOfMemory): Verdict {
  const words = new VerdictBuilder(result);
  const { main } = result;
  if (!main) {
    const name = words.theirs('name', result.name);
    const sentence = `${name}: ${planWords(result, words)}no line says that memory ran out.`;
    return words.build('no-out-of-memory', 'certain', sentence);
  }
  addCauses(main, '/main', words);
  if (main.rank !== undefined) words.evidence('/main/rank', 'rank', `on rank ${main.rank}`);
  addProgram(result, words);
  const text = words.theirs('text', main.text, 160);
  words.evidence('/main/line', 'line', `said in line ${main.line}: ${text}`);
  addFigures(main, words);
  if (result.linesAfter >= GOES_ON_LINES) {
    words.against('/linesAfter', 'count', 'the text goes on: the program may have caught it');
  }
  addAdvice(main, words);
  addNextTime(main, words);
  const { code, certainty } = settledCause(main);
  return words.build(code, certainty, sentenceOf(main, words));
}

/** Of an engine that serves models, the sum that it planned last. */
function planWords({ plan }: OutOfMemory, words: VerdictBuilder): string {
  const at = plan.engines.length - 1;
  const bytes = plan.engines[at]?.cardBytes ?? plan.engines[at]?.hostBytes ?? null;
  if (bytes === null) return '';
  const key = plan.engines[at]!.cardBytes === null ? 'hostBytes' : 'cardBytes';
  words.evidence(`/plan/engines/${at}/${key}`, 'bytes', `planned: ${formatBytes(bytes)}`);
  const more = plan.engines.length > 1 ? ` in the last of ${plan.engines.length} plans` : '';
  return `an engine that serves models planned ${formatBytes(bytes)}${more}; `;
}

/** One line: where it ran out, and why. */
function sentenceOf(main: JudgedOom, words: VerdictBuilder): string {
  const who = main.rank === undefined ? '' : ` on rank ${main.rank}`;
  if (main.unexplained)
    return `A process was killed (SIGKILL)${who}; whether for memory, this text does not say.`;
  return `${capitalized(placeName(main))} ran out of memory${who}: ${causeWords(main, words)}.`;
}

/** What XLA's program needs, and the line of code that its largest buffer comes from. */
function addProgram({ program }: OutOfMemory, words: VerdictBuilder): void {
  if (program?.total !== undefined) {
    const all = formatBytes(program.total);
    words.evidence('/program/total', 'bytes', `the compiled program needs ${all}`);
  }
  const [largest] = program?.buffers ?? [];
  if (!largest) return;
  const { bytes, operation, what = 'a buffer', file, line } = largest;
  const name = words.theirs('buffer', operation ?? what, 100);
  const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}`;
  const from = place === '' ? '' : `, from ${words.theirs('place', place, 100)}`;
  words.evidence(
    '/program/buffers/0/bytes',
    'bytes',
    `its largest buffer: ${formatBytes(bytes)}, ${name}${from}`,
  );
}

const FIGURES = [
  ['asked', 'asked for'],
  ['free', 'free'],
  ['total', 'there is'],
  ['limit', 'the limit'],
  ['process', 'held by this process'],
  ['allocated', 'held by tensors'],
] as const;

function addFigures(main: JudgedOom, words: VerdictBuilder): void {
  for (const [key, what] of FIGURES) {
    const bytes = main[key];
    if (bytes !== undefined)
      words.evidence(`/main/${key}`, 'bytes', `${what}: ${formatBytes(bytes)}`);
  }
}
