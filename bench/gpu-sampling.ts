import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordCommand, samplingOf } from './recorders.ts';
import { absent, type Benchmark, type Row } from './result.ts';
import { withFolder } from './scratch.ts';
import { usageOf } from './usage.ts';

const RATE_HZ = 100;

/** It would go on for ever, and how it ends when told to is no matter. */
const NVIDIA_SMI =
  'timeout --signal INT "$0" nvidia-smi --query-gpu=timestamp,memory.used ' +
  '--format=csv,noheader,nounits -lms 10; exit 0';

interface Cost {
  readonly cpu: number;
  readonly samples: number;
}

export const gpuSampling: Benchmark = {
  name: 'gpu-sampling',
  title: `CPU of recording a GPU at ${RATE_HZ} Hz, to nvidia-smi printing its one number as often`,
  minutes: 1,
  async run({ quick }) {
    const seconds = quick ? 5 : 20;
    const what = `CPU over ${seconds} s of sleep, start included`;
    const driver = driverVersion();
    if (driver === null) return [absent(what, 'nvidia-smi')];
    const ours = await record(seconds);
    const hostOnly = await record(seconds, '--gpu', 'off');
    const theirs = await nvidiaSmi(seconds);
    const peer = `nvidia-smi, driver ${driver}`;
    const row = (
      name: string,
      of: (cost: Cost) => number,
      show: (value: number) => string,
    ): Row => ({
      what: name,
      figure: show(of(ours)),
      peer,
      theirs: show(of(theirs)),
      ratio: of(ours) / of(theirs),
    });
    return [
      row(
        what,
        ({ cpu }) => cpu,
        (value) => `${value.toFixed(2)} s`,
      ),
      row(
        'CPU of a sample',
        ({ cpu, samples }) => cpu / samples,
        (value) => `${(1e6 * value).toFixed(0)} µs`,
      ),
      { what: 'without the GPU', figure: `${hostOnly.cpu.toFixed(2)} s` },
      { what: 'samples', figure: `${ours.samples} to ${theirs.samples}` },
    ];
  },
};

function driverVersion(): string | null {
  const words = ['--query-gpu=driver_version', '--format=csv,noheader'];
  const { status, stdout } = spawnSync('nvidia-smi', words, { encoding: 'utf8' });
  return status === 0 ? (stdout.split('\n')[0]?.trim() ?? null) : null;
}

const record = (seconds: number, ...flags: string[]) =>
  withFolder(async (folder): Promise<Cost> => {
    const out = join(folder, 'run.hw');
    const command = recordCommand(out, RATE_HZ, ['sleep', String(seconds)], ...flags);
    const { cpuSeconds } = await usageOf(command, join(folder, 'output'));
    return { cpu: cpuSeconds, samples: samplingOf(out).ticks };
  });

const nvidiaSmi = (seconds: number) =>
  withFolder(async (folder): Promise<Cost> => {
    const out = join(folder, 'output');
    const { cpuSeconds } = await usageOf(['sh', '-c', NVIDIA_SMI, String(seconds)], out);
    return { cpu: cpuSeconds, samples: readFileSync(out, 'utf8').split('\n').length - 1 };
  });
