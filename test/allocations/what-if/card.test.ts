import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { replay } from '../../../src/analyses/allocations/replay/replay.ts';
import { requestsOf } from '../../../src/analyses/allocations/replay/requests.ts';
import { CARD_NAMES, parseCard } from '../../../src/analyses/allocations/what-if/cards.ts';
import { askedOf, whatIf } from '../../../src/analyses/allocations/what-if/index.ts';
import { measuredContext } from '../../../src/analyses/allocations/what-if/measured-context.ts';
import type { WhatIfQuestion } from '../../../src/analyses/allocations/what-if/question.ts';
import { readyTrace, traceOf } from '../../../src/analyses/allocations/what-if/ready.ts';
import type { Elsewhere } from '../../../src/analyses/allocations/what-if/rows.ts';
import { findSmallest } from '../../../src/analyses/allocations/what-if/smallest.ts';
import { GiB, MiB } from '../../../src/base/bytes.ts';
import { RecordingBuilder } from '../../../src/model/builder.ts';
import type { Recording } from '../../../src/model/recording.ts';
import { openInput } from '../../../src/open/open.ts';
import { addRow } from '../../support/rows.ts';
import { SNAPSHOTS } from './programs.ts';

/** Torch's own word and the driver's, in MiB, each at its second. */
function measured(
  torch: readonly (readonly [number, number])[],
  driver: readonly (readonly [second: number, used: number, card?: number])[],
): Recording {
  const builder = new RecordingBuilder({ id: 'run', name: 'run' });
  const name = builder.intern('torch0.reserved');
  for (const [second, value] of torch) {
    addRow(builder, 'counters', { time: second * 1e9, pid: 7, name, value: value * MiB });
  }
  for (const [second, used, gpu = 0] of driver) {
    addRow(builder, 'gpu_process', { time: second * 1e9, gpu, pid: 7, used: used * MiB });
  }
  return builder.build();
}

describe('the whole card', () => {
  it('is less what the driver counted beside torch, where torch read the same before and after', () => {
    const torch = [
      [0, 0],
      [2, 1000],
      [4, 1000],
      [6, 3000],
    ] as const;
    // At 1 s and 5 s torch reserved more meanwhile: what the driver saw then tells nothing.
    const driver = [
      [1, 900],
      [3, 1600],
      [5, 3900],
    ] as const;
    expect(measuredContext(measured(torch, driver), 0)).toBe(600 * MiB);
    expect(measuredContext(measured(torch, driver), 1)).toBeNull();
    expect(measuredContext(measured(torch, []), 0)).toBeNull();
    const twoCards = [...driver, [6, 400, 1] as const];
    expect(measuredContext(measured(torch, twoCards), 0)).toBeNull();
  });

  it('takes off what was measured, what is given, or says what it assumes', async () => {
    const snapshot = await openInput(`${SNAPSHOTS}/what-if/streams.pickle.gz`);
    const beside = measured(
      [
        [0, 100],
        [2, 100],
      ],
      [[1, 800]],
    );
    const ask = (more: { beside: Recording | null; contextBytes: number | null }) =>
      whatIf(snapshot, {
        ...{ sets: ['default'], limits: [], smallest: false, device: null },
        card: parseCard('24GiB'),
        ...more,
      }).card;
    expect(ask({ beside, contextBytes: null })).toMatchObject({
      contextFrom: 'measured',
      contextBytes: 700 * MiB,
      usableBytes: 24 * GiB - 700 * MiB,
    });
    expect(ask({ beside, contextBytes: GiB })).toMatchObject({ contextFrom: 'given' });
    expect(ask({ beside: null, contextBytes: null })).toMatchObject({ contextFrom: 'assumed' });
  });

  it('gets the same answer whatever was asked of the trace before', async () => {
    for (const name of ['what-if/lstm_varlen', 'training/gpt_oom']) {
      const snapshot = await openInput(`${SNAPSHOTS}/${name}.pickle.gz`);
      const ask = (card: string | null): WhatIfQuestion => ({
        ...{ sets: null, limits: [], smallest: false, device: null },
        ...{ contextBytes: null, beside: null },
        card: card === null ? null : parseCard(card),
      });
      const ready = readyTrace(snapshot, traceOf(snapshot, null), true);
      for (const card of [null, 'A10G', '2GiB', '3GiB', '5GiB', null]) {
        expect(whatIf(snapshot, ask(card), ready)).toEqual(whatIf(snapshot, ask(card)));
      }
      // With a limit of the process a segment may not grow although all that it then has would be allowed.
      for (const limit of [1.6 * GiB, 1.7 * GiB, 2.4 * GiB]) {
        const within = { ...ask(null), limits: [limit], besides: [] };
        expect(whatIf(snapshot, within, ready)).toEqual(whatIf(snapshot, within));
      }
    }
  });

  it('gets the same answer where copies of the requests are replayed elsewhere, each once', async () => {
    for (const name of ['what-if/lstm_varlen', 'what-if/streams', 'training/gpt_oom']) {
      const snapshot = await openInput(`${SNAPSHOTS}/${name}.pickle.gz`);
      const question: WhatIfQuestion = {
        ...{ sets: null, limits: [], smallest: name.startsWith('what-if'), device: null },
        ...{ contextBytes: null, beside: null, card: null },
      };
      const ready = readyTrace(snapshot, traceOf(snapshot, null), true);
      const copy = structuredClone(requestsOf(ready.program));
      const asked: string[] = [];
      const elsewhere: Elsewhere = {
        async replay(options) {
          asked.push(JSON.stringify(options));
          await nextTurn();
          return structuredClone(replay(copy, structuredClone(options)));
        },
        async smallest(search) {
          asked.push(JSON.stringify(search));
          await nextTurn();
          return structuredClone(findSmallest(copy, structuredClone(search)).smallest);
        },
      };
      // Two pages at once.
      const prepared = async () => {
        for (const one of askedOf(ready, question)) {
          await ready.rows.prepare(one, question.smallest, elsewhere);
        }
      };
      await Promise.all([prepared(), prepared()]);
      expect(asked.length).toBeGreaterThan(0);
      expect(new Set(asked).size).toBe(asked.length);
      const before = asked.length;
      expect(whatIf(snapshot, question, ready)).toEqual(whatIf(snapshot, question));
      await prepared();
      expect(asked.length).toBe(before);
    }
  });

  it('is known by many names', () => {
    const gib = (name: string) => Math.round(parseCard(name).totalBytes / GiB);
    expect(['A10G', 'L4', 'RTX 4090', 'A100-40', 'a100-80gb', 'H100-80', 'H200'].map(gib)).toEqual([
      22, 22, 24, 40, 80, 80, 140,
    ]);
    for (const name of CARD_NAMES) expect(parseCard(name).totalBytes).toBeGreaterThan(7 * GiB);
    expect(parseCard('24GiB').totalBytes).toBe(24 * GiB);
    expect(() => parseCard('24')).toThrow(/too small/);
  });
});
