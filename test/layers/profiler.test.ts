import '@tensorflow/tfjs-backend-cpu';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { installKernels } from '../../examples/lenet/kernels/overrides.ts';
import { createLeNet, forward } from '../../examples/lenet/model.ts';
import { logAllocations, MemoryProfiler, type ProfilerOptions } from '../../src/index.ts';

beforeAll(async () => {
  tf.enableProdMode();
  installKernels();
  await tf.setBackend('cpu');
});

let open: MemoryProfiler[] = [];
afterEach(() => {
  for (const profiler of open) profiler.close();
  open = [];
  tf.disposeVariables();
});

function profile(model: tfl.LayersModel, options: ProfilerOptions = {}) {
  let text = '';
  const print = (words: string) => {
    text += words;
  };
  const profiler = new MemoryProfiler(model, { print, ...options });
  open.push(profiler);
  return { profiler, printed: () => text };
}

const BATCH = 4;
const F32 = 4;

/** One step of LeNet as the example makes it. */
function step(model: tfl.Sequential, optimizer: tf.Optimizer, hear = () => {}): number {
  return tf.tidy(() => {
    const images = tf.ones([BATCH, 28, 28, 1]);
    const labels = tf.oneHot(tf.tensor1d([1, 2, 3, 4], 'int32'), 10);
    const loss = optimizer.minimize(() => {
      const logits = forward(model, images).get('ip2')!;
      const value = tf.losses.softmaxCrossEntropy(labels, logits) as tf.Scalar;
      hear();
      return value;
    }, true)!;
    return loss.dataSync()[0]!;
  });
}

/** Parameters of LeNet, from its description alone. */
const PARAMETERS = {
  'conv1/kernel': 5 * 5 * 1 * 20,
  'conv1/bias': 20,
  'conv2/kernel': 5 * 5 * 20 * 50,
  'conv2/bias': 50,
  'ip1/kernel': 4 * 4 * 50 * 500,
  'ip1/bias': 500,
  'ip2/kernel': 500 * 10,
  'ip2/bias': 10,
};
const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);

describe('MemoryProfiler on LeNet', () => {
  it('tells weights, gradients, slots and feature maps to the byte', () => {
    const model = createLeNet(1);
    const optimizer = tf.train.adam(0.001);
    const { profiler } = profile(model, { optimizer });
    // What autodiff has saved at the end of the forward pass, counted from its own tape.
    let saved = 0;
    step(model, optimizer, () => {
      const weights = new Set(model.weights.map((weight) => (weight.read() as tf.Tensor).dataId));
      const tape = (tf.engine().state as unknown as { activeTape: { saved: tf.Tensor[] }[] })
        .activeTape;
      const tensors = tape
        .flatMap((node) => node.saved)
        .filter(({ dataId }) => !weights.has(dataId));
      const shown = new Map(tensors.map((one) => [one.dataId, one.size * F32]));
      saved = sum([...shown.values()]);
    });
    profiler.recordStats();
    const stats = profiler.stats();
    for (const [name, elements] of Object.entries(PARAMETERS)) {
      expect(stats[`memory/weight/${name}`]).toBe(elements * F32);
      expect(stats[`memory/gradient/${name}`]).toBe(elements * F32);
      expect(stats[`memory/optimizer/${name}`]).toBe(2 * elements * F32);
    }
    const total = sum(Object.values(PARAMETERS)) * F32;
    expect(stats['memory/total_weight_usage']).toBe(total);
    // Adam also counts its own two powers of beta.
    expect(stats['memory/total_optimizer_state_usage']).toBe(2 * total + 2 * F32);
    expect(stats['memory/feature_map/conv1']).toBe(BATCH * 24 * 24 * 20 * F32);
    expect(stats['memory/feature_map/pool1']).toBe(BATCH * 12 * 12 * 20 * F32);
    expect(stats['memory/feature_map/conv2']).toBe(BATCH * 8 * 8 * 50 * F32);
    expect(stats['memory/feature_map/pool2']).toBe(BATCH * 4 * 4 * 50 * F32);
    // Before and after the bias, and after relu.
    expect(stats['memory/feature_map/ip1']).toBe(3 * BATCH * 500 * F32);
    const images = BATCH * 28 * 28 * F32;
    // All that the tape holds but the images, and the loss.
    expect(stats['memory/total_feature_map_usage']).toBe(saved - images + F32);
    model.dispose();
  });

  it('agrees with the engine on what is live, and its parts add up to the peak', () => {
    const before = tf.memory().numBytes;
    const model = createLeNet(1);
    const { profiler } = profile(model);
    const optimizer = tf.train.adagrad(0.01);
    for (let i = 0; i < 2; i++) {
      step(model, optimizer);
      profiler.recordStats();
    }
    const stats = profiler.stats();
    expect(stats['memory/current_allocated']).toBe(tf.memory().numBytes - before);
    const parts = Object.entries(stats).filter(([key]) => key.startsWith('memory/at_peak/'));
    expect(sum(parts.map(([, bytes]) => bytes))).toBe(stats['memory/peak']);
    // Nobody showed it the optimizer.
    expect(stats['memory/total_optimizer_state_usage']).toBe(sum(Object.values(PARAMETERS)) * F32);
    model.dispose();
  });

  it('changes no result, keeps no tensor, and leaves nothing behind', () => {
    const engine = tf.engine() as unknown as object;
    const losses = (profiled: boolean) => {
      const model = createLeNet(3);
      const optimizer = tf.train.momentum(0.05, 0.9);
      const profiler = profiled ? profile(model, { optimizer }).profiler : null;
      const counts: number[] = [];
      const values = Array.from({ length: 6 }, () => {
        const loss = step(model, optimizer);
        profiler?.recordStats();
        counts.push(tf.memory().numTensors);
        return loss;
      });
      profiler?.close();
      model.dispose();
      optimizer.dispose();
      expect(new Set(counts.slice(1)).size).toBe(1);
      return [...values, counts[3]! - counts[1]!];
    };
    expect(losses(true)).toEqual(losses(false));
    for (const name of ['trackTensor', 'gradients', 'runKernel', 'addTapeNode']) {
      expect(Object.hasOwn(engine, name)).toBe(false);
    }
  });
});

