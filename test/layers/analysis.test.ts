import { describe, expect, it } from 'vitest';
import { compare } from '../../src/analyses/compare/index.ts';
import { layerAccounting } from '../../src/analyses/layers/accounting.ts';
import { layers } from '../../src/analyses/layers/index.ts';
import { report } from '../../src/analyses/report.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { layerBarsChart } from '../../src/views/chart/bars/layer-bars.ts';
import { sceneSvg } from '../../src/views/chart/svg.ts';
import { accountingChart } from '../../src/views/chart/timeline/accounting.ts';
import { comparisonText } from '../../src/views/compare/comparison.ts';
import { reportMarkdown } from '../../src/views/report/markdown.ts';
import { reportText } from '../../src/views/report/text.ts';
import { addRow } from '../support/rows.ts';

type Row = [name: string, kind: string, bytes: number | null];
const MS = 1e6;

/** A process of `pid` that tells `rowsOf(i)` at the end of iteration i, 100 ms each, with its RSS. */
function training(
  iterations: number,
  rowsOf: (iteration: number) => Row[],
  { rss = (_ms: number): number => 1000, pid = 7, name = 'run', epochs = [] as number[] } = {},
) {
  const builder = new RecordingBuilder({ id: name, name, subject: 'command', rootPid: pid });
  addRow(builder, 'marks', { time: 0, time_from: TIME_FROM.agent, pid, kind: 'start' });
  for (let ms = 0; ms <= iterations * 100; ms += 10) {
    addRow(builder, 'process', { time: ms * MS, pid, rss: rss(ms) });
  }
  for (const [i, ms] of epochs.entries()) {
    const told = { time: ms * MS, time_from: TIME_FROM.agent, pid, kind: 'epoch' };
    addRow(builder, 'marks', { ...told, epoch: i + 1 });
  }
  const said = new Map<string, number | null>();
  for (let i = 1; i <= iterations; i++) {
    const changed = rowsOf(i).filter(([part, kind, bytes]) => {
      const key = `${kind} ${part}`;
      const news = said.get(key) !== bytes;
      said.set(key, bytes);
      return news;
    });
    const rows: Row[] = changed.length > 0 ? changed : [['', 'iteration', null]];
    const now = { time: i * 100 * MS, pid, epoch: 1, iteration: i };
    for (const [name, kind, bytes] of rows)
      addRow(builder, 'layers', { ...now, name, kind, bytes });
  }
  return builder.build();
}

const steady: Row[] = [
  ['conv1/kernel', 'weight', 100],
  ['conv1/bias', 'weight', 10],
  ['mlp.0.weight', 'weight', 50],
  ['conv1/kernel', 'gradient', 100],
  ['conv1', 'feature_map', 300],
];

