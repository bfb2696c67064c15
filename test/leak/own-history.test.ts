import { describe, expect, it } from 'vitest';
import { leak } from '../../src/analyses/leak/index.ts';
import { KiB, MiB } from '../../src/base/bytes.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { random } from '../support/random.ts';
import { addRow } from '../support/rows.ts';

const S = 1e9;
const STEPS = 120;
const STEP_NS = 0.1 * S;
/** What the agent's history takes at each step, and says so. */
const SAID = 305 * KiB;

/** A training of short steps in a process that grows by `perStep` besides; the history takes `truly` of what it says. */
function training(perStep: number, truly: number, said = (step: number) => step * SAID) {
  const builder = new RecordingBuilder({ id: 'run', name: 'run', subject: 'command' });
  const noise = random(7);
  const pid = 7;
  const end = STEPS * STEP_NS;
  addRow(builder, 'processes', { pid, start_time: 1, role: 'main', first_seen: 0, last_seen: end });
  addRow(builder, 'marks', { time: 0, kind: 'start', name: 'train' });
  for (let step = 1; step <= STEPS; step++) {
    const ns = step * STEP_NS;
    addRow(builder, 'marks', { time: ns, pid, kind: 'iteration', iteration: step });
    if (step === 1 || step % 9 === 0) {
      addRow(builder, 'counters', { time: ns, pid, name: 'history.bytes', value: said(step) });
    }
  }
  for (let ns = 0; ns < end; ns += 0.01 * S) {
    const step = ns / STEP_NS;
    const grown = Math.floor(step) * perStep + step * SAID * truly;
    const rss = 500 * MiB + grown + noise() * 64 * KiB;
    const size = { rss, anon: rss, hwm: rss, pss: rss, pss_estimated: 0 };
    addRow(builder, 'process', { time: ns, pid, ...size });
  }
  addRow(builder, 'marks', { time: end, kind: 'end', name: 'train' });
  return leak(builder.build());
}

/** The history says the same from the first step on. */
const fullRing = (perStep: number) => training(perStep, 0, () => 40 * MiB);

describe('the history that the agent keeps', () => {
  it.each([0.75, 1, 1.25])('is no leak, where it takes %s times what it says', (truly) => {
    expect(training(0, truly).verdict).not.toBe('leak');
  });

  it.each([0.8, 1, 1.2])(
    'hides no leak beside it, where it takes %s times what it says',
    (truly) => {
      const found = training(300 * KiB, truly);
      expect(found.verdict).toBe('leak');
      expect(found.trend!.slope.bytes / KiB).toBeGreaterThan(200);
      expect(found.trend!.slope.bytes / KiB).toBeLessThan(400);
    },
  );

  it('is no leak where its ring is full, and changes all the same', () => {
    const { verdict, because } = fullRing(100 * KiB);
    expect([verdict, because]).toEqual([
      'inconclusive',
      expect.stringMatching(/whose size is known to about half/),
    ]);
    expect(fullRing(400 * KiB).verdict).toBe('leak');
  });

  it('is named as the reason where too little is left to tell', () => {
    expect(training(0, 1.25)).toMatchObject({ verdict: 'inconclusive' });
    expect(training(0, 1.25).because).toMatch(/besides the history that the agent keeps/);
  });
});
