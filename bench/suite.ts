import { count } from '../src/base/text.ts';
import { formatDuration } from '../src/base/time.ts';
import type { Benchmark, Options, Row } from './result.ts';
import { formatTable, type Outcome } from './table.ts';

/** Says what goes on; a line or more at a time. */
export type Tell = (text: string) => void;

/** Runs one benchmark after the other. One that fails is told of and does not stop the others. */
export async function runAll(
  benchmarks: readonly Benchmark[],
  options: Options,
  tell: Tell,
  stopped: () => boolean = () => false,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [i, benchmark] of benchmarks.entries()) {
    if (stopped()) break;
    const { name, title, minutes } = benchmark;
    const about = minutes && !options.quick ? `, about ${minutes} min` : '';
    tell(`\n[${i + 1}/${benchmarks.length}] ${name}: ${title}${about}\n`);
    const outcome = await runOne(benchmark, options);
    outcomes.push(outcome);
    if (outcome.rows.length > 0) tell(`${formatTable(outcome.rows)}\n`);
    const ended = outcome.failure === undefined ? 'done' : `FAILED: ${outcome.failure}`;
    tell(`${name}: ${ended} after ${formatDuration(outcome.seconds)}\n`);
  }
  return outcomes;
}

async function runOne(benchmark: Benchmark, options: Options): Promise<Outcome> {
  const began = performance.now();
  const outcome = (rows: readonly Row[], failure?: string): Outcome => ({
    name: benchmark.name,
    seconds: (performance.now() - began) / 1000,
    rows,
    ...(failure !== undefined && { failure }),
  });
  try {
    return outcome(await benchmark.run(options));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return outcome([], message.trim().split('\n', 1)[0]);
  }
}

export interface Verdict {
  readonly text: string;
  /** 0 all limits hold, 1 one does not, 3 a benchmark failed, 4 one cannot be told for noise. */
  readonly exit: number;
}

export function verdictOf(outcomes: readonly Outcome[]): Verdict {
  const rows = outcomes.flatMap((outcome) => outcome.rows);
  const over = rows.filter((row) => row.pass === false).length;
  const unclear = rows.filter((row) => row.pass === null).length;
  const failed = outcomes.filter((outcome) => outcome.failure !== undefined);
  const held = rows.filter((row) => row.pass === true).length;
  const words = [
    held + over + unclear > 0 ? count(held, 'limit holds', 'limits hold') : 'no limit was judged',
    ...(over > 0 ? [`${over} do not`] : []),
    ...(unclear > 0 ? [`${unclear} cannot be told: within the noise of this machine`] : []),
    ...(failed.length > 0 ? [`failed: ${failed.map(({ name }) => name).join(', ')}`] : []),
  ];
  return {
    text: words.join('; '),
    exit: failed.length > 0 ? 3 : over > 0 ? 1 : unclear > 0 ? 4 : 0,
  };
}
