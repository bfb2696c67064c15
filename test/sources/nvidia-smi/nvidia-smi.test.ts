import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MiB } from '../../../src/base/bytes.ts';
import { parseRow, queryArguments } from '../../../src/sources/gpu/nvidia/nvidia-smi/row.ts';
import {
  highwater,
  isAlive,
  open,
  place,
  readRun,
  recorded,
  shortFlags,
  start,
  until,
} from '../../support/recorder.ts';

/**
 * A program that answers as nvidia-smi does: cards 0 and 1, whose use grows with each poll. `refuses`
 * is a field that an older one does not know.
 */
function standIn(refuses = 'nothing', polls = 100_000): { env: NodeJS.ProcessEnv; pids: string } {
  const folder = place('bin');
  const pids = join(folder, 'pids');
  mkdirSync(folder);
  const program = join(folder, 'nvidia-smi');
  writeFileSync(
    program,
    `#!/bin/sh
echo $$ >> ${pids}
case "$1" in *${refuses}*) echo 'Field "${refuses}" is not a valid field to query.'; exit 2;; esac
case "$1" in *memory.reserved*) reserved='629, ';; esac
n=0
while [ $n -lt ${polls} ]; do
  now=$(date '+%Y/%m/%d %H:%M:%S.%3N')
  echo "$reserved$now, 0, GPU-aaaa, 570.86, $((839 + n)), 142000, 143771, NVIDIA H200"
  echo "$reserved$now, 1, GPU-bbbb, 570.86, [N/A], [N/A], 143771, NVIDIA H200"
  n=$((n + 1))
  [ "$4" ] || exit 0
  sleep 0.01
done
`,
  );
  chmodSync(program, 0o755);
  const env = {
    HIGHWATER_NVML: '/nowhere/libnvidia-ml.so.1',
    PATH: `${folder}:${process.env.PATH}`,
  };
  return { env, pids };
}

const startedBy = (pids: string) => readFileSync(pids, 'utf8').trim().split('\n').map(Number);

describe('nvidia-smi as a source', () => {
  it('is used where the library is not there, as one child that ends with the run', async () => {
    const { env, pids } = standIn();
    const { folder, run, code } = await recorded(['--before', '0.3'], ['sleep', '0.4'], { env });
    expect(code).toBe(0);
    expect(run.gpu).toMatchObject({ source: 'nvidia-smi', driver: '570.86', processIds: 'none' });
    expect(run.gpus).toMatchObject([
      { index: 0, uuid: 'GPU-aaaa', name: 'NVIDIA H200', memoryBytes: 143771 * MiB },
      { index: 1, uuid: 'GPU-bbbb', reason: 'the driver tells no memory of it' },
    ]);
    const table = open(folder).table('gpu');
    const [times, used] = [table.f64('time'), table.f64('used')];
    const first = [...used].filter((_, row) => table.u32('gpu')[row] === 0);
    expect(first.length).toBeGreaterThan(5);
    expect(first).toEqual(first.map((_, i) => (839 + i) * MiB));
    expect(table.f64('reserved')[0]).toBe(629 * MiB);
    expect(used[1]).toBeNaN();
    expect([...times]).toEqual([...times].sort((a, b) => a - b));
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(0.2e9);
    expect(startedBy(pids)).toHaveLength(1);
    expect(startedBy(pids).filter(isAlive)).toEqual([]);
  });

  it('asks an older program for what it knows', async () => {
    const { env } = standIn('memory.reserved');
    const { folder, run } = await recorded(['--gpu', 'nvidia-smi'], ['sleep', '0.3'], { env });
    expect(run.gpus).toHaveLength(2);
    const table = open(folder).table('gpu');
    expect(table.f64('used')[0]).toBe(839 * MiB);
    expect(table.f64('reserved')[0]).toBeNaN();
  });

  it('says why when the program shows nothing, and when it ends midway', async () => {
    const none = await recorded([], ['sleep', '0.1'], { env: standIn('timestamp').env });
    const source = none.run.sources.find(({ id }) => id === 'gpu')!;
    expect('reason' in source && source.reason).toContain(
      'nvidia-smi: it ended with code 2 (Field "timestamp" is not a valid field to query.)',
    );
    const cut = await recorded([], ['sleep', '0.6'], { env: standIn('nothing', 3).env });
    expect(cut.run.warnings.join('\n')).toContain(
      'nvidia-smi does not go on: it ended with code 0',
    );
    expect(cut.code).toBe(0);
  });

  it('leaves no child behind when the recorder is killed', async () => {
    const { env, pids } = standIn();
    const folder = place();
    const { child, finished } = start([...shortFlags(folder), '--', 'sleep', '30'], { env });
    await until(() => {
      try {
        return readRun(folder).gpus.length > 0 && readRun(folder).rootPid !== null;
      } catch {
        return false;
      }
    });
    child.kill('SIGKILL');
    await until(() => startedBy(pids).filter(isAlive).length === 0);
    process.kill(readRun(folder).rootPid!, 'SIGKILL');
    await finished;
  });

  it('doctor names driver and cards', async () => {
    const { stdout } = await highwater(['doctor'], { env: standIn().env });
    expect(String(stdout)).toMatch(
      /^ok +nvidia-smi .*driver 570\.86: GPU 0 NVIDIA H200, GPU 1 NVIDIA H200$/m,
    );
    expect(String(stdout)).toMatch(/^no +nvml .*HIGHWATER_NVML names/m);
  });

  it('reads a row whatever the name holds, and takes no other line for one', () => {
    const line =
      '2026/11/15 21:58:32.123, 3, GPU-x, 570, 5, [Not Supported], 10, Odd, with a comma';
    expect(parseRow(line, false)).toEqual({
      wallMs: new Date(2026, 10, 15, 21, 58, 32, 123).getTime(),
      index: 3,
      uuid: 'GPU-x',
      driver: '570',
      used: 5 * MiB,
      free: Number.NaN,
      total: 10 * MiB,
      reserved: Number.NaN,
      name: 'Odd, with a comma',
    });
    for (const other of [
      '',
      'No devices were found',
      line.slice(0, 40),
      'a, b, c, d, e, f, g, h',
    ]) {
      expect(parseRow(other, false)).toBeNull();
    }
    expect(queryArguments(10, true).at(-1)).toBe('10');
  });
});
