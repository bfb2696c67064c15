import { describe, expect, it } from 'vitest';
import { type Report, report } from '../../src/analyses/report.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { requestFacts, shapeRows } from '../../src/views/report/requests.ts';
import { addRow } from '../support/rows.ts';

const SECOND = 1e9;
const PREFILL = { what: 'forward', module: 'Net', shape: '[1, 900]', passes: 2, tokens: 1800 };
const DECODE = { what: 'forward', module: 'Net', shape: '[8, 1]', passes: 50, tokens: 400 };

function served(more: (builder: RecordingBuilder) => void = () => {}) {
  const builder = new RecordingBuilder({ id: 'run', name: 'run' });
  for (const time of [1, 2, 3].map((seconds) => seconds * SECOND)) {
    const spent = { spent: 5e8, longest: 2e7 };
    addRow(builder, 'passes', { time, pid: 7, ...DECODE, ...spent, peak: 0, before: 0 });
    const highest = time === 2 * SECOND ? { peak: 5000, before: 1200 } : { peak: 0, before: 0 };
    addRow(builder, 'passes', { time, pid: 7, ...PREFILL, ...spent, ...highest });
    addRow(builder, 'passes', { time, pid: 7, what: 'replay', module: 'CUDAGraph', passes: 40 });
  }
  more(builder);
  return report(builder.build());
}

describe('what was served', () => {
  it('is counted in forward passes, by shape, with the input that made the peak', () => {
    const told = served();
    expect(told.requests).toMatchObject({
      unit: 'forward',
      count: 156,
      perSecond: 78,
      forwardPasses: 156,
      graphReplays: 120,
      tokens: 3 * 2200,
      peak: { bytes: 5000, addedBytes: 3800, shape: '[1, 900]', module: 'Net' },
      shapeCount: 2,
    });
    const [first, second] = told.requests!.shapes;
    expect(first).toMatchObject({ shape: '[1, 900]', passes: 6, tokens: 5400, meanSeconds: 0.25 });
    expect(second).toMatchObject({ shape: '[8, 1]', passes: 150, peakBytes: null });
    const facts = new Map(requestFacts(told));
    expect(facts.get('counted')).toBe('156 forward passes, 78.0 a second');
    expect(facts.get('peak')).toContain('in Net of [1, 900]');
    expect(facts.get('not seen')).toMatch(/^inputs of 120 replays/);
    expect(shapeRows(told).body).toHaveLength(2);
  });

  it('says what share of the time was watched, and how many passes that makes', () => {
    const told = { watched_ns: 3 * SECOND, known_ns: 30 * SECOND, about: 1560 };
    const { requests } = served((builder) => {
      const say = (time: number, pid: number, share: number) => {
        for (const [name, all] of Object.entries(told)) {
          addRow(builder, 'counters', { time, pid, name: `passes.${name}`, value: all * share });
        }
      };
      say(1, 7, 0.5);
      say(2, 7, 1);
      say(3, 8, 0.1);
    });
    expect(requests).toMatchObject({ count: 156, watched: 0.1, forwardEstimate: 1560 });
    expect(requests!.perSecond).toBeCloseTo(1560 / 30);
    const facts = new Map(requestFacts({ requests } as Report));
    expect(facts.get('watched')).toMatch(/^10 % of the time.*about 1,600 forward passes in all$/);
    expect(facts.get('peak')).toMatch(/of the passes that were watched$/);
    expect(new Map(requestFacts(served())).has('watched')).toBe(false);
  });

  it('counts the module that takes longest, not the one that is called most', () => {
    const loss = { what: 'forward', module: 'Loss', shape: '[8]', passes: 900, spent: 9e6 };
    const { requests } = served((builder) =>
      addRow(builder, 'passes', { time: 3 * SECOND, pid: 7, ...loss }),
    );
    expect(requests).toMatchObject({ count: 156, forwardPasses: 1056 });
  });

  it('is counted in requests where the log names them, by the form of line there is most of', () => {
    const { requests } = served((builder) => {
      for (let iteration = 1; iteration <= 12; iteration++) {
        for (const name of iteration < 12 ? ['received', 'answered'] : ['received']) {
          const time = iteration * SECOND;
          addRow(builder, 'marks', { time, kind: 'request', name, iteration });
        }
      }
    });
    expect(requests).toMatchObject({ unit: 'request', count: 12, forwardPasses: 156 });
    expect(requests!.perSecond).toBeCloseTo(12 / 11);
  });

  it('is nothing where the process trains, or where nothing ran', () => {
    const step = { time: SECOND, pid: 7, kind: 'step', name: '', iteration: 1 };
    expect(served((builder) => addRow(builder, 'marks', step)).requests).toBeNull();
    const said = { time: SECOND, pid: 7, name: 'passes.training', value: 1 };
    expect(served((builder) => addRow(builder, 'counters', said)).requests).toBeNull();
    const logged = new RecordingBuilder({ id: 'run', name: 'run' });
    addRow(logged, 'marks', { ...step });
    addRow(logged, 'marks', { time: SECOND, kind: 'request', name: 'answered', iteration: 40 });
    expect(report(logged.build()).requests).toBeNull();
    expect(report(new RecordingBuilder({ id: 'run', name: 'run' }).build()).requests).toBeNull();
  });
});
