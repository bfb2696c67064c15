import { describe, expect, it } from 'vitest';
import type { TableSpec } from '../../../src/model/schema.ts';
import type { Batch } from '../../../src/model/table.ts';
import { LiveFigures } from '../../../src/record/run/live-figures.ts';
import type { FromGpu } from '../../../src/record/threads/gpu-messages.ts';
import { GPU_CHOICES, GPU_HELP, planGpu } from '../../../src/record/threads/gpu-plan.ts';
import { sampleGpus } from '../../../src/record/threads/gpu-sampling.ts';
import type { GpuBackend, GpuReader, GpuSession } from '../../../src/sources/gpu/backend.ts';
import { CardTable } from '../../../src/sources/gpu/card-table.ts';
import { GPU_BACKENDS } from '../../../src/sources/gpu/index.ts';
import { ProcessRounds } from '../../../src/sources/gpu/process-rounds.ts';

const CARD = { index: 0, uuid: 'GPU-x', name: 'Stand-in', memoryBytes: 100 };
const FINDINGS = { cards: [CARD], driver: '1.2', tellsProcesses: true, notes: [] };
const memory = (used: number) => ({ used, reserved: 0, free: 100 - used, total: 100 });

/** A vendor of paper: `open` is all that differs from one to the next. */
function backend(
  id: string,
  open: GpuBackend['open'],
  located: ReturnType<GpuBackend['locate']> = { path: `/dev/${id}` },
): GpuBackend {
  return {
    id,
    title: `GPU memory (${id})`,
    name: id.toUpperCase(),
    means: id,
    locate: () => located,
    probe: () => ({ ok: true }),
    open,
    visible: (environment) => ({ visible: environment.PAPER_DEVICES ?? null, pciOrder: true }),
    heldOpen: () => null,
  };
}

/** Runs a plan as the GPU thread does; `over` is called by a backend to end the run. */
async function run(backends: (over: () => void) => readonly GpuBackend[], choice = 'auto') {
  const told: FromGpu[] = [];
  const rows: Record<string, number> = {};
  const stopWord = new Int32Array(new SharedArrayBuffer(4));
  const stopping = new AbortController();
  const live = new LiveFigures();
  const list = backends(() => {
    stopWord[0] = 1;
    stopping.abort();
  });
  const { candidates } = planGpu(choice, list);
  const missed = await sampleGpus({ origin: [0, 0], rateHz: 1000, candidates }, list, {
    clock: () => performance.now() * 1e6,
    live,
    tell: (message) => told.push(message),
    deliver: ({ name }: TableSpec, batch: Batch) => {
      rows[name] = (rows[name] ?? 0) + batch.rows;
    },
    stopWord,
    stopped: stopping.signal,
  });
  return { candidates, told, rows, missed, live };
}

describe('a backend of GPUs', () => {
  it('is polled at the rate of the recording, its processes within their budget', async () => {
    const open = (over: () => void) => (_path: string, session: GpuSession) => {
      const table = new CardTable(session.sink, 1);
      const listed = { card: CARD, listsProcesses: true };
      const rounds = new ProcessRounds([listed], (_, into) => into.set(42, 7) && null, session);
      let samples = 0;
      const reader: GpuReader = {
        findings: FINDINGS,
        now: table.now,
        sample: ({ time }) => {
          table.add(time, 0, memory(++samples));
          rounds.sample(time, table.now.used);
          if (samples === 5) over();
        },
        close: () => {},
      };
      return reader;
    };
    const { told, rows, live } = await run((over) => [backend('paper', open(over))]);
    expect(told).toEqual([
      { type: 'holder', pid: 42 },
      { type: 'open', backend: 'paper', findings: FINDINGS },
    ]);
    expect(rows.gpu).toBe(5);
    expect(rows.gpu_process).toBeGreaterThan(0);
    expect([live.get('gpu'), live.get('gpuUsed')]).toEqual([0, 5]);
  });

  it('may keep a pace of its own, and is closed before its last rows are taken', async () => {
    const open =
      (over: () => void) =>
      async (path: string, { sink, clock }: GpuSession): Promise<GpuReader> => {
        const table = new CardTable(sink, 1);
        table.add(clock(), 0, memory(1));
        setTimeout(over, 20);
        return {
          findings: { ...FINDINGS, driver: path },
          now: table.now,
          close: async () => table.add(clock(), 0, memory(2)),
        };
      };
    const { told, rows, missed } = await run((over) => [backend('paper', open(over))]);
    expect(told).toMatchObject([{ type: 'open', findings: { driver: '/dev/paper' } }]);
    expect(rows).toEqual({ gpu: 2 });
    expect(missed).toBe(0);
  });

  it('that does not answer gives way to the next, and leaves no rows', async () => {
    const broken = backend('broken', (_path, { sink }) => {
      new CardTable(sink, 1).add(0, 0, memory(9));
      throw new Error('no driver');
    });
    const absent = backend('absent', () => expect.fail(), { reason: 'no such library' });
    const works = (over: () => void) =>
      backend('works', () => {
        over();
        return { findings: FINDINGS, now: { first: NONE, used: NONE }, close: () => {} };
      });
    const good = await run((over) => [broken, absent, works(over)]);
    expect(good.candidates.map((candidate) => candidate.backend)).toEqual(['broken', 'works']);
    expect(good.told).toMatchObject([{ type: 'open', backend: 'works' }]);
    expect(good.rows).toEqual({});
    const bad = await run(() => [broken, backend('dumb', () => Promise.reject(new Error('mute')))]);
    expect(bad.told).toEqual([{ type: 'unavailable', reason: 'no driver; mute' }]);
    expect(bad.missed).toBeNull();
  });

  it('that is still being opened when the run ends is not replaced by another', async () => {
    const slow = (over: () => void) =>
      backend('slow', (_path, { stopped }) => {
        queueMicrotask(over);
        return new Promise((_, reject) =>
          stopped.addEventListener('abort', () => reject(new Error('cut off'))),
        );
      });
    const { told, missed } = await run((over) => [
      slow(over),
      backend('next', () => expect.fail()),
    ]);
    expect(told).toEqual([]);
    expect(missed).toBe(0);
  });
});

const NONE = new Float64Array(0);

describe('the list of backends', () => {
  it('makes the plan: what is there is tried, what was named and is not there is refused', () => {
    const here = backend('here', () => expect.fail());
    const gone = backend('gone', () => expect.fail(), { reason: 'not here' });
    expect(planGpu('off', [here])).toEqual({ candidates: [], reason: 'switched off (--gpu off)' });
    expect(planGpu('auto', [gone, here])).toEqual({
      candidates: [{ backend: 'here', path: '/dev/here' }],
      reason: null,
    });
    expect(planGpu('auto', [gone, gone]).reason).toBe('not here; not here');
    expect(() => planGpu('gone', [gone, here])).toThrow('--gpu gone: not here');
  });

  it('gives the flag its choices and its help', () => {
    const ids = GPU_BACKENDS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(GPU_CHOICES).toEqual(['auto', ...ids, 'off']);
    expect(GPU_HELP).toBe(
      "GPU memory by every maker's own way, by the driver's library, by nvidia-smi or by the kernel's files",
    );
  });
});