describe('MemoryProfiler', () => {
  const dense = () =>
    tfl.sequential({
      layers: [
        tfl.layers.dense({ name: 'first', units: 8, inputShape: [4] }),
        tfl.layers.batchNormalization({ name: 'norm' }),
        tfl.layers.dense({ name: 'second', units: 1 }),
      ],
    });

  async function train(model: tfl.LayersModel): Promise<void> {
    const [x, y] = [tf.ones([16, 4]), tf.ones([16, 1])];
    await model.trainOnBatch(x, y);
    tf.dispose([x, y]);
  }

  it('works with a compiled model, and knows what is not trained', async () => {
    const model = dense();
    model.compile({ optimizer: 'rmsprop', loss: 'meanSquaredError' });
    const { profiler, printed } = profile(model);
    await train(model);
    profiler.recordStats();
    expect(profiler.stats()).toMatchObject({
      'memory/weight/first/kernel': 4 * 8 * F32,
      'memory/gradient/norm/gamma': 8 * F32,
      'memory/buffer/norm/moving_mean': 8 * F32,
      // The mean of squares, and the momentum.
      'memory/optimizer/first/kernel': 2 * 4 * 8 * F32,
    });
    expect(printed()).toContain('  norm/moving_mean');
    model.dispose();
  });

  it('names what is never disposed of, by layer and line', async () => {
    const model = dense();
    model.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
    const { profiler, printed } = profile(model);
    const kept: tf.Tensor[] = [];
    for (let i = 0; i < 4; i++) {
      await train(model);
      kept.push(tf.ones([100]));
      kept.push(model.layers[0]!.apply(tf.ones([2, 4])) as tf.Tensor);
      profiler.recordStats();
    }
    const names = Object.entries(profiler.stats()).filter(([key]) =>
      key.startsWith('memory/kept/'),
    );
    const line = String.raw`test/layers/profiler\.test\.ts:\d+`;
    expect(names.map(([key]) => key)).toEqual([
      expect.stringMatching(`^memory/kept/${line}$`),
      expect.stringMatching(`^memory/kept/${line}$`),
      expect.stringMatching(`^memory/kept/first at ${line}$`),
    ]);
    expect(names.map(([, bytes]) => bytes)).toEqual([
      3 * 100 * F32,
      3 * 2 * 4 * F32,
      3 * 2 * 8 * F32,
    ]);
    expect(printed()).toContain('Kept from earlier iterations');
    tf.dispose(kept);
    model.dispose();
  });

  it('counts a weight that two layers share once', () => {
    const shared = tfl.layers.dense({ name: 'tied', units: 4, inputShape: [4] });
    const input = tfl.input({ shape: [4] });
    const twice = shared.apply(shared.apply(input)) as tfl.SymbolicTensor;
    const model = tfl.model({ inputs: input, outputs: twice });
    const { profiler } = profile(model);
    tf.tidy(() => {
      const x = tf.ones([2, 4]);
      tf.train.sgd(0.1).minimize(() => tf.mean(model.apply(x) as tf.Tensor) as tf.Scalar);
    });
    profiler.recordStats();
    const stats = profiler.stats();
    expect(stats['memory/total_weight_usage']).toBe((16 + 4) * F32);
    expect(stats['memory/gradient/tied/kernel']).toBe(16 * F32);
    model.dispose();
  });

  it('prints every so often, 43 columns wide, and counts anew in each epoch', async () => {
    const model = dense();
    model.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
    const { profiler, printed } = profile(model, { printPeriod: 2 });
    for (let i = 0; i < 3; i++) {
      await train(model);
      profiler.recordStats();
    }
    profiler.epochEnd();
    for (let i = 0; i < 2; i++) {
      await train(model);
      profiler.recordStats();
    }
    const lines = printed().trimEnd().split('\n');
    expect(lines.slice(0, 3)).toEqual([
      '*'.repeat(43),
      'Memory Usage for Iteration 2 of Epoch 1',
      '*'.repeat(43),
    ]);
    expect(lines.filter((text) => / (of Epoch|finished)/.test(text))).toEqual([
      'Memory Usage for Iteration 2 of Epoch 1',
      'Epoch 1 finished',
      'Memory Usage for Iteration 2 of Epoch 2',
    ]);
    const rows = lines.filter((text) => text.endsWith(' MB'));
    expect(rows.length).toBeGreaterThan(20);
    expect(new Set(rows.map((text) => text.length))).toEqual(new Set([43]));
    // Without a GPU there is no cache to measure.
    expect(lines[3]).toBe(`Peak cached${'.'.repeat(28)}none`);
    expect(lines).toContain('(1 MB = 1,000,000 bytes)');
    model.dispose();
  });

  it('writes a CSV with the same columns in every row', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'profiler-'));
    const before = process.cwd();
    process.chdir(folder);
    try {
      const model = dense();
      model.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
      const { profiler } = profile(model, { csv: true });
      profiler.recordStats();
      await train(model);
      profiler.recordStats();
      const [file] = readdirSync('memory_csv_data');
      expect(file).toMatch(/^\d{14}\.csv$/);
      const [head, first, second] = readFileSync(join('memory_csv_data', file!), 'utf8').split(
        '\n',
      );
      expect(head).toMatch(
        /^epoch,iteration,peak_cached,current_cached,total_feature_map_usage,total_weight_usage,first\/kernel,.*,total_layer_weight_gradient_usage,first\/kernel_grad,.*,intermediate_gradients,/,
      );
      const cells = [head, first, second].map((line) => line!.split(','));
      expect(new Set(cells.map((one) => one.length)).size).toBe(1);
      const column = cells[0]!.indexOf('total_layer_weight_gradient_usage_bytes');
      const weights = (4 * 8 + 8 + 2 * 8 + 8 + 1) * F32;
      expect([cells[1]![column], cells[2]![column]]).toEqual(['0', String(weights)]);
      expect(head).toContain(',peak_at,norm/moving_mean_buffer_bytes,');
      model.dispose();
    } finally {
      process.chdir(before);
      rmSync(folder, { recursive: true });
    }
  });

  it.each<[unknown, unknown, string]>([
    [undefined, {}, 'needs a TensorFlow.js LayersModel'],
    [{ layers: 3 }, {}, 'needs a TensorFlow.js LayersModel'],
    ['model', { printPeriod: 0 }, 'printPeriod is a whole number of at least 1, not 0'],
    ['model', { printPeriod: 1.5 }, 'printPeriod is a whole number'],
    ['model', { printPeriod: '5' }, 'printPeriod is a whole number of at least 1, not "5"'],
    ['model', { csv: 'yes' }, 'csv is true or false'],
    ['model', { print_period: 5 }, "no option 'print_period'"],
    ['model', { optimizer: 'adam' }, 'optimizer is an optimizer'],
    ['model', null, 'options of MemoryProfiler are an object'],
  ])('refuses %j with %j before training', (model, options, message) => {
    const given = (model === 'model' ? dense() : model) as object;
    expect(() => new MemoryProfiler(given, options as ProfilerOptions)).toThrow(message);
    expect(Object.hasOwn(tf.engine(), 'trackTensor')).toBe(false);
  });

  it('works beside the allocation lines, whichever ends first', async () => {
    const { write } = process.stderr;
    let lines = '';
    process.stderr.write = (words: unknown) => {
      lines += String(words);
      return true;
    };
    try {
      const model = dense();
      model.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
      const stop = logAllocations(tf, model);
      const { profiler } = profile(model);
      await train(model);
      stop();
      const before = lines.length;
      await train(model);
      profiler.recordStats();
      expect(lines).toContain('arg_grad:first/kernel');
      expect(lines.length).toBe(before);
      expect(profiler.stats()['memory/gradient/first/kernel']).toBe(4 * 8 * F32);
      profiler.close();
      expect(Object.hasOwn(tf.engine(), 'trackTensor')).toBe(false);
      model.dispose();
    } finally {
      process.stderr.write = write;
    }
  });

  it('goes on after an exception in a step', async () => {
    const model = dense();
    model.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
    const { profiler } = profile(model);
    expect(() => tf.tidy(() => model.layers[0]!.apply(tf.ones([2, 5])) as tf.Tensor)).toThrow();
    await train(model);
    profiler.recordStats();
    expect(profiler.stats()['memory/feature_map/first']).toBeGreaterThan(0);
    model.dispose();
  });
});
