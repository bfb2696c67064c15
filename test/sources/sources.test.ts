import { describe, expect, it } from 'vitest';
import { TABLES } from '../../src/model/schema.ts';
import { LiveFigures } from '../../src/record/run/live-figures.ts';
import type { FromSampler } from '../../src/record/threads/messages.ts';
import { Sampling } from '../../src/record/threads/sampling.ts';
import { SOURCES } from '../../src/sources/index.ts';
import type { SampledRun, Sampler, Source } from '../../src/sources/source.ts';
import { FakeMachine, statusLines } from '../support/fake-machine.ts';

/** A source of paper that notes what is asked of it. */
function paper(takesLeanTicks?: true) {
  const asked: string[] = [];
  const source: Source = {
    id: 'paper',
    title: 'nothing at all',
    probe: () => ({ ok: true }),
    open({ sink }: SampledRun): Sampler {
      const table = sink.table(TABLES.cgroup);
      return {
        takesLeanTicks,
        sample({ time, full }) {
          asked.push(full ? 'full' : 'lean');
          table.push([time, 1, 2, 3, 4, 0]);
        },
        close: () => asked.push('close'),
      };
    },
  };
  return { source, asked };
}

/** Samples process 10 of a machine of paper at 300 Hz, where every third tick is full. */
function sample(sources: readonly Source[], ticks: number) {
  const machine = new FakeMachine();
  machine.write('proc/meminfo', 'MemTotal:       1000 kB\nMemAvailable:    600 kB\n');
  machine.add({ pid: 10, status: statusLines(100) });
  machine.newestPid(10);
  const told: FromSampler[] = [];
  const rows: Record<string, number> = {};
  const sampling = new Sampling(
    machine,
    {
      origin: [0, 0],
      rateHz: 300,
      marker: 'HIGHWATER_RUN=test',
      resetPeaks: false,
      cgroup: { version: 2, folder: '/nowhere', own: false },
      memoryLimit: null,
      swapLimit: null,
    },
    new LiveFigures(),
    (message) => told.push(message),
    ({ name }, batch) => {
      rows[name] = (rows[name] ?? 0) + batch.rows;
    },
    sources,
  );
  sampling.handle({ type: 'root', pid: 10, ownSession: false }, 0);
  for (let tick = 0; tick < ticks; tick++) sampling.tick(tick * 3e6, 0);
  sampling.end(ticks * 3e6);
  return { told, rows };
}

describe('the list of sources', () => {
  it('is all that a recording samples: one more line is one more source', () => {
    const [every, full] = [paper(true), paper()];
    const { rows } = sample([...SOURCES, every.source, full.source], 6);
    expect(every.asked).toEqual(['full', 'lean', 'lean', 'full', 'lean', 'lean', 'close']);
    expect(full.asked).toEqual(['full', 'full', 'close']);
    expect(rows).toMatchObject({ host: 2, process: 6, cgroup: 8 });
  });

  it('goes on without one that cannot be opened, and says so', () => {
    const { told, rows } = sample(SOURCES, 3);
    expect(told).toContainEqual({
      type: 'warning',
      text: 'the control group could not be opened for reading',
    });
    expect(rows.cgroup).toBeUndefined();
    expect(rows.host).toBe(1);
  });

  it('has an id for each', () => {
    expect(new Set(SOURCES.map(({ id }) => id)).size).toBe(SOURCES.length);
  });
});
