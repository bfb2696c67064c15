import { describe, expect, it, onTestFinished } from 'vitest';
import { MiB } from '../../../src/base/bytes.ts';
import { nvml } from '../../../src/sources/gpu/nvidia/nvml/index.ts';
import { findLibrary } from '../../../src/sources/gpu/nvidia/nvml/library.ts';
import { FakeMachine, Shelf } from '../../support/fake-machine.ts';
import { needs } from '../../support/programs.ts';
import { H200, type Kind, script, standIn } from './stand-in.ts';

const native = needs('gcc');
const none = Number.NaN;

/** KiB in all, and to be had. */
function machineWith(total: number, available: number): FakeMachine {
  const machine = new FakeMachine();
  machine.write('proc/meminfo', `MemTotal:       ${total} kB\nMemAvailable:   ${available} kB\n`);
  return machine;
}

/** Opens the source on a script and takes so many samples, a second apart. */
function sampled(lines: string, samples: number, kind: Kind = 'new', machine?: FakeMachine) {
  process.env.HIGHWATER_STAND_IN = script(lines);
  const shelf = new Shelf();
  const warnings: string[] = [];
  const holders: number[] = [];
  const sampler = nvml.open(standIn(kind), {
    sink: shelf,
    events: { onWarning: (text) => warnings.push(text), onHolder: (pid) => holders.push(pid) },
    ...(machine && { machine }),
  });
  onTestFinished(() => sampler.close());
  for (let i = 0; i < samples; i++) sampler.sample({ time: i * 1e9, full: true });
  const memory = (gpu: number) =>
    shelf.rows('gpu').flatMap((row) => (row.gpu === gpu ? Number(row.used) / MiB : []));
  const processes = () =>
    shelf
      .rows('gpu_process')
      .map(({ time, gpu, pid, used }) => [Number(time) / 1e9, gpu, pid, Number(used) / MiB]);
  return { ...sampler.findings, shelf, warnings, holders, memory, processes };
}

