import '@tensorflow/tfjs-backend-cpu';
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, it } from 'vitest';
import { tags } from '../../src/analyses/tags/index.ts';
import { makeInput } from '../../src/formats/input.ts';
import { memoryEvents } from '../../src/formats/mxnet/lines.ts';
import { mxnetLog } from '../../src/formats/mxnet/log.ts';
import type { Recording } from '../../src/model/recording.ts';
import { logAllocations } from '../../src/sdk/tags/index.ts';

beforeAll(async () => {
  tf.enableProdMode();
  await tf.setBackend('cpu');
});

const analysed = (text: string) =>
  tags(mxnetLog.read!(makeInput('x.log', () => [Buffer.from(text)])) as Recording);

/** What goes to stderr while something runs. */
function logged(work: (lines: () => string) => void, model?: tfl.LayersModel): string {
  const { write } = process.stderr;
  let text = '';
  process.stderr.write = (words: unknown) => {
    text += String(words);
    return true;
  };
  const stop = logAllocations(tf, model);
  try {
    work(() => text);
  } finally {
    stop();
    process.stderr.write = write;
  }
  return text;
}

/** How many storages are live after the lines, and their bytes. */
function live(text: string) {
  const sum = { storages: 0, bytes: 0 };
  for (const event of text.split('\n').flatMap(memoryEvents)) {
    if (event.kind !== 'allocate' && event.kind !== 'release') throw new Error(event.kind);
    const sign = event.kind === 'allocate' ? 1 : -1;
    sum.storages += sign;
    sum.bytes += sign * event.bytes;
  }
  return sum;
}

const allocated = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.includes(' Allocate '))
    .map((line) => line.replace(/^.*\(|\)\.$/g, ''));

function small() {
  return tfl.sequential({
    layers: [
      tfl.layers.dense({ name: 'first', units: 8, inputShape: [4] }),
      tfl.layers.batchNormalization({ name: 'norm' }),
      tfl.layers.leakyReLU({ name: 'leaky' }),
      tfl.layers.dense({ name: 'second', units: 1 }),
    ],
  });
}

function step(model: tfl.LayersModel, optimizer: tf.Optimizer): void {
  tf.tidy(() => {
    const x = tf.ones<tf.Rank.R2>([16, 4]);
    optimizer.minimize(() => tf.mean(tf.square(model.apply(x, { training: true }) as tf.Tensor)));
  });
}

describe('logAllocations', () => {
  it('tells every storage that the engine has, and what it is', () => {
    const before = tf.memory().numDataBuffers;
    const text = logged(() => {
      const model = small();
      const optimizer = tf.train.adam(0.1);
      for (let i = 0; i < 3; i++) step(model, optimizer);
    });
    expect(live(text).storages).toBe(tf.memory().numDataBuffers - before);
    const found = new Set(allocated(text));
    for (const tag of [
      'in_arg:first/kernel',
      'in_arg:second/bias',
      'aux_state:norm/moving_mean',
      'arg_grad:first/kernel',
      'arg_grad:norm/gamma',
      'arg_grad:second/bias',
      '_optimizer_state_first/kernel',
      '_optimizer_update_first/kernel',
      'forward_features:leaky@leakyrelu',
    ]) {
      expect(found).toContain(tag);
    }
    const { unmatched, categories, peak } = analysed(text);
    expect(unmatched).toEqual([]);
    const weights = 4 * (4 * 8 + 8 + 2 * 8 + 8 + 1);
    const category = (key: string) => categories.find((one) => one.category === key)!;
    expect(category('arg_grad').bytes).toBe(3 * weights);
    expect(peak!.bytes).toBeGreaterThan(4 * weights);
    // Of what is left, weights and Adam's two moments are most.
    expect(live(text).bytes).toBeGreaterThanOrEqual(3 * weights);
  });

  it('begins with the weights that are there already, by name', () => {
    const model = tfl.sequential({
      layers: [tfl.layers.dense({ name: 'early', units: 3, inputShape: [5] })],
    });
    const text = logged(() => {}, model);
    expect(text).toContain('[mem] Allocate 60 bytes CPU memory (in_arg:early/kernel).\n');
    model.dispose();
  });

  it('adds up gradients of weights that are used twice', () => {
    const w = tf.variable(tf.ones([64]), true, 'tied');
    const text = logged(() => {
      const { grads } = tf.variableGrads(() => tf.sum(tf.mul(tf.exp(w), tf.sin(w))) as tf.Scalar);
      tf.dispose(grads);
    });
    expect(allocated(text).filter((tag) => tag === 'arg_grad:tied').length).toBe(3);
    w.dispose();
  });

  it('leaves the engine as it was, and goes on after an error of the program', () => {
    tf.disposeVariables();
    const engine = tf.engine() as unknown as Record<string, unknown>;
    const text = logged(() => {
      expect(Object.hasOwn(engine, 'trackTensor')).toBe(true);
      expect(() => tf.tidy(() => tf.matMul(tf.ones([2, 3]), tf.ones([2, 3])))).toThrow();
      tf.tidy(() => tf.add(tf.ones([3]), 1)).dispose();
    });
    expect(text).toContain('(forward_features:@add)');
    for (const name of ['trackTensor', 'removeDataId', 'incRef', 'runKernel', 'addTapeNode']) {
      expect(Object.hasOwn(engine, name)).toBe(false);
    }
    expect(live(text).storages).toBe(0);
  });
});

function program(
  args: string[],
  env: NodeJS.ProcessEnv,
  interruptAfter = Number.POSITIVE_INFINITY,
) {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => {
    out += bytes;
  });
  child.stderr.on('data', (bytes: Buffer) => {
    err += bytes;
    if (err.length > interruptAfter) child.kill('SIGINT');
  });
  return new Promise<{ code: number | null; signal: string | null; out: string; err: string }>(
    (done) => child.on('close', (code, signal) => done({ code, signal, out, err })),
  );
}

describe('HIGHWATER_TAGS=1', () => {
  const TRAIN = ['--import', `file://${resolve('dist/index.js')}`, resolve('test/tags/train.mjs')];

  it('works for a program that does not know of it', async () => {
    const { code, out, err } = await program(TRAIN, { HIGHWATER_TAGS: '1' });
    expect(code).toBe(0);
    expect(out).toBe(`buffers ${live(err).storages}\n`);
    expect(allocated(err)).toContain('forward_features:leaky@leakyrelu');
    expect(allocated(err)).toContain('in_arg:second/kernel');
    expect(analysed(err).unmatched).toEqual([]);
  });

  it('is silent when not asked', async () => {
    expect((await program(TRAIN, { HIGHWATER_TAGS: '0' })).err).toBe('');
  });

  it('a training that is interrupted leaves a log that can be analysed', async () => {
    const lenet = ['--import', 'tsx', 'examples/lenet/main.ts', '--batch', '1'];
    const { signal, err } = await program(lenet, { HIGHWATER_TAGS: '1' }, 15_000);
    expect(signal).toBe('SIGINT');
    const { totals, peak, unmatched } = analysed(err);
    expect(unmatched).toEqual([]);
    expect(totals.weightsBytes).toBeGreaterThanOrEqual(2 * 431_080 * 4);
    expect(peak!.bytes).toBeLessThan(totals.bytes);
  });
});
