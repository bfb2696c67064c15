import { describe, expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { processorShare } from '../../src/model/processor-share.ts';
import { processorTime } from '../../src/sources/proc.ts';
import { needs } from '../support/programs.ts';
import { highwater, open, place, recorded } from '../support/recorder.ts';

/** Works in two children and by itself, and says how much of the processors that took. */
const BUSY = `
import multiprocessing, os, time
def work(seconds):
    while time.process_time() < seconds: pass
if __name__ == "__main__":
    children = [multiprocessing.Process(target=work, args=(0.8,)) for _ in range(2)]
    for child in children: child.start()
    work(0.6)
    for child in children: child.join()
    time.sleep(0.6)
    used = os.times()
    print(used.user + used.system + used.children_user + used.children_system)
`;

describe('processor time', () => {
  needs('python3')('of a tree is what its processes used, and drawn below its memory', async () => {
    const { folder, stdout } = await recorded([], ['python3', '-c', BUSY]);
    const recording = open(folder);
    const share = processorShare(recording)!;
    const { times, values } = share.series;
    const seconds = values.reduce((sum, percent) => sum + percent / 100, 0) * stepOf(times);
    // What a process used after the last look at it is not seen.
    expect(seconds).toBeGreaterThan(0.7 * Number(stdout));
    expect(seconds).toBeLessThan(1.05 * Number(stdout));
    expect(report(recording).timing.cores).toBe(share.cores);
    const told = await highwater(['report', folder]);
    expect(String(told.stdout)).toMatch(/processors +[\d.]+ cores on average/);
    const picture = place('cpu.svg');
    const drawn = await highwater(['plot', folder, '--cpu', '-o', picture]);
    expect([drawn.code, drawn.stderr]).toEqual([0, '']);
  });

  needs('sleep')('of a tree that sleeps is next to nothing', async () => {
    const { folder } = await recorded([], ['sleep', '1.5']);
    const { series, cores } = processorShare(open(folder))!;
    expect(cores).toBeLessThan(0.05);
    expect(Math.max(...series.values)).toBeLessThan(10);
  });

  it('that was not recorded is not drawn', async () => {
    const old = ['plot', 'test/fixtures/recordings/v3.hw', '--cpu', '-o', place('cpu.svg')];
    const { code, stderr } = await highwater(old, { cwd: '.' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^highwater: this recording has no processor time \(leave --cpu out/);
    const two = ['plot', 'v3.hw', 'v4.hw', '--cpu', '-o', place('cpu.svg')];
    const refused = await highwater(two, { cwd: 'test/fixtures/recordings' });
    expect(refused.stderr).toMatch(/^highwater: --cpu is for the timeline of one recording/);
  });

  it.each([
    ['1 (cat) S 0 1 1 0 -1 4194560 1 2 3 4 150 50 7 8 20', 2e9],
    ['9 (a) b (c 5) 6) R 0 1 1 0 -1 4194560 1 2 3 4 1 2 7 8 20', 3e7],
    ['9 (short) R 0 1', Number.NaN],
    ['', Number.NaN],
  ])('is read behind any name: %s', (stat, ns) => {
    expect(processorTime(stat)).toBe(ns);
  });
});

const stepOf = (times: Float64Array) => (times.length > 1 ? (times[1]! - times[0]!) / 1e9 : 0);
