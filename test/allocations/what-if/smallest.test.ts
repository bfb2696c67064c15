import { describe, expect, it } from 'vitest';
import { parseConf } from '../../../src/analyses/allocations/replay/conf.ts';
import type { Program } from '../../../src/analyses/allocations/replay/program.ts';
import { replay } from '../../../src/analyses/allocations/replay/replay.ts';
import { floorOf } from '../../../src/analyses/allocations/what-if/floor.ts';
import { Probes } from '../../../src/analyses/allocations/what-if/probes.ts';
import { USUAL_SETS } from '../../../src/analyses/allocations/what-if/question.ts';
import { findSmallest } from '../../../src/analyses/allocations/what-if/smallest.ts';
import { MiB } from '../../../src/base/bytes.ts';
import { programsOf, SNAPSHOTS } from './programs.ts';

/** With varying shapes, other streams, graphs of their own pools, blocks from before the trace, and a request that failed. */
const NAMES = [
  'what-if/lstm_varlen',
  'what-if/streams',
  'what-if/prefetch',
  'what-if/graphs',
  'overflow',
  'training/gpt_mid_optimizer',
  'training/gpt_oom',
];
const SETTINGS = ['default', ...USUAL_SETS];

async function* cases() {
  for (const name of NAMES) {
    const [program] = (await programsOf(`${SNAPSHOTS}/${name}.pickle.gz`)) as [Program];
    for (const text of SETTINGS) {
      const conf = parseConf(text);
      const options = { conf, start: conf.expandableSegments ? 'packed' : 'placed' } as const;
      const { reservedPeakBytes: peakBytes } = replay(program, { ...options, limit: null });
      const search = { options, floorBytes: floorOf(program), peakBytes };
      yield { what: `${name} ${text}`, program, search };
    }
  }
}

describe('the smallest limit', () => {
  it('is probed from moments of other probes as if each began at the first event', async () => {
    let shared = 0;
    for await (const { what, program, search } of cases()) {
      const { options, floorBytes, peakBytes } = search;
      const probes = new Probes(program, options);
      const least = Math.floor(floorBytes / MiB) * MiB - 1;
      const shares = [0.5, 0.2, 0.3, 0.25, 0.9, 0.22, 0];
      let whole = 0;
      for (const share of shares) {
        const bytes = Math.round(floorBytes + share * (peakBytes - floorBytes));
        const probe = probes.run(bytes, { above: least, below: peakBytes + 1 }, () => {});
        const alone = replay(program, { ...options, limit: { bytes, by: 'device' } });
        expect(probe, `${what} ${bytes}`).toEqual(alone);
        whole += alone.diesAt === null ? program.events : Math.max(0, alone.diesAt);
      }
      expect(probes.events).toBeLessThanOrEqual(whole);
      if (probes.events < 0.7 * whole) shared++;
    }
    expect(shared).toBeGreaterThan(NAMES.length);
  });

  it('lies within a page or 0.2 % of one with which it dies, and it runs there', async () => {
    for await (const { what, program, search } of cases()) {
      const { smallest, events, probes } = findSmallest(program, search);
      const { options, floorBytes, peakBytes } = search;
      const { bytes, retries } = smallest;
      const at = (limit: number) =>
        replay(program, { ...options, limit: { bytes: limit, by: 'device' } });
      expect(at(bytes), what).toMatchObject({ retries });
      // One that died for good in the recorded run may die with any limit.
      if (bytes < peakBytes) expect(at(bytes).diesAt, what).toBeNull();
      const less = bytes - Math.max(2 * MiB, Math.ceil(bytes / 512));
      if (less >= floorBytes) expect(at(less).diesAt, what).not.toBeNull();
      expect(events, what).toBeLessThanOrEqual(probes * program.events);
    }
  });

  it('shares what is the same also where the trace begins with more than the limit', async () => {
    const [program] = (await programsOf(`${SNAPSHOTS}/training/gpt_mid_optimizer.pickle.gz`)) as [
      Program,
    ];
    const options = { conf: parseConf('default'), start: 'placed' } as const;
    const { reservedPeakBytes: peakBytes } = replay(program, { ...options, limit: null });
    const search = { options, floorBytes: floorOf(program), peakBytes };
    const { smallest, events, probes } = findSmallest(program, search);
    expect(smallest.bytes).toBeLessThan(program.start.reserved);
    expect(probes).toBeGreaterThan(2);
    expect(events).toBeLessThan(0.75 * probes * program.events);
  });

  it('costs at most five replays', async () => {
    for await (const { what, program, search } of cases()) {
      const { events } = findSmallest(program, search);
      expect(events / program.events, what).toBeLessThanOrEqual(5);
    }
  });
});
