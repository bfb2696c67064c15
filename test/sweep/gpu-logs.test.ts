import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MiB } from '../../src/base/bytes.ts';
import { series } from '../../src/model/series.ts';
import { openInput } from '../../src/open/open.ts';
import { gpuLogNames } from '../../src/sweep/gpu-log-names.ts';
import { highwater, open, place } from '../support/recorder.ts';
import { SHORT } from './support.ts';

/** A program that answers as nvidia-smi does: one card, whose use grows with each line. */
function standIn(): NodeJS.ProcessEnv {
  const folder = place('bin');
  mkdirSync(folder);
  const program = join(folder, 'nvidia-smi');
  writeFileSync(
    program,
    `#!/bin/sh
case "$1" in *memory.reserved*) reserved='629, ';; esac
n=0
while [ $n -lt 10000 ]; do
  echo "$reserved$(date '+%Y/%m/%d %H:%M:%S.%3N'), 0, GPU-aaaa, 570.86, $((839 + n)), 142000, 143771, NVIDIA H200"
  n=$((n + 1))
  [ "$4" ] || exit 0
  sleep 0.01
done
`,
  );
  chmodSync(program, 0o755);
  return { HIGHWATER_NVML: '/nowhere/libnvidia-ml.so.1', PATH: `${folder}:${process.env.PATH}` };
}

describe('logs of the cards that a sweep writes', () => {
  it('are as nvidia-smi writes them, one for each variant, and go with --clean', async () => {
    const folder = place('kernels');
    const argv = ['--param', 'kernel=fft,direct', '--', 'sh', '-c', 'sleep 0.6; echo {kernel}'];
    const ran = await highwater(['sweep', '-o', folder, ...SHORT, ...argv], { env: standIn() });
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('memory_fft.txt …')]);
    for (const kernel of ['fft', 'direct']) {
      const path = join(folder, `memory_${kernel}.txt`);
      const [head, ...rows] = readFileSync(path, 'utf8').trimEnd().split('\n');
      expect(head).toBe('memory.used [MiB]');
      expect(rows.length).toBeGreaterThan(5);
      for (const row of rows) expect(row).toMatch(/^\d+ MiB$/);
      // Every sample of the recording, in its order; our own reader takes it as nvidia-smi's.
      const used = open(join(folder, `kernel=${kernel}.hw`))
        .table('gpu')
        .f64('used');
      expect(rows.map((row) => Number.parseInt(row, 10))).toEqual(
        Array.from(used, (bytes) => Math.round(bytes / MiB)),
      );
      const read = await openInput(path);
      expect(series(read, 'gpu0.used')!.values).toHaveLength(rows.length);
    }
    const plot = await highwater(
      ['plot', 'memory_fft.txt', 'memory_direct.txt', '--align', 'first-rise', '-o', 'x.svg'],
      { cwd: folder },
    );
    expect(plot.code).toBe(0);
    writeFileSync(join(folder, 'memory_mine.txt'), 'mine');
    await highwater(['sweep', '--clean', folder]);
    expect(readdirSync(folder).sort()).toEqual(['memory_mine.txt', 'x.svg']);
  });

  it('have names that are files, and no two the same', () => {
    const run = (combination: Record<string, string>, recording: string, repeat = 1) =>
      ({ combination, recording, repeat, log: '' }) as Parameters<typeof gpuLogNames>[0][number];
    const named = (...runs: ReturnType<typeof run>[]) => [...gpuLogNames(runs).values()];
    expect(named(run({ k: 'fft' }, 'a.hw'), run({ k: 'fft' }, 'b.hw', 2))).toEqual([
      'memory_fft.txt',
      'memory_fft_2.txt',
    ]);
    expect(named(run({ k: 'a/../b', n: '8' }, 'a.hw'))).toEqual(['memory_a-..-b_8.txt']);
    expect(named(run({ k: 'a b' }, 'k=a_b~1.hw'), run({ k: 'a-b' }, 'k=a-b.hw'))).toEqual([
      'memory_k=a_b~1.txt',
      'memory_k=a-b.txt',
    ]);
  });
});
