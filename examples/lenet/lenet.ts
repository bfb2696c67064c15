import { setImmediate } from 'node:timers/promises';
import { MemoryProfiler } from '../../src/index.ts';
import { log } from './log.ts';
import type { Options } from './options.ts';
import { Solver } from './solver.ts';

const DISPLAY_EVERY = 10;
const TEST_EVERY = 50;

/** Trains a LeNet and says how it goes, in the lines that Caffe's solver prints. */
export async function trainLeNet(options: Options): Promise<void> {
  const { iterations, batch, seed, profile } = options;
  const solver = new Solver(options);
  log(`Solving LeNet: ${solver.model.countParams()} parameters, batch ${batch}, seed ${seed}`);
  const profiler =
    profile === null
      ? null
      : new MemoryProfiler(solver.model, {
          printPeriod: profile,
          csv: true,
          optimizer: solver.optimizer,
        });
  for (let iteration = 0; iteration < iterations; iteration++) {
    if (iteration > 0 && iteration % TEST_EVERY === 0) test(solver, iteration);
    const loss = solver.step();
    profiler?.recordStats();
    if (iteration % DISPLAY_EVERY === 0) log(`Iteration ${iteration}, loss = ${digits(loss)}`);
    // Timers and signals get their turn, as they would in a program that reads its data.
    await setImmediate();
  }
  const accuracy = test(solver, iterations);
  log(`Optimization done: ${iterations} iterations, test accuracy = ${digits(accuracy)}`);
  profiler?.close();
  solver.dispose();
}

function test(solver: Solver, iteration: number): number {
  log(`Iteration ${iteration}, Testing net (#0)`);
  const accuracy = solver.accuracy();
  log(`    Test net output #0: accuracy = ${digits(accuracy)}`);
  return accuracy;
}

function digits(value: number): string {
  return String(Number(value.toPrecision(6)));
}
