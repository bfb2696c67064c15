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

/** Two ranks on the CPU train a model whose parameters are sharded; the message has no frame of FSDP's above it. */
const SHARDED = `
import sys, torch
import torch.multiprocessing as mp
def shard(model, how):
    if how == 'fully_shard':
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard
        return fully_shard(model, mesh=init_device_mesh('cpu', (2,)))
    from torch.distributed.fsdp import FullyShardedDataParallel as Sharded
    return Sharded(model, device_id=torch.device('cpu'), use_orig_params=how == 'original')
def main(rank, file, how):
    torch.distributed.init_process_group('gloo', init_method='file://' + file, rank=rank, world_size=2)
    model = shard(torch.nn.Linear(8, 8), how)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(3):
        model(torch.randn(2, 8)).sum().backward()
        optimizer.step()
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
    if rank == 0:
        raise torch.OutOfMemoryError(${JSON.stringify(FULL.replace('torch.OutOfMemoryError: ', ''))})
if __name__ == '__main__':
    mp.spawn(main, (sys.argv[1], sys.argv[2]), nprocs=2)
`;

describe('parameters that FSDP has sharded', () => {
  for (const how of ['original', 'fully_shard']) {
    whereTorch()(`are told by the agent, and advice is in its words: ${how}`, async () => {
      const folder = place('sharded');
      mkdirSync(folder, { recursive: true });
      const script = join(folder, 'train.py');
      writeFileSync(script, SHARDED);
      const command = [torchPython()!, script, join(folder, 'group'), how];
      const run = await recorded([], command);
      const facts = report(open(run.folder));
      expect(facts.recording.frameworks).toEqual(['fsdp']);
      const { stdout } = await highwater(['report', run.folder]);
      expect(String(stdout)).toContain('parameters are sharded by FSDP');
      expect(String(stdout)).toMatch(/^ +in FSDP: mixed_precision=/m);
    });
  }
});

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
