import { writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { heap } from './heap.ts';
import { injection } from './injection.ts';
import { lateness } from './lateness.ts';
import { logSlowdown } from './log-slowdown.ts';
import { profiler } from './profiler.ts';
import { pythonHeap } from './python-heap.ts';
import { recorderMemory } from './recorder-memory.ts';
import { type Benchmark, formatTable, type Row } from './result.ts';
import { samplingCpu } from './sampling-cpu.ts';
import { startup } from './startup.ts';
import { thousandHertz } from './thousand-hertz.ts';
import { trace } from './trace.ts';
import { webMap } from './web-map.ts';
import { week } from './week.ts';

const BENCHMARKS: readonly Benchmark[] = [
  samplingCpu,
  lateness,
  thousandHertz,
  recorderMemory,
  week,
  startup,
  logSlowdown,
  trace,
  heap,
  pythonHeap,
  profiler,
  injection,
  webMap,
];

const USAGE = `usage: npm run bench -- [name…] [--quick] [--full] [--json FILE]
names: ${BENCHMARKS.map((b) => b.name).join(' ')}
`;

async function main(argv: string[]): Promise<number> {
  const jsonAt = argv.indexOf('--json');
  const json = jsonAt < 0 ? null : argv.splice(jsonAt, 2)[1];
  const flags = argv.filter((word) => word.startsWith('-'));
  const names = argv.filter((word) => !word.startsWith('-'));
  const known = (name: string) => BENCHMARKS.some((b) => b.name === name);
  if (
    json === undefined ||
    !flags.every((f) => f === '--quick' || f === '--full') ||
    !names.every(known)
  ) {
    process.stderr.write(USAGE);
    return 2;
  }
  const options = { quick: flags.includes('--quick'), full: flags.includes('--full') };
  const machine = `${cpus().length} cores, ${process.arch}, Linux ${release()}, Node ${process.version}`;
  process.stdout.write(`${new Date().toISOString().slice(0, 10)}, ${machine}\n`);
  const results: { name: string; rows: Row[] }[] = [];
  for (const benchmark of BENCHMARKS) {
    if (names.length > 0 && !names.includes(benchmark.name)) continue;
    process.stdout.write(`\n${benchmark.name}: ${benchmark.title}\n`);
    const rows = await benchmark.run(options);
    process.stdout.write(`${formatTable(rows)}\n`);
    results.push({ name: benchmark.name, rows });
  }
  if (json) {
    const date = new Date().toISOString();
    writeFileSync(json, `${JSON.stringify({ date, machine, ...options, results }, null, 2)}\n`);
  }
  const failed = results.flatMap((r) => r.rows).filter((row) => row.pass === false).length;
  process.stdout.write(failed === 0 ? '\nall limits hold\n' : `\n${failed} limits do not hold\n`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
