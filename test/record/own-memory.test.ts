import { resolve } from 'node:path';
import { describe, expect } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { MiB } from '../../src/base/bytes.ts';
import { needs, python } from '../support/programs.ts';
import { highwater, open, place, recorded } from '../support/recorder.ts';

/** The program takes heaps of itself, and writes to all of its lists meanwhile, so that both it and the fork copy pages. */
const LISTS = `
import socket, sys, time
sys.path.insert(0, sys.argv[1])
from highwater import heap
listening = socket.socket()
listening.bind(("127.0.0.1", 0))
listening.listen()
keep = [[i] for i in range(300_000)]
time.sleep(0.6)
if sys.argv[2]:
    heap.dump(sys.argv[2] + ".0")
    for one in keep:
        one[0] += 1
    time.sleep(0.3)
    port = listening.getsockname()[1]
    listening.close()
    again = socket.socket()
    again.bind(("127.0.0.1", port))
    again.listen()
    print("name", open("/proc/self/comm").read().strip())
time.sleep(0.4)
`;

async function recordedLists(heap: string) {
  const package_ = resolve('python');
  const { folder, code, stdout } = await recorded(
    ['--after', '0.5', '--agent', 'off'],
    [python(), '-c', LISTS, package_, heap],
  );
  expect(code).toBe(0);
  return { recording: open(folder), folder, stdout: String(stdout) };
}

describe('a fork that writes a heap', () => {
  needs('python3')('is in no figure of the workload but in a row of its own', async () => {
    const plain = report((await recordedLists('')).recording);
    const { recording, folder, stdout } = await recordedLists(place('one.hwheap'));
    const taken = report(recording);
    const peak = ({ peaks }: typeof plain, name: string) =>
      peaks.find(({ series }) => series === name)!.bytes;
    for (const name of ['tree.rss', 'tree.pss']) {
      // The modules that write it are the program's own import.
      expect(Math.abs(peak(taken, name) - peak(plain, name))).toBeLessThan(8 * MiB);
    }
    expect(taken.headline!.bytes - plain.headline!.bytes).toBeLessThan(8 * MiB);
    expect(taken.processes.processes.map(({ role }) => role)).toEqual(['main']);
    expect(plain.processes.own).toEqual([]);
    const [own] = taken.processes.own;
    expect(own).toMatchObject({ inside: false });
    expect(own!.peakRss).toBeGreaterThan(30 * MiB);
    expect(taken.leak.verdict).not.toBe('leak');
    // Its own name, and its port, are the program's again.
    expect(stdout).not.toContain('highwater-self');
    const said = String((await highwater(['report', folder])).stdout);
    expect(said).toMatch(
      /highwater itself .* writes down what the program held.*in no other figure/,
    );
  });

  needs('python3')('leaves what the control group was charged for meanwhile open', async () => {
    const { recording } = await recordedLists(place('two.hwheap'));
    const own = recording.table('own_memory').f64('time');
    const group = recording.table('cgroup');
    const current = group.f64('current').filter((_, row) => {
      const time = group.f64('time')[row]!;
      return time >= own[0]! && time < own[own.length - 1]!;
    });
    // Where this machine lets us see no group there is nothing to leave open.
    expect(current.every(Number.isNaN)).toBe(true);
  });
});

/** Holds the same all the time, for as long as it takes to be asked for a heap. */
const OBJECTS = `
const keep = Array.from({ length: 150_000 }, (_, i) => ({ i, list: [i] }));
const timer = setInterval(() => keep.reduce((sum, { i }) => sum + i, 0), 50);
setTimeout(() => clearInterval(timer), 5000);
`;

describe('a heap that V8 writes inside of the program', () => {
  needs('node')('is taken off what the process holds from then on', async () => {
    const command = [process.execPath, '-e', OBJECTS];
    const [plain, taken] = [await recorded([], command), await recorded(['--heap', '1'], command)];
    expect(taken.run.heaps).toHaveLength(1);
    const rss = ({ folder }: typeof plain) =>
      report(open(folder)).peaks.find(({ series }) => series === 'tree.rss')!.bytes;
    const [own] = report(open(taken.folder)).processes.own;
    expect(own).toMatchObject({ inside: true });
    // More than the difference that garbage makes, which the two runs have each their own of.
    expect(own!.peakRss).toBeGreaterThan(40 * MiB);
    expect(Math.abs(rss(taken) - rss(plain))).toBeLessThan(16 * MiB);
  });
});
