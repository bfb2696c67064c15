import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { cleanEnv, highwater, place } from '../support/recorder.ts';
import { torchPython, whereTorch } from '../support/torch.ts';
import { fleetPython } from './servers/python.ts';
import { whereFleet } from './servers/server.ts';

/** Trains with a writer of its own for six steps, and six more when that is closed. It says its own peak around each step. */
const TRAIN = `
import json, sys
sys.path.append(sys.argv[2])
import torch
from torch.utils.tensorboard import SummaryWriter

def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))

model = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
writer = SummaryWriter(sys.argv[1])
kept, around = [], []
for step in range(12):
    kept.append(torch.ones(4 << 20))
    loss = model(torch.randn(8, 64)).pow(2).mean()
    loss.backward()
    before = peak()
    optimizer.step()
    around.append((before, peak()))
    if step < 6:
        writer.add_scalar("loss", loss.item(), step)
    if step == 5:
        writer.close()
print(json.dumps({"around": around, "others": [name for name in ("wandb", "mlflow") if name in sys.modules]}))
`;

/** Every scalar of a folder, by TensorBoard's own reader: [step, value] by tag. */
const READ = `
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
found = EventAccumulator(sys.argv[1])
found.Reload()
print(json.dumps({tag: [(one.step, one.value) for one in found.Scalars(tag)] for tag in found.Tags()["scalars"]}))
`;

/** Both torch and TensorBoard. */
const whereBoth = () => (torchPython() ? whereFleet('python') : whereTorch());

interface Tracked {
  readonly said: { readonly around: [number, number][]; readonly others: string[] };
  readonly scalars: Record<string, [step: number, value: number][]>;
  readonly files: number;
}

async function trained(name: string, env: Record<string, string>): Promise<Tracked> {
  const folder = place(name);
  mkdirSync(folder, { recursive: true });
  const [program, logs] = [join(folder, 'train.py'), join(folder, 'logs')];
  writeFileSync(program, TRAIN);
  const packages = execFileSync(
    fleetPython(),
    ['-c', 'import os, tensorboard; print(os.path.dirname(os.path.dirname(tensorboard.__file__)))'],
    { encoding: 'utf8' },
  ).trim();
  const { code, stdout, stderr } = await highwater(
    ['record', '-o', join(folder, 'run.hw'), '--', torchPython()!, program, logs, packages],
    { env: { ...cleanEnv(), ...env } },
  );
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  const said = JSON.parse(/^\{.*\}$/m.exec(String(stdout))![0]);
  const read = execFileSync(fleetPython(), ['-c', READ, logs], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { said, scalars: JSON.parse(read), files: readdirSync(logs).length };
}

describe('peaks in a run of TensorBoard that the program opened', () => {
  whereBoth()(
    'stand beside its losses with HIGHWATER_TRACK=1, until it is closed, and are the process’s own',
    async () => {
      const { said, scalars, files } = await trained('tracked', { HIGHWATER_TRACK: '1' });
      expect(Object.keys(scalars).sort()).toEqual([
        ...['highwater/host_bytes', 'highwater/host_peak_bytes', 'loss'],
      ]);
      const steps = (tag: string) => scalars[tag]!.map(([step]) => step);
      expect(steps('highwater/host_peak_bytes')).toEqual([1, 2, 3, 4, 5, 6]);
      expect(steps('loss')).toEqual([0, 1, 2, 3, 4, 5]);
      for (const [step, value] of scalars['highwater/host_peak_bytes']!) {
        const [before, after] = said.around[step - 1]!;
        // TensorBoard keeps a scalar in 24 bits.
        expect(value).toBeGreaterThanOrEqual(Math.fround(before));
        expect(value).toBeLessThanOrEqual(Math.fround(after));
      }
      expect([files, said.others]).toEqual([1, []]);
    },
    300_000,
  );

  whereBoth()(
    'are not written without it',
    async () => {
      const { scalars, files } = await trained('untracked', {});
      expect([Object.keys(scalars), files]).toEqual([['loss'], 1]);
    },
    300_000,
  );
});
