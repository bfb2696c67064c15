import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { GpuFacts } from '../../../src/analyses/gpu/index.ts';
import { MiB } from '../../../src/base/bytes.ts';
import { needs } from '../../support/programs.ts';
import { highwater, open, place, recorded, shortFlags } from '../../support/recorder.ts';
import { H200, script, standIn } from './stand-in.ts';

const native = needs('gcc');

/**
 * Records a workload that writes its pid to a file and, later, another file: `PID` and `LATER` in the
 * script, which plays its part when they appear.
 */
async function recordedOn(
  lines: string,
  flags: string[] = [],
  more: NodeJS.ProcessEnv = {},
  own = '',
  last = ':',
) {
  const [pidFile, later] = [place('pid'), place('later')];
  const env = {
    HIGHWATER_NVML: standIn(),
    HIGHWATER_STAND_IN: script(lines.replaceAll('PID', pidFile).replaceAll('LATER', later)),
    ...more,
  };
  const workload = `echo $$ > ${pidFile}~; mv ${pidFile}~ ${pidFile}; sleep 0.4; : > ${later}; sleep 0.3; ${last}`;
  const run = await recorded(
    ['--before', '0.2', ...flags],
    ['env', ...own.split(' ').filter(Boolean), 'sh', '-c', workload],
    { env },
  );
  const pid = Number(readFileSync(pidFile, 'utf8'));
  const told = await highwater(['report', run.folder, '--json']);
  const report = JSON.parse(String(told.stdout)) as { gpus: GpuFacts[]; warnings: string[] };
  const text = String((await highwater(['report', run.folder])).stdout);
  return { ...run, pid, report, text };
}

const TWO = `driver 570.86.15
  ${H200('GPU-aaaa', 1)}
  ${H200('GPU-bbbb', 0)}
  used 0 839
  used 1 839
  process 0 4194301 100`;

