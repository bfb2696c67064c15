import { fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TABLES, type TableSpec } from '../src/model/schema.ts';
import { TableBuffer } from '../src/model/table.ts';
import { DrmSampler } from '../src/sources/gpu/drm/sampler.ts';
import { DESCRIPTORS, makePaper, OWN, PROCESSES } from './graphics-paper.ts';
import { atMost, type Benchmark, type Row } from './result.ts';
import { withFolder } from './scratch.ts';

const RATE_HZ = 100;
/** % of a core. */
const LIMIT = 2;

/**
 * The recorder's way to who holds a card, on a machine of paper: what `/proc` and `/sys` would show is made in a
 * temporary folder, as there is no card here. What the kernel's driver takes to write its lines is not in it.
 */
export const graphicsClients: Benchmark = {
  name: 'graphics-clients',
  title: `CPU of following ${DESCRIPTORS} descriptors of ${PROCESSES} processes on a card, the workload's at each look`,
  minutes: 2,
  run: ({ quick }) => withFolder((folder) => measure(folder, quick ? 10 : 60)),
};

async function measure(folder: string, seconds: number): Promise<Row[]> {
  makePaper(folder);
  const [proc, sys] = [join(folder, 'proc'), join(folder, 'sys')];
  const tables = new Map<string, TableBuffer>();
  const sink = {
    table(spec: TableSpec) {
      const made = tables.get(spec.name) ?? new TableBuffer(spec);
      tables.set(spec.name, made);
      return made;
    },
    intern: () => 0,
  };
  const events = { onWarning: () => {}, onHolder: () => {} };
  const begun = process.cpuUsage();
  const machine = { proc, cgroup: join(sys, 'fs/cgroup') };
  const sampler = new DrmSampler({ sys, machine }, { sink, events }, OWN);
  const start = spent(begun);
  const measuring = costOfMeasuring();
  const rounds = new Set<number>();
  const [delays, moved]: [number[], Map<number, { bytes: number; at: number }>] = [[], new Map()];
  const [cpu, halfway] = [{ ms: 0, late: 0 }, seconds / 2];
  const kernel = fork(join(import.meta.dirname, 'graphics-paper.ts'), [folder]);
  kernel.on('message', ({ pid, bytes }: { pid: number; bytes: number }) =>
    moved.set(pid, { bytes, at: performance.now() - origin }),
  );
  const origin = performance.now();
  for (let tick = 0; tick < seconds * RATE_HZ; tick++) {
    const due = (tick * 1000) / RATE_HZ;
    const wait = due - (performance.now() - origin);
    if (wait > 0) await sleep(wait);
    const before = process.cpuUsage();
    sampler.sample({ time: due * 1e6, full: true });
    const took = Math.max(0, spent(before) - measuring);
    cpu.ms += took;
    if (due / 1000 >= halfway) cpu.late += took;
    const held = tables.get(TABLES.gpu_process.name)!;
    for (let row = 0; row < held.rows; row++) {
      rounds.add(held.f64(0)[row]!);
      const pid = Number(held.columns[2]![row]);
      const awaited = moved.get(pid);
      if (awaited?.bytes !== held.f64(3)[row]) continue;
      delays.push(performance.now() - origin - awaited!.at);
      moved.delete(pid);
    }
    for (const table of tables.values()) table.drop(table.rows);
  }
  kernel.kill();
  sampler.close();
  const percentOf = (ms: number, time: number) => ms / time / 10;
  return [
    atMost(
      `whole run of ${seconds} s, cards read ${RATE_HZ} times a second`,
      percentOf(cpu.ms, seconds),
      LIMIT,
      '% of a core',
    ),
    { what: 'after half of it', figure: `${percentOf(cpu.late, seconds / 2).toFixed(2)} %` },
    { what: 'start', figure: `${start.toFixed(0)} ms` },
    {
      what: 'others’ memory that moved was seen after',
      figure: `${(delays.reduce((sum, ms) => sum + ms, 0) / delays.length / 1000).toFixed(2)} s, at most ${(Math.max(...delays) / 1000).toFixed(2)} s (${moved.size} never)`,
    },
    { what: "looks at the workload's", figure: `${(rounds.size / seconds).toFixed(1)} a second` },
  ];
}

function spent(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** ms: as much as the kernel takes to tell what was used, a hundred times a second. */
function costOfMeasuring(): number {
  const begun = process.cpuUsage();
  for (let i = 0; i < 1000; i++) spent(process.cpuUsage());
  return spent(begun) / 1000 / 2;
}