describe('layers of a recording', () => {
  it('are of the epoch that is marked, where the profiler was told of none', () => {
    const grows = (i: number): Row[] => [['conv1', 'feature_map', i * 100]];
    const epochs = [0, 350, 750];
    const [model] = layers(training(10, grows, { epochs })).models;
    expect(model!.at).toEqual({ epoch: 3, iteration: 10, seconds: 1 });
    const [alone] = layers(training(10, grows)).models;
    expect(alone!.at).toEqual({ epoch: 1, iteration: 10, seconds: 1 });
  });

  it('are those of the iteration that held most, by layer and kind', () => {
    const recording = training(10, (i) => [
      ...steady,
      ['loss', 'feature_map', i === 4 ? 900 : 1],
      ['conv1', 'peak', i === 4 ? 1460 : 561],
    ]);
    const [model] = layers(recording).models;
    expect(model).toMatchObject({
      pid: 7,
      iterations: 10,
      at: { epoch: 1, iteration: 4, seconds: 0.4 },
      peak: { bytes: 1460, layer: 'conv1' },
      totals: [
        { kind: 'weight', bytes: 160, growth: null },
        { kind: 'gradient', bytes: 100, growth: null },
        { kind: 'feature_map', bytes: 1200, growth: null },
      ],
      layers: [
        { layer: 'loss', bytes: 900, kinds: { feature_map: 900 } },
        { layer: 'conv1', bytes: 510, kinds: { weight: 110, gradient: 100, feature_map: 300 } },
        { layer: 'mlp.0', bytes: 50, kinds: { weight: 50 } },
      ],
    });
  });

  it('without a peak of the profiler go by the sum', () => {
    const recording = training(10, (i) => [['a', 'feature_map', i === 6 ? 9 : 3]]);
    expect(layers(recording).models[0]).toMatchObject({ at: { iteration: 6 }, peak: null });
  });

  const growthOf = (bytes: (i: number) => number | null, iterations = 40) =>
    layers(training(iterations, (i) => [['x', 'kept', bytes(i)]])).models[0]!.parts[0]!.growth;

  it('grow every iteration, or again and again, or not', () => {
    expect(growthOf((i) => 100 * i)).toEqual({
      fromBytes: 300,
      toBytes: 4000,
      bytesPerIteration: 100,
      grewIn: 37,
      of: 37,
      pattern: 'every iteration',
    });
    expect(growthOf((i) => 100 * Math.floor(i / 5))).toMatchObject({ pattern: 'again and again' });
    expect(growthOf(() => 100)).toBeNull();
    expect(growthOf((i) => Math.min(i, 20) * 100)).toBeNull();
    expect(growthOf((i) => (i % 2) * 100)).toBeNull();
    expect(growthOf((i) => 100 * i - (i === 20 ? 500 : 0))).toBeNull();
    // All of it is made in the first iterations; a few more iterations say nothing yet.
    expect(growthOf((i) => Math.min(i, 3) * 100)).toBeNull();
    expect(growthOf((i) => 100 * i, 7)).toBeNull();
    expect(growthOf((i) => (i < 4 ? null : 100 * i))).toMatchObject({ fromBytes: 0 });
  });
});

describe('the accounting', () => {
  const parts: Row[] = [
    ['w', 'weight', 200],
    ['b', 'buffer', 20],
    ['w', 'gradient', 200],
    ['w', 'optimizer', 400],
    ['layer', 'feature_map', 500],
    ['', 'cached', 30],
  ];

  it('adds up to the highest RSS of each iteration, with the rest', () => {
    const recording = training(5, () => parts, { rss: (ms) => (ms === 250 ? 5000 : 2000) });
    const [process] = layerAccounting(recording).processes;
    expect([...process!.measured]).toEqual([2000, 2000, 5000, 2000, 2000]);
    const bands = Object.fromEntries(process!.bands.map(({ band, bytes }) => [band, bytes[2]]));
    expect(bands).toEqual({
      parameters: 220,
      gradients: 200,
      optimizer: 400,
      activations: 500,
      cached: 30,
    });
    expect(process!.residue[2]).toBe(5000 - 1350);
    expect(layers(recording).models[0]!.accounting).toMatchObject({
      at: { iteration: 3 },
      measure: 'rss',
      measuredBytes: 5000,
      oneMoment: false,
      residueBytes: 3650,
    });
  });

  it('takes the parts of one moment where the profiler tells them, and splits nothing where they are more than was measured', () => {
    const recording = training(
      5,
      () => [...parts, ['weight', 'at_peak', 200], ['feature_map', 'at_peak', 900]],
      { rss: () => 1000 },
    );
    const found = layers(recording).models[0]!.accounting!;
    expect(found.oneMoment).toBe(true);
    expect(found.bands).toEqual([
      { band: 'parameters', bytes: 200 },
      { band: 'activations', bytes: 900 },
      { band: 'cached', bytes: 30 },
    ]);
    expect(found.residueBytes).toBe(-130);
    const text = reportText(report(recording));
    expect(text).toContain(
      'RSS 1000 B at iteration 1 in epoch 1 is less than its parts together (200 B parameters + 900 B activations + 30 B cached and free = 1.10 KiB), ' +
        'as the two were not read at one moment: how it was split is not known',
    );
    expect(text).not.toContain('−');
  });

  it('is of the GPU where the model is there', () => {
    const builder = new RecordingBuilder({ id: 'g', name: 'g', subject: 'command' });
    for (let i = 1; i <= 3; i++) {
      const rows: Row[] = [
        ['w', 'weight', 100],
        ['cuda:0', 'device', 100],
      ];
      const now = { time: i * MS, pid: 5 };
      for (const [name, kind, bytes] of rows) {
        addRow(builder, 'layers', { ...now, rank: 0, epoch: 1, iteration: i, name, kind, bytes });
      }
      addRow(builder, 'gpu_process', { ...now, gpu: 0, used: 600 });
      addRow(builder, 'gpu_process', { ...now, gpu: 0, pid: 6, used: 9999 });
      addRow(builder, 'gpu_process', { ...now, gpu: 1, used: 400 });
    }
    const [process] = layerAccounting(builder.build()).processes;
    expect(process).toMatchObject({ measure: 'gpu', rank: 0 });
    expect([...process!.residue]).toEqual([900, 900, 900]);
  });

  it('has no figure where nothing was measured', () => {
    const recording = training(3, () => parts, { rss: () => Number.NaN });
    expect(layers(recording).models[0]!.accounting).toBeNull();
  });
});