describe('NVML', () => {
  native('tells what is used apart from what the driver reserves, to the byte', () => {
    const { cards, driver, shelf, notes } = sampled(
      `driver 570.86.15
       ${H200('GPU-1111')}
       gpu GPU-2222 81559 500 7 NVIDIA H100
       used 0 11619
       used 1 4`,
      1,
    );
    expect(driver).toBe('570.86.15');
    expect(cards).toEqual([
      { index: 0, uuid: 'GPU-1111', name: 'NVIDIA H200', memoryBytes: 143771 * MiB, minor: 0 },
      { index: 1, uuid: 'GPU-2222', name: 'NVIDIA H100', memoryBytes: 81559 * MiB, minor: 7 },
    ]);
    expect(shelf.rows('gpu')).toEqual([
      {
        time: 0,
        gpu: 0,
        used: 11619 * MiB,
        reserved: 629 * MiB,
        free: (143771 - 629 - 11619) * MiB,
        total: 143771 * MiB,
      },
      {
        time: 0,
        gpu: 1,
        used: 4 * MiB,
        reserved: 500 * MiB,
        free: (81559 - 504) * MiB,
        total: 81559 * MiB,
      },
    ]);
    expect(notes).toEqual([]);
  });

  native('says that an old library counts reserved memory as used', () => {
    const { shelf, notes } = sampled(
      `driver 440.1
       ${H200('GPU-1')}
       used 0 100
       process 0 41 60
       process 0 42 30`,
      1,
      'old',
    );
    expect(shelf.rows('gpu')[0]).toMatchObject({ used: 729 * MiB, reserved: none });
    expect(shelf.rows('gpu_process').map(({ pid, used }) => [pid, used])).toEqual([
      [41, 60 * MiB],
      [42, 30 * MiB],
    ]);
    expect(notes.join()).toContain('counts the memory that it reserves');
  });

  native('reads lists whose entries are longer than the header says', () => {
    const { processes } = sampled(
      `driver 535.54.03
       ${H200('GPU-1')}
       process 0 41 60
       process 0 42 30
       process 0 43 na`,
      1,
      'wide',
    );
    expect(processes()).toEqual([
      [0, 0, 41, 60],
      [0, 0, 42, 30],
      [0, 0, 43, none],
    ]);
  });

  native('takes lists that are longer than the room it had', () => {
    const many = Array.from({ length: 200 }, (_, i) => `process 0 ${i + 1} ${i}`).join('\n');
    const { processes, holders } = sampled(`driver 570\n${H200('GPU-1')}\n${many}`, 1);
    expect(processes()).toHaveLength(200);
    expect(processes().at(-1)).toEqual([0, 0, 200, 199]);
    expect(new Set(holders).size).toBe(200);
  });

  // Opening a card takes two memory calls, each sample one.
  native('sees processes come and go, and says when nobody is left', () => {
    const { processes, holders } = sampled(
      `driver 570
       ${H200('GPU-1')}
       used 0 10
       process 0 41 60
       call 4
       process 0 42 30
       call 5
       leave 0`,
      3,
    );
    expect(processes()).toEqual([
      [0, 0, 41, 60],
      [1, 0, 41, 60],
      [1, 0, 42, 30],
      [2, 0, 0, 0],
    ]);
    expect(holders).toEqual([41, 42]);
  });

  native('goes on with the others when a card is lost, and warns once', () => {
    const { memory, warnings, processes } = sampled(
      `driver 570
       ${H200('GPU-1')}
       ${H200('GPU-2')}
       used 0 1
       used 1 2
       process 0 41 1
       process 1 42 2
       call 7
       fail 1 15
       mute 1 15`,
      4,
    );
    expect(memory(0)).toEqual([1, 1, 1, 1]);
    expect(memory(1)).toEqual([2, none, none, none]);
    expect(warnings).toEqual([
      'GPU 1 (NVIDIA H200) does not answer any more: GPU is lost; its memory is unknown from then on',
    ]);
    expect(processes().slice(-2)).toEqual([
      [3, 0, 41, 1],
      [3, 1, 0, none],
    ]);
  });

  native('takes a card up again that answers again', () => {
    const { memory } = sampled(
      `driver 570
       ${H200('GPU-1')}
       used 0 5
       call 4
       fail 0 999
       call 5
       fail 0 0`,
      3,
    );
    expect(memory(0)).toEqual([5, none, 5]);
  });

  native('names a card whose memory is not told, instead of a zero', () => {
    const { cards, memory, notes } = sampled(
      `driver 570
       ${H200('GPU-1')}
       gpu GPU-2 0 0 1 NVIDIA H100
       fail 1 4
       used 0 5`,
      2,
    );
    expect(cards[1]!.reason).toBe('the driver tells no memory of it: Insufficient Permissions');
    expect(memory(1)).toEqual([]);
    expect(memory(0)).toEqual([5, 5]);
    expect(notes[0]).toContain('GPU 1 (NVIDIA H100) is not measured');
  });

  native('keeps "nobody" and "no list" apart', () => {
    const one = sampled(
      `driver 570
       ${H200('GPU-1')}
       ${H200('GPU-2')}
       mute 1 4`,
      1,
    );
    expect(one.tellsProcesses).toBe(true);
    expect(one.processes()).toEqual([
      [0, 1, 0, none],
      [0, 0, 0, 0],
    ]);
    expect(one.notes).toEqual([
      'the driver does not list the processes on GPU 1: Insufficient Permissions',
    ]);
    const no = sampled(`driver 570\n${H200('GPU-1')}\nmute 0 3`, 1);
    expect(no.tellsProcesses).toBe(false);
    expect(no.processes()).toEqual([]);
  });

  native('measures the slices of a card that is cut up, apart from the card', () => {
    const { cards, memory, notes, processes } = sampled(
      `driver 570
       gpu GPU-1 80000 0 0 NVIDIA A100
       slices 0 2
       used 0 1000
       process 0 41 60`,
      1,
    );
    expect(cards.map(({ index, uuid, parent, mig }) => ({ index, uuid, parent, mig }))).toEqual([
      { index: 0, uuid: 'GPU-1', parent: undefined, mig: true },
      { index: 1, uuid: 'MIG-GPU-1-0', parent: 0, mig: undefined },
      { index: 2, uuid: 'MIG-GPU-1-1', parent: 0, mig: undefined },
    ]);
    expect([memory(0), memory(1), memory(2)]).toEqual([[1000], [100], [100]]);
    expect(notes).toEqual([
      'GPU 0 is cut into slices (MIG), which are measured apart: GPU 1, GPU 2',
    ]);
    // The card's own list would count everybody twice.
    expect(processes().filter(([, gpu]) => gpu === 0)).toEqual([[0, 0, 0, none]]);
  });

  // github.com/XuehaiPan/nvitop/pull/208: a DGX Spark, driver 580.173.02, answers Not Supported to both calls.
  native(
    'has the machine’s memory for a GPU with none of its own, and what its processes hold',
    () => {
      const { cards, shelf, notes, processes } = sampled(
        `driver 580.173.02
       gpu GPU-1 0 0 0 NVIDIA GB10
       fail 0 3
       process 0 41 18
       process 0 42 43`,
        2,
        'new',
        machineWith(127600748, 118566368),
      );
      const [total, free] = [127600748 * 1024, 118566368 * 1024];
      expect(cards).toEqual([
        { index: 0, uuid: 'GPU-1', name: 'NVIDIA GB10', memoryBytes: total, minor: 0 },
      ]);
      expect(shelf.rows('gpu')[0]).toEqual({
        time: 0,
        gpu: 0,
        used: 61 * MiB,
        reserved: none,
        free,
        total,
      });
      expect(processes().slice(0, 2)).toEqual([
        [0, 0, 41, 18],
        [0, 0, 42, 43],
      ]);
      expect(notes).toEqual([
        'GPU 0 (NVIDIA GB10) has no memory of its own to tell, and is taken to have the machine’s: total and free are the machine’s, used is what the driver lists of its processes',
      ]);
    },
  );

  // github.com/Syllo/nvtop/pull/463: other drivers give the machine's total as the card's.
  native('knows the machine’s totals where the driver gives them for the card’s', () => {
    const lines = `driver 580.95
       gpu GPU-1 124610 0 0 NVIDIA GB10
       used 0 34375`;
    const machine = machineWith(127600748, 92400000);
    const idle = sampled(lines, 1, 'new', machine);
    expect(idle.shelf.rows('gpu')[0]).toMatchObject({ used: 0, total: 127600748 * 1024 });
    expect(idle.notes).toHaveLength(1);
    // Another card of about the machine's size has its own.
    const other = sampled(lines.replace('124610', '120000'), 1, 'new', machine);
    expect(other.memory(0)).toEqual([34375]);
    expect(other.notes).toEqual([]);
  });

  // github.com/rbonghi/jetson_stats/pull/849: on some, nothing tells processes either.
  native('gives what is in use of the machine where such a GPU’s processes are not listed', () => {
    const { shelf, notes, tellsProcesses } = sampled(
      'driver 38.2\ngpu GPU-1 0 0 -1 NVIDIA Thor\nfail 0 3\nmute 0 3',
      1,
      'new',
      machineWith(128818000, 100000000),
    );
    expect(tellsProcesses).toBe(false);
    expect(shelf.rows('gpu')[0]).toMatchObject({ used: 28818000 * 1024, free: 100000000 * 1024 });
    expect(notes[0]).toContain('used is that of the whole machine');
  });

  native('takes no slice of a card for a GPU without memory of its own', () => {
    const { cards } = sampled(
      'driver 570\ngpu GPU-1 80000 0 0 NVIDIA A100\nslices 0 1\nfail 0 3',
      1,
      'new',
      machineWith(1, 1),
    );
    expect(cards.map(({ reason }) => reason)).toEqual([
      'the driver tells no memory of it: Not Supported',
      'the driver tells no memory of it: Not Supported',
    ]);
  });

  native('says why the driver does not start', () => {
    expect(() => sampled('init 9 0', 0)).toThrow(
      'the NVIDIA driver does not answer: Driver Not Loaded',
    );
  });

  it('says what is wrong with a library that is none', () => {
    const events = { onWarning: () => {}, onHolder: () => {} };
    const open = (library: string) => nvml.open(library, { sink: new Shelf(), events });
    expect(() => open('/etc/passwd')).toThrow('/etc/passwd cannot be loaded');
  });

  it('finds the library by name, by the loader, in known places, or says that there is none', () => {
    const wsl = '/usr/lib/wsl/lib/libnvidia-ml.so.1';
    expect(findLibrary({}, (path) => path === wsl)).toEqual({ path: wsl });
    const own = '/opt/x/libnvidia-ml.so.1';
    expect(findLibrary({ LD_LIBRARY_PATH: '/opt/x' }, (path) => path === own)).toEqual({
      path: own,
    });
    expect(findLibrary({ HIGHWATER_NVML: '/a/b.so' }, () => true)).toEqual({ path: '/a/b.so' });
    expect(findLibrary({ HIGHWATER_NVML: '/a/b.so' }, () => false)).toEqual({
      reason: 'HIGHWATER_NVML names /a/b.so, which is not there',
    });
    expect(findLibrary({}, () => false)).toEqual({
      reason: 'no NVIDIA driver library (libnvidia-ml.so.1) on this machine',
    });
  });
});