describe('record with a GPU', () => {
  native('tells who held the memory at the peak, and what nobody explains', async () => {
    const { pid, report, text, run, code } = await recordedOn(
      `${TWO}
       when PID
       used 0 12000
       process 0 @PID 11000
       when LATER
       used 0 1000
       leave 0`,
    );
    expect(code).toBe(0);
    expect(run.gpu).toMatchObject({ source: 'nvml', driver: '570.86.15', processIds: 'ours' });
    expect(run.sources.find(({ id }) => id === 'gpu')).toMatchObject({
      ok: true,
      detail: 'NVML, driver 570.86.15',
    });
    const [first, second] = report.gpus;
    expect(first).toMatchObject({
      gpu: 0,
      uuid: 'GPU-aaaa',
      usedByTree: true,
      evidence: 'processes',
      baselineBytes: 839 * MiB,
      peak: { bytes: 12000 * MiB },
      accounting: {
        treeBytes: 11000 * MiB,
        otherBytes: 100 * MiB,
        reservedBytes: 629 * MiB,
        unexplainedBytes: 900 * MiB,
      },
    });
    expect(first!.accounting!.processes).toEqual([
      { pid, ofTree: true, role: 'main', rank: null, bytes: 11000 * MiB, torchBytes: null },
      { pid: 4194301, ofTree: false, role: null, rank: null, bytes: 100 * MiB, torchBytes: null },
    ]);
    expect(second).toMatchObject({ usedByTree: false, peak: { bytes: 839 * MiB } });
    expect(text).toMatch(/^Peak 10\.7 GiB on GPU 0 by this workload at /);
    expect(text).toContain('held by no listed process');
    expect(text).not.toContain('GPU 1 ');
  });

  native('tells that the program had a slice of a card only', async () => {
    const { folder, report, text } = await recordedOn(
      `driver 570.86.15
       gpu GPU-aaaa 80000 0 0 NVIDIA A100
       slices 0 1
       when PID
       used 0 60000
       process 0 @PID 6000`,
      [],
      {},
      '',
      'echo "RuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at CUDACachingAllocator.cpp:1154"; exit 1',
    );
    expect(report.gpus.filter(({ usedByTree }) => usedByTree)).toMatchObject([
      { memoryBytes: 8000 * MiB, sliceOf: { gpu: 0, memoryBytes: 80000 * MiB } },
    ]);
    expect(text).toContain('a slice (MIG) of GPU 0, which has 78.1 GiB in all');
    expect(text).toContain('ran out of memory');
    const { stdout } = await highwater(['report', folder, '--json', '--brief']);
    expect(String(stdout)).toContain('a slice (MIG) of 7.81 GiB of a card that has 78.1 GiB');
  });

  native('samples GPUs above 100 Hz as well, and the rank of a process is told', async () => {
    const { folder, report } = await recordedOn(
      `${TWO}
       when PID
       used 1 1539
       process 1 @PID 700`,
      ['--rate', '500'],
      {},
      'RANK=3 WORLD_SIZE=8',
    );
    const recording = open(folder);
    const times = recording.table('gpu').f64('time');
    // Two cards a sample: twice as many as at the 100 Hz that other things stay at.
    expect(times.length / 2).toBeGreaterThan(100);
    expect(report.gpus[1]!.accounting!.processes).toMatchObject([{ role: 'main', rank: 3 }]);
  });

  native('does not let the host wait for a driver that starts slowly', async () => {
    const { folder } = await recordedOn(`init 0 700\n${TWO}`);
    const recording = open(folder);
    const [gpu] = recording.table('gpu').f64('time');
    const before = recording
      .table('host')
      .f64('time')
      .filter((time) => time < gpu!);
    expect(before.length).toBeGreaterThan(10);
  });

  native('goes on when a GPU is lost, and the recording says so', async () => {
    const { folder, run, stderr, report } = await recordedOn(
      `${TWO}
       process 0 @PID 10
       when LATER
       fail 0 15
       mute 0 15`,
    );
    expect(run.warnings.filter((text) => text.includes('GPU is lost'))).toHaveLength(1);
    expect(stderr).toContain('highwater: GPU 0 (NVIDIA H200) does not answer any more');
    const table = open(folder).table('gpu');
    const used = table.f64('used');
    const last = (gpu: number) => used[table.u32('gpu').lastIndexOf(gpu)]!;
    expect(last(0)).toBeNaN();
    expect(last(1)).toBe(839 * MiB);
    expect(report.gpus[0]!.peak!.bytes).toBe(839 * MiB);
  });

  native('says where the driver shows process ids of another view of the machine', async () => {
    // Without numbers of device files, which would tell that the workload opened none.
    const { run, report, text } = await recordedOn(
      `driver 570
       ${H200('GPU-aaaa', -1)}
       ${H200('GPU-bbbb', -1)}
       used 0 839
       used 1 839
       when PID
       used 1 5000
       process 1 4194302 4000`,
    );
    expect(run.gpu!.processIds).toBe('foreign');
    expect(report.gpus.map(({ usedByTree, evidence }) => [usedByTree, evidence])).toEqual([
      [false, null],
      [true, 'growth'],
    ]);
    expect(report.gpus[1]!.accounting).toMatchObject({ treeBytes: null, otherBytes: null });
    expect(text).toContain('the driver shows process ids of the host');
    expect(text).not.toContain('gpu1.tree');
  });

  native('has the figures of a GPU that shares the machine’s memory', async () => {
    const { folder, pid, report, text } = await recordedOn(
      `driver 580.173.02
       gpu GPU-spark 0 0 0 NVIDIA GB10
       fail 0 3
       process 0 4194301 43
       when PID
       process 0 @PID 5000
       when LATER
       process 0 @PID 1000`,
    );
    expect(report.gpus[0]).toMatchObject({ usedByTree: true, peak: { bytes: 5043 * MiB } });
    expect(report.gpus[0]!.accounting!.processes).toMatchObject([
      { pid, ofTree: true, bytes: 5000 * MiB },
      { pid: 4194301, ofTree: false, bytes: 43 * MiB },
    ]);
    // The 43 MiB of the other are too few to tell whose card it is, unless it was seen before the workload began.
    expect(text).toMatch(/^Peak (?:4\.88 GiB on GPU 0 by this workload|4\.92 GiB on GPU 0) /);
    const shown = String((await highwater(['report', folder])).stdout);
    expect(shown).toContain('NVIDIA GB10');
  });

  native('tells why there are no figures where the driver does not start', async () => {
    const { run, code, stderr } = await recordedOn('init 9 0');
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(run.gpus).toEqual([]);
    const gpu = run.sources.find(({ id }) => id === 'gpu')!;
    expect(gpu).toMatchObject({ ok: false });
    expect('reason' in gpu && gpu.reason).toContain('Driver Not Loaded');
  });

  native(
    '`--gpu off` asks nobody, and one that is not there is refused when asked for',
    async () => {
      const { run } = await recordedOn(TWO, ['--gpu', 'off']);
      expect(run.sources.find(({ id }) => id === 'gpu')).toEqual({
        id: 'gpu',
        ok: false,
        reason: 'switched off (--gpu off)',
      });
      const env = { HIGHWATER_NVML: '/nowhere/lib.so' };
      const asked = [...shortFlags(place()), '--gpu', 'nvml'];
      const without = await highwater([...asked, '--', 'sh', '-c', 'exit 3'], { env });
      expect([without.code, without.stderr]).toEqual([
        3,
        expect.stringContaining('recorded without GPU memory'),
      ]);
      const refused = await highwater([...asked, '--strict', '--', 'true'], { env });
      expect(refused.code).toBe(125);
      expect(refused.stderr).toContain('HIGHWATER_NVML names /nowhere/lib.so, which is not there');
    },
  );

  native('doctor names driver and cards', async () => {
    const env = { HIGHWATER_NVML: standIn(), HIGHWATER_STAND_IN: script(TWO) };
    const { stdout } = await highwater(['doctor'], { env });
    expect(String(stdout)).toMatch(
      /^ok +nvml .*driver 570\.86\.15: GPU 0 NVIDIA H200, GPU 1 NVIDIA H200$/m,
    );
  });
});
