import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devices } from '../../src/analyses/allocations/index.ts';
import { outOfMemory } from '../../src/analyses/out-of-memory.ts';
import { outOfMemoryVerdict } from '../../src/analyses/verdict/out-of-memory.ts';
import { MiB } from '../../src/base/bytes.ts';
import { CrashReader } from '../../src/formats/log-lines/crash-text.ts';
import { LineMarker } from '../../src/formats/log-lines/marker.ts';
import { FRAMEWORKS, frameworksIn, switchesOf } from '../../src/model/frameworks.ts';
import { smallSnapshot } from '../allocations/small-snapshot.ts';
import { highwater, recorded } from '../support/recorder.ts';

/** Tracebacks of real runs (test/fixtures/frameworks/make.py). */
const text = (name: string) => readFileSync(`test/fixtures/frameworks/${name}.txt`, 'utf8');

function read(lines: string) {
  const reader = new CrashReader();
  for (const line of lines.split('\n')) reader.push(line);
  const result = outOfMemory(reader.end('train.log'));
  return {
    frameworks: result.main?.frameworks ?? [],
    fixes: outOfMemoryVerdict(result).fixes.map(({ what }) => what),
  };
}

describe('advice in the words of the framework that runs', () => {
  it.each([
    ['transformers-5.22.2', ['transformers'], 'per_device_train_batch_size'],
    ['transformers-5.22.2', ['transformers'], 'gradient_checkpointing=True'],
    ['lightning-2.6.6', ['lightning'], 'Trainer(accumulate_grad_batches=2)'],
    ['keras-3.15.1', ['keras'], 'fit(batch_size=…)'],
    ['accelerate-1.15.0', ['accelerate'], 'Accelerator(gradient_accumulation_steps=2)'],
    ['deepspeed-0.19.8', ['deepspeed'], 'train_micro_batch_size_per_gpu halved'],
    ['fsdp-torch-2.11.0', ['fsdp'], 'mp_policy=MixedPrecisionPolicy(…) of fully_shard'],
    ['diffusers-0.42.1', ['diffusers'], 'pipe.vae.enable_tiling()'],
  ])('%s: %s, %s', (file, frameworks, words) => {
    const found = read(text(file));
    expect(found.frameworks).toEqual(frameworks);
    expect(found.fixes.join('\n')).toContain(words);
  });

  it('ranks and boxes around the lines do not matter', () => {
    const lines = text('transformers-5.22.2').split('\n');
    expect(read(lines.map((line) => `[rank3]: ${line}`).join('\n')).frameworks).toEqual([
      'transformers',
    ]);
    const rich =
      '│ /venv/lib/python3.11/site-packages/lightning/pytorch/loops/fit_loop.py:217 in run │\n';
    const [, message] = split(text('lightning-2.6.6'));
    expect(read(rich + message).frameworks).toEqual(['lightning']);
  });

  it("a module that is only loaded, or a loop of the program's own of that name, is none", () => {
    const plain = read(text('plain-loaded'));
    expect(plain.frameworks).toEqual([]);
    expect(plain.fixes.join('\n')).toContain('a smaller batch, recomputed activations');
    const imports = { file: '/lib/site-packages/transformers/trainer.py', function: '<module>' };
    const own = { file: '/home/me/trainer.py', function: 'train' };
    expect(frameworksIn([imports, own])).toEqual([]);
  });

  it('an earlier traceback, or one far above, says nothing about a message', () => {
    const [frames, message] = split(text('transformers-5.22.2'));
    expect(
      read(`${frames}\nValueError: no\nTraceback (most recent call last):\n${message}`).frameworks,
    ).toEqual([]);
    expect(read(`${frames}\n${'step\n'.repeat(80)}${message}`).frameworks).toEqual([]);
  });

  it('the owner of the loop speaks, and those below it where it has no word', () => {
    const both = switchesOf(['transformers', 'deepspeed']);
    expect(both.filter((line) => line.startsWith('in Hugging Face Trainer'))).toHaveLength(4);
    expect(switchesOf(['lightning', 'deepspeed']).at(-1)).toMatch(
      /^in DeepSpeed: zero_optimization/,
    );
    expect(switchesOf([])).toEqual([]);
  });

  it('a snapshot tells by the stack of the request that failed', async () => {
    const lib = '/venv/lib/python3.11/site-packages';
    const forward = 'forward /home/me/model.py:7';
    const backward = ['backward /venv/torch/autograd/__init__.py:9', 'train /home/me/train.py:3'];
    const asked = (...calls: string[]) =>
      smallSnapshot([
        { size: 400 * MiB, calls: [forward, ...calls] },
        { size: 200 * MiB, calls: [forward, ...calls], oom: true },
      ]).then((recording) => devices(recording)[0]!.oom!);
    const trainer = await asked(`training_step ${lib}/transformers/trainer.py:2062`);
    expect(trainer.frameworks).toEqual(['transformers']);
    expect(JSON.stringify(trainer.fixes)).toMatch(/in Hugging Face Trainer: TrainingArguments/);
    const plain = await asked(...backward);
    expect(plain.frameworks).toEqual([]);
    expect(plain.fixes.map(({ id }) => id)).toEqual(trainer.fixes.map(({ id }) => id));
    expect(JSON.stringify(plain.fixes)).not.toContain('Hugging Face');
  });

  it('a recording tells by the traceback that the program printed', async () => {
    const script = 'cat "$0" >&2; exit 1';
    const print = (name: string) => [
      ...['sh', '-c', script],
      resolve(`test/fixtures/frameworks/${name}.txt`),
    ];
    const advised = async (name: string) => {
      const { folder, code } = await recorded([], print(name));
      expect(code).toBe(1);
      const { stdout } = await highwater(['report', folder, '--json']);
      const { verdict, outOfMemory: said } = JSON.parse(String(stdout));
      return { frameworks: said[0].frameworks, fixes: JSON.stringify(verdict.fixes) };
    };
    const trainer = await advised('transformers-5.22.2');
    expect(trainer.frameworks).toEqual(['transformers']);
    expect(trainer.fixes).toContain('TrainingArguments(per_device_train_batch_size=…)');
    const plain = await advised('plain-loaded');
    expect(plain.frameworks).toBeUndefined();
    expect(plain.fixes).toContain('a smaller batch');
  });

  it('a traceback long before the message is not its own', () => {
    const [frames, message] = split(text('transformers-5.22.2'));
    const frameworks = (between: readonly string[]) => {
      const marker = new LineMarker();
      const lines = [...frames.split('\n'), ...between, ...message.split('\n')];
      // As a recorder does: a line that counts on is not looked into.
      const marks = lines.flatMap((line) => (marker.next(line) === null ? marker.feed(line) : []));
      return marks.find(({ kind }) => kind === 'oom')?.oom?.frameworks ?? [];
    };
    const steps = Array.from({ length: 80 }, (_, i) => `step ${i + 1}/100 loss 0.${i + 10}`);
    expect(frameworks([])).toEqual(['transformers']);
    expect(frameworks(steps)).toEqual([]);
    expect(frameworks(steps.map(() => 'nothing'))).toEqual([]);
  });

  it('docs/frameworks.md has the whole table', () => {
    const page = readFileSync('docs/frameworks.md', 'utf8');
    for (const { name, switches } of FRAMEWORKS) {
      expect(page).toContain(`| ${name} |`);
      for (const words of Object.values(switches)) expect(page).toContain(words);
    }
  });
});

function split(whole: string): [string, string] {
  const at = whole.indexOf('torch.OutOfMemoryError:');
  return [whole.slice(0, at), whole.slice(at)];
}
