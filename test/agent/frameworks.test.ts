import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { highwater, open, place, recorded } from '../support/recorder.ts';
import { torchPython, whereTorch } from '../support/torch.ts';

/** Prints what torch says when a card is full, without a traceback: as a program does that catches the error. */
const FULL =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.14 GiB is free.';
const PROGRAM = `
import torch
import loop
layer = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(layer.parameters(), 0.1)
def step():
    layer(torch.randn(2, 4)).sum().backward()
    loop_step(optimizer)
loop_step = loop.step
for i in range(4): step()
print(${JSON.stringify(FULL)}, flush=True)
`;

/** A package where packages are installed, whose file and function are those of a framework's loop. */
async function train(file: string, name: string) {
  const packages = join(place('packages'), 'site-packages');
  const path = join(packages, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `def ${name}(optimizer): optimizer.step()\n`);
  const module = file.replace(/\.py$/, '').replaceAll('/', '.');
  writeFileSync(join(packages, 'loop.py'), `from ${module} import ${name} as step\n`);
  const env = { PYTHONPATH: packages };
  const { folder } = await recorded([], [torchPython()!, '-c', PROGRAM], { env });
  return { folder, facts: report(open(folder)) };
}

describe('the framework whose loop takes the steps', () => {
  whereTorch()('is told by the agent, and advice is in its words', async () => {
    const { folder, facts } = await train('accelerate/optimizer.py', 'step');
    expect(facts.recording.frameworks).toEqual(['accelerate']);
    expect(facts.outOfMemory[0]?.frameworks).toEqual(['accelerate']);
    const { stdout } = await highwater(['report', folder]);
    expect(String(stdout)).toContain('steps are taken by Accelerate');
    expect(facts.verdict.fixes.map(({ what }) => what).join('\n')).toContain(
      'Accelerator(gradient_accumulation_steps=2)',
    );
  });

  whereTorch()('is none where another function of another package takes them', async () => {
    const { facts } = await train('accelerated/optimizer.py', 'step');
    expect(facts.recording.frameworks).toBeUndefined();
    expect(facts.outOfMemory[0]?.frameworks).toBeUndefined();
  });
});
