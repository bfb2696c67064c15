import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { layerTag } from '../../src/model/allocations/layer-tag.ts';
import { needs, python } from '../support/programs.ts';
import { highwater, place, readRun } from '../support/recorder.ts';
import { torchPython, whereTorch } from '../support/torch.ts';

const FAKE = resolve('test/fixtures/agent/torch');
const GIB = 1024 ** 3;

async function record(flags: readonly string[], script: string, interpreter = python()) {
  const file = place('train.py');
  writeFileSync(file, script);
  const out = place();
  const words = ['record', '-q', '--before', '0', '--after', '0', ...flags, '-o', out, '--'];
  const path = interpreter === python() ? FAKE : '';
  const done = await highwater([...words, interpreter, file], {
    env: { PYTHONPATH: path },
  });
  return { ...done, out };
}

async function reportOf(path: string): Promise<Report> {
  const { stdout } = await highwater(['report', path, '--json']);
  return JSON.parse(String(stdout)) as Report;
}

const STEPS = `
import time, torch
from torch.optim.optimizer import Optimizer
optimizer = Optimizer()
for _ in range(4):
    time.sleep(0.05)
    optimizer.step()
`;

describe.concurrent('--gpu-limit', () => {
  needs('python3')('holds torch to it, and the recording and the report say so', async () => {
    const { out, stdout, code, stderr } = await record(
      ['--gpu-limit', '24GiB'],
      `${STEPS}\nprint(torch.cuda.fractions)`,
    );
    expect([code, stderr]).toEqual([0, '']);
    // No driver tells what is ours: half a GiB of 24 goes to the context; the other card is not in use.
    expect(String(stdout)).toBe(`{1: ${23.5 / 80}}\n`);
    expect(readRun(out).labels.gpuLimit).toBe('24.0 GiB');
    const { inside } = await reportOf(out);
    expect(inside.gpuLimits).toEqual([
      {
        device: 1,
        allowedBytes: 23.5 * GIB,
        contextBytes: GIB / 2,
        contextKnown: false,
        totalBytes: 80 * GIB,
        processes: 1,
      },
    ]);
    const text = String((await highwater(['report', out])).stdout);
    expect(text).toMatch(
      /GPU limit +torch was held to 23\.5 GiB on device 1, of 80\.0 GiB.*the driver did not tell/,
    );
  });

  needs('python3')('says that it had no effect where nothing uses a card', async () => {
    const { out, stderr } = await record(['--gpu-limit', '24GiB'], 'print(1)');
    expect(stderr).toMatch(/--gpu-limit had no effect/);
    expect((await reportOf(out)).warnings).toContainEqual(
      expect.stringMatching(/^--gpu-limit had no effect/),
    );
  });

  it.each([
    [['--gpu-limit', '24'], /no card has 24 B/],
    [['--gpu-limit', 'much'], /'much' is not a size/],
    [['--gpu-limit', '0'], /no card has 0 B/],
    [['--gpu-limit', '24GiB', '--agent', 'off'], /--gpu-limit needs the agent/],
    [['--layers', '--agent', 'off'], /--layers needs the agent/],
  ])('refuses %j', async (flags, message) => {
    const { code, stderr } = await highwater(['record', ...flags, '--', 'true']);
    expect(code).toBe(125);
    expect(stderr).toMatch(message);
  });

  it('needs a command', async () => {
    const { code, stderr } = await highwater(['record', '--layers', '--duration', '1']);
    expect([code, stderr]).toEqual([125, 'highwater: --layers needs a command\n']);
  });
});

/** Three layers that work and two thousand that never do: to follow them all costs more than so few steps can pay for. */
const TRAIN = `
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10))
model[1].idle = torch.nn.ModuleList(torch.nn.Identity() for _ in range(2000))
adam = torch.optim.Adam(model.parameters())
for _ in range(12):
    adam.zero_grad()
    model(torch.randn(64, 512)).pow(2).mean().backward()
    adam.step()
print(model[0].weight.sum().item().hex())
`;

describe('--layers', () => {
  whereTorch()(
    'tells what each layer holds, and what that cost, without a line in the program',
    async () => {
      const [{ out, code, stdout, stderr }, plain] = await Promise.all([
        record(['--layers'], TRAIN, torchPython()!),
        record([], TRAIN, torchPython()!),
      ]);
      expect([code, stderr]).toEqual([0, '']);
      expect(String(stdout)).toBe(String(plain.stdout));
      const { layers, inside } = await reportOf(out);
      const [model] = layers;
      const first = model!.layers.find(({ layer }) => layer === '0')!;
      const weight = 4 * (512 * 1024 + 1024);
      expect(first.kinds).toMatchObject({ weight, gradient: weight });
      expect(model!.layers.find(({ layer }) => layer === '1')!.kinds.feature_map).toBe(
        4 * 64 * 1024,
      );
      // The model is known from the first step on.
      expect(model!.iterations).toBe(11);
      expect(inside.layers).toMatchObject({ steps: 11, followed: 2, processes: 1 });
      expect(inside.layers!.addedShare).toBeGreaterThan(0);
      const text = String((await highwater(['report', out])).stdout);
      expect(text).toMatch(/layers +hooks took [\d.]+ % of the time: 2 of 11 steps followed/);
      expect((await reportOf(plain.out)).layers).toEqual([]);
    },
    180_000,
  );

  needs('python3')('says that it had no effect where nothing is trained', async () => {
    const { stderr } = await record(['--layers'], 'print(1)');
    expect(stderr).toMatch(/--layers had no effect/);
  });
});

describe("a layer's tag", () => {
  it.each([
    ['fc1 forward #12', { part: 'fc1 forward', iteration: 12 }],
    ['outside the model backward #3', { part: 'outside the model backward', iteration: 3 }],
    ['forward #3', null],
    ['my own tag', null],
    ['fc1 forward', null],
  ])('%s is %j', (text, expected) => expect(layerTag(text)).toEqual(expected));
});

describe('a packed recording', () => {
  needs('python3')('carries the snapshots that its workload left', async () => {
    const snapshot = resolve('test/fixtures/snapshots/oom_batch.pickle.gz');
    const file = place('train.py');
    writeFileSync(file, `${STEPS}\ntorch._C.run_out()\n`);
    const out = place();
    const words = ['record', '-q', '--before', '0', '--after', '0', '-o', out, '--'];
    await highwater([...words, python(), file], {
      env: { PYTHONPATH: FAKE, REAL_SNAPSHOT: snapshot },
    });
    const packed = join(place('packed'), '..', 'packed.hwz');
    expect((await highwater(['pack', out, '-o', packed])).code).toBe(0);
    const [whole, one] = [await reportOf(packed), await reportOf(out)];
    expect(whole.devices[0]?.oom).toBeTruthy();
    expect(whole.devices).toEqual(one.devices);
  });
});