describe('layers on a page', () => {
  const leaking = training(12, (i) => [
    ...steady,
    ['conv1 at <train>|py:12', 'kept', 1024 * i],
    ['conv1', 'peak', 1024 * i + 560],
  ]);

  it('are named with what grows, in text and in Markdown', () => {
    const text = reportText(report(leaking));
    expect(text).toContain(
      'Layers\n  iteration 12 in epoch 1 (1.20 s), the highest of 12 iterations',
    );
    expect(text).toContain(
      'grows every iteration: kept tensors, conv1 at <train>|py:12, by 1.00 KiB an iteration to 12.0 KiB',
    );
    expect(text).toMatch(/layer +parameters +gradients +activations +kept tensors +in all/);
    const markdown = reportMarkdown(report(leaking));
    expect(markdown).toContain('### Layers');
    expect(markdown).not.toContain('<train>');
  });

  it('say that nothing grows', () => {
    const text = reportText(report(training(12, () => steady)));
    expect(text).toContain('no part of the model grows from iteration to iteration');
  });

  it('are absent where no program told of any', () => {
    const builder = new RecordingBuilder({ id: 'n', name: 'n' });
    expect(report(builder.build()).layers).toEqual([]);
  });

  it('are compared layer by layer', () => {
    const small = training(12, () => steady, { name: 'small' });
    const given = [
      { name: 'small', recording: small },
      { name: 'leaking', recording: leaking },
    ];
    const comparison = compare(given);
    const [difference] = comparison.layers;
    expect(difference).toMatchObject({ a: 'small', b: 'leaking', bAt: { iteration: 12 } });
    expect(difference!.kinds.find(({ kind }) => kind === 'kept')).toEqual({
      kind: 'kept',
      aBytes: null,
      bBytes: 12 * 1024,
      differenceBytes: 12 * 1024,
    });
    const text = comparisonText(comparison);
    expect(text).toContain('Layers: leaking − small');
    expect(text).toMatch(/all parameters +160 B +160 B +same/);
    expect(compare(given, { baseline: 'leaking' }).layers[0]).toMatchObject({ b: 'small' });
  });

  it('are drawn, many layers and long names too', () => {
    const many = training(3, () =>
      Array.from(
        { length: 100 },
        (_, i): Row => [`${'block.'.repeat(20)}${i}.weight`, 'weight', i + 1],
      ),
    );
    const svg = sceneSvg(layerBarsChart(layers(many).models[0]!, { title: 'many' }));
    expect(svg).toContain('71 other layers');
    expect(svg).not.toContain('NaN');
    const areas = (rss: number) => {
      const recording = training(12, () => steady, { rss: () => rss });
      const [process] = layerAccounting(recording).processes;
      return sceneSvg(accountingChart(process!, { title: 'areas' }));
    };
    const below = 'they add up to more than was measured';
    expect(areas(5000)).toContain('rest of the process');
    expect(areas(5000)).not.toContain(below);
    expect(areas(100)).toContain(below);
    expect(areas(Number.NaN)).not.toContain('NaN');
  });
});
