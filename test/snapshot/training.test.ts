import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished } from 'vitest';
import { folderFiles } from '../../src/model/disk/files.ts';
import { openRecording } from '../../src/model/disk/reader.ts';
import { tempFolder } from '../support/files.ts';
import { CLI, highwater } from '../support/recorder.ts';
import { torchPython, whereTorch } from '../support/torch.ts';

/** Goes on until a file is there, or for so many steps, resting after each; each loss to the bit. */
const TRAINING = `
import os, sys, time, torch
torch.manual_seed(7)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(1024, 256))
optimizer = torch.optim.AdamW(model.parameters())
step = 0
while step < int(sys.argv[2]) and not os.path.exists(sys.argv[1]):
    data = torch.randn(64, 256)
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(data), data)
    loss.backward()
    optimizer.step()
    step += 1
    print("loss", float(loss.detach()).hex(), flush=True)
    time.sleep(float(sys.argv[3]))
`;

/** While it is looked at it leaves some of two processors to the process that writes, which is the last to get any. */
const REST_SECONDS = 0.02;

function train(stop: string, steps: number, recording: string | null) {
  const rest = recording ? REST_SECONDS : 0;
  const program = [torchPython()!, '-c', TRAINING, stop, String(steps), String(rest)];
  const words = recording ? [CLI, 'record', '-q', '-o', recording, '--', ...program] : null;
  const [command, args] = words ? [process.execPath, words] : [program[0]!, program.slice(1)];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGTERM'));
  const losses: string[] = [];
  const started = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (!line.startsWith('loss')) return;
      losses.push(line);
      if (losses.length === 20) resolve();
    });
  });
  return { losses, started, ended: once(child, 'close') };
}

describe('snapshot of a training', () => {
  whereTorch()('leaves its losses as they would have been, to the bit', async () => {
    const place = tempFolder();
    const stop = join(place, 'stop');
    const recording = join(place, 'train.hw');
    const looked = train(stop, 1e9, recording);
    await looked.started;
    const folders = [join(place, 'one.hw'), join(place, 'two.hw')];
    for (const folder of folders) {
      const { code, stderr } = await highwater(['snapshot', recording, '-o', folder]);
      expect(String(stderr)).toMatch(/the program stood still for/);
      expect(code).toBe(0);
    }
    const during = looked.losses.length;
    writeFileSync(stop, '');
    await looked.ended;
    const alone = train(join(place, 'never'), looked.losses.length, null);
    await alone.ended;
    expect(looked.losses.length).toBeGreaterThanOrEqual(during);
    expect(looked.losses).toEqual(alone.losses);

    for (const folder of folders) {
      const { run, table, text } = openRecording(folderFiles(folder));
      expect(run.look!.parts.filter(({ error }) => error !== undefined)).toEqual([]);
      expect(run.look!.parts.map(({ name }) => name)).toEqual(['held', 'tensors', 'sizes', 'heap']);
      const tensors = table('tensors');
      const [kinds, bytes] = [tensors.u32('what'), tensors.f64('bytes')];
      const of = (wanted: string) =>
        bytes.reduce((sum, size, row) => sum + (text(kinds[row]!) === wanted ? size : 0), 0);
      // 256·1024 + 1024 + 1024·256 + 256 parameters of four bytes.
      expect(of('parameter')).toBe(4 * (2 * 256 * 1024 + 1024 + 256));
    }
    const compared = await highwater(['compare', ...folders]);
    expect(compared.code).toBe(0);
  });
});
