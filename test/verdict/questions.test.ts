import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { packedFiles } from '../../src/model/disk/pack.ts';
import type { Statement, Verdict } from '../../src/model/verdict.ts';
import { inOneProcess } from '../support/one-process.ts';
import { needs, python } from '../support/programs.ts';
import { highwater, place, recorded } from '../support/recorder.ts';
import { valueAt } from './problems.ts';

/*
 * Ten questions of somebody who has nothing but the JSON: each is answered from `--json --brief`, or from the place in
 * `--json` that it points to. What cannot be known has to stay unknown.
 */

const fixture = (path: string) => resolve('test/fixtures', path);

async function brief(...argv: string[]): Promise<Verdict> {
  const { stdout, stderr } = await inOneProcess([...argv, '--json', '--brief']);
  expect(Buffer.byteLength(stdout), stderr).toBeLessThanOrEqual(8192);
  const output = JSON.parse(stdout);
  expect(Object.keys(output)).toEqual(['type', 'schemaVersion', 'brief', 'verdict']);
  return output.verdict;
}

/** The statement about a figure, with its texts put in. */
function said({ evidence, against, untrusted: { texts } }: Verdict, at: RegExp): Statement | null {
  const found = [...evidence, ...against].find((one) => at.test(one.at));
  if (!found) return null;
  const statement = found.statement.replace(/\{(\w+)\}/g, (_, name) => texts[name]!);
  return { ...found, statement };
}

/** The end of a training on four cards. */
const CRASHED = `epoch 1 step 11 loss 0.30
[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 23.64 GiB of which 1.14 GiB is free. Including non-PyTorch memory, this process has 22.50 GiB memory in use. Of the allocated memory 21.80 GiB is allocated by PyTorch, and 140.00 MiB is reserved by PyTorch but unallocated.
`;

describe('answered from JSON alone', () => {
  const log = place('slurm.out');
  const cut = place('cut.hw');
  beforeAll(() => {
    writeFileSync(log, CRASHED);
    const files = packedFiles(fixture('docs/train.hwz'));
    mkdirSync(cut);
    for (const name of files.list()) writeFileSync(join(cut, name), files.read(name)!);
    // As a recorder leaves it that was killed: no end, no exit.
    const run = JSON.parse(readFileSync(join(cut, 'run.json'), 'utf8'));
    writeFileSync(join(cut, 'run.json'), JSON.stringify({ ...run, endedAt: null, exit: null }));
  });

  it('1. why did it die? too large, by the message; with how much was missing', async () => {
    const verdict = await brief('report', log);
    expect([verdict.cause.code, verdict.certainty]).toEqual(['too-large', 'certain']);
    expect(said(verdict, /\/main\/asked$/)?.value).toBe(2 * 2 ** 30);
    expect(said(verdict, /\/causes\/\d/)?.statement).toMatch(/^shown: simply too large: 2.00 GiB/);
    expect(verdict.evidence.map((one) => one.statement)).toContainEqual(
      expect.stringMatching(/^excluded: other processes/),
    );
    // Killed, and nobody says by whom: that stays open.
    const killed = place('killed.log');
    writeFileSync(
      killed,
      'step 3\n/bin/bash: line 1: 77 Killed                  python train.py\n',
    );
    const open = await brief('report', killed);
    expect([open.cause.code, open.certainty]).toEqual(['killed', 'unknown']);
  });

  it('2. does it leak, how much an iteration, who holds it?', async () => {
    const verdict = await brief('report', fixture('docs/leak.hwz'));
    expect([verdict.cause.code, verdict.certainty]).toEqual(['leak', 'likely']);
    const slope = said(verdict, /slope/)!;
    expect(slope).toMatchObject({ unit: 'bytes/iteration' });
    expect(slope.value! / 1024).toBeCloseTo(162, 0);
    expect(said(verdict, /\/leak\/evidence\/0/)?.statement).toMatch(
      /120 tensors \[\] float32, made by NllLossBackward0, held by list of 120 in losses of __main__/,
    );
    expect(verdict.fixes[0]).toMatchObject({ id: 'leak-tensors' });
    expect(verdict.fixes[0]!.bytes!.low).toBeGreaterThan(100 * 120 * 1024);
    // Of a GPU's trace the same, a step.
    const traced = await brief('report', fixture('snapshots/training/gpt_leak.pickle.gz'));
    expect(traced.cause.code).toBe('leak');
    expect(said(traced, /requestedPerStep/)?.unit).toBe('bytes/step');
    expect(said(traced, /\/leak\/evidence\/0/)?.statement).toMatch(/make_truth.py:136 forward/);
    // Too short to tell: not called free of leaks.
    const short = await brief('report', fixture('docs/train.hwz'));
    expect([short.cause.code, short.certainty]).toEqual(['no-problem-seen', 'possible']);
    expect(said(short, /\/leak\/verdict/)?.statement).toMatch(/cannot be told/);
  });

  it('3. what was the peak, and what held it?', async () => {
    const verdict = await brief('report', fixture('docs/train.hwz'));
    expect(said(verdict, /headline/)?.value).toBe(721_684_480);
    expect(said(verdict, /roles\/0/)?.statement).toMatch(/^main held most of it: 688 MiB/);
    const traced = await brief('report', fixture('snapshots/expandable.pickle.gz'));
    expect(said(traced, /headline/)?.value).toBe(491_389_104);
    expect(said(traced, /categories\/0/)?.statement).toMatch(/activations/);
  });

  it('4. would batch 64 fit into 24 GiB? and is it said where the data do not tell?', async () => {
    const asked = (at: string, size: string) =>
      brief('report', fixture('fit/unet-peaks.csv'), '--fit', size, '--at', at);
    const small = await asked('batch=4', '24GiB');
    expect(small.cause.code).toBe('fits');
    const large = await asked('batch=64', '24GiB');
    const far = await asked('batch=100000', '24GiB');
    expect([far.cause.code, far.certainty]).toEqual(['cannot-tell', 'unknown']);
    const needed = said(large, /needed\/bytes/)!.value!;
    expect(large.cause.code).toBe(
      said(large, /highBytes/)!.value! <= said(large, /usable/)!.value!
        ? 'fits'
        : said(large, /lowBytes/)!.value! > said(large, /usable/)!.value!
          ? 'does-not-fit'
          : 'cannot-tell',
    );
    expect(needed).toBeGreaterThan(2 ** 30);
  });

  it('5. which of two runs needs more, and why?', async () => {
    const [a, b] = ['h200-streams', 'h200-pinned'].map((name) =>
      fixture(`formats/torch-snapshot/${name}.pickle`),
    );
    const verdict = await brief('compare', a!, b!);
    expect(verdict.cause.code).toBe('needs-more');
    expect(said(verdict, /peakRequestedBytes\/difference/)?.value).toBeLessThan(0);
    const runs = await brief('compare', fixture('docs/train.hwz'), fixture('docs/leak.hwz'));
    expect([runs.cause.code, runs.untrusted.texts.most]).toEqual(['needs-more', 'leak']);
    const twin = place('twin.pickle');
    copyFileSync(a!, twin);
    const same = await brief('compare', a!, twin);
    expect(same.cause.code).toBe('alike');
  });

  it('6. is the recording complete? what it shows is the least where it is not', async () => {
    const verdict = await brief('report', cut);
    expect([verdict.cause.code, verdict.certainty]).toEqual(['incomplete', 'unknown']);
    expect(said(verdict, /stopped\/seconds/)?.statement).toMatch(
      /the peak is the least that it was/,
    );
    expect(said(verdict, /headline/)?.value).toBe(721_684_480);
    const limit = await brief('check', cut, '--peak', 'tree.pss<=8GiB');
    expect([limit.cause.code, limit.certainty]).toEqual(['cannot-tell', 'unknown']);
    const whole = await brief('check', fixture('docs/train.hwz'), '--peak', 'tree.pss<=8GiB');
    expect([whole.cause.code, whole.certainty]).toEqual(['within-limits', 'certain']);
  });

  it('7. which process of the tree held it?', async () => {
    const child = 'globalThis.held = Buffer.alloc(160 * 2 ** 20, 1); setTimeout(() => {}, 900)';
    const parent = `require('child_process').spawn(process.execPath, ['-e', process.argv[1]], { stdio: 'ignore' }); setTimeout(() => {}, 1200)`;
    const { folder } = await recorded([], [process.execPath, '-e', parent, child]);
    const verdict = await brief('report', folder);
    const holder = said(verdict, /processes\/roles\/0/)!;
    expect(holder.value).toBeGreaterThan(150 * 2 ** 20);
    const whole = JSON.parse((await inOneProcess(['report', folder, '--json'])).stdout);
    const { argv } = valueAt(whole, holder.at.replace(/\/\w+$/, '')) as { argv: string };
    expect(argv).toContain('Buffer.alloc(160');
  });

  it('8. what should be run next? words that the command line takes', async () => {
    const leaking = await brief('report', fixture('docs/leak.hwz'));
    expect(leaking.next?.argv).toEqual(['highwater', 'check', '--no-leak', '--', '{command}']);
    const crashed = await brief('report', log);
    expect(crashed.next?.argv).toEqual(['highwater', 'record', '--', '{command}']);
    const killed = await brief('report', fixture('docs/killed.hwz'));
    expect(killed.next!.argv.slice(0, 2)).toEqual(['highwater', 'report']);
    const { stdout } = await inOneProcess(killed.next!.argv.slice(1));
    expect(JSON.parse(stdout).type).toBe('report');
    expect((await brief('report', cut)).next?.argv).toContain('record');
  });

  it('9. which rank was it?', async () => {
    const verdict = await brief('report', log);
    expect(said(verdict, /\/rank$/)).toMatchObject({ value: 3, unit: 'rank' });
    const alone = place('alone.log');
    writeFileSync(alone, CRASHED.replace('[rank3]: ', ''));
    expect(said(await brief('report', alone), /\/rank$/)).toBeNull();
  });

  it('10. which limit was it?', async () => {
    const verdict = await brief('report', fixture('docs/killed.hwz'));
    expect([verdict.cause.code, verdict.certainty]).toEqual(['limit', 'likely']);
    expect(said(verdict, /limitBytes/)?.value).toBe(480 * 2 ** 20);
    expect(said(verdict, /oomKilled/)?.statement).toMatch(/out-of-memory killer did it/);
    const heap = place('node.log');
    writeFileSync(
      heap,
      'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n',
    );
    expect((await brief('report', heap)).cause.code).toBe('limit');
    const traced = await brief('report', fixture('snapshots/oom_batch.pickle.gz'));
    expect(traced.cause.code).toBe('limit');
    expect(traced.fixes.find(({ id }) => id === 'halve-batch')?.enough).not.toBeNull();
  });

  it('and of a program that a fraction of the card was set for: recorded, by the message that it left', async () => {
    const message =
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 139.81 GiB of which 132.00 GiB is free. ' +
      'Including non-PyTorch memory, this process has 7.00 GiB memory in use. 7.00 GiB allowed; Of the allocated memory 6.00 GiB is allocated by PyTorch, and 140.00 MiB is reserved by PyTorch but unallocated.';
    const program = `console.error(process.argv[1]); setTimeout(() => process.exit(1), 200)`;
    const { folder } = await recorded([], [process.execPath, '-e', program, message]);
    const verdict = await brief('report', folder);
    expect([verdict.cause.code, verdict.certainty]).toEqual(['limit', 'certain']);
    expect(said(verdict, /outOfMemory\/0\/causes/)?.statement).toMatch(/^shown: a limit: 7.00 GiB/);
    const { stdout } = await highwater(['report', folder]);
    expect(String(stdout)).toMatch(/why +certain: a limit .*was reached/);
    expect(String(stdout)).not.toMatch(/in pieces: try/);
  });

  needs('python3')('and of a program that is refused memory by its own limit', async () => {
    const grow = 'held = []\nfor step in range(1, 400):\n    held.append(bytearray(8 << 20))\n';
    const script = place('grow.py');
    writeFileSync(script, `${grow}\n`);
    const limited = `ulimit -v 400000; exec ${python()} ${script}`;
    const { folder } = await recorded([], ['bash', '-c', limited]);
    const verdict = await brief('report', folder);
    // Python does not say how much it asked for: that memory ran out is sure, the rest is open.
    expect([verdict.cause.code, verdict.certainty]).toEqual(['out-of-memory', 'certain']);
    expect(said(verdict, /oomMessages/)?.statement).toMatch(/MemoryError|out of memory/);
    const { stdout } = await highwater(['report', folder]);
    expect(String(stdout).split('\n')[0]).toContain('exited with code 1');
  });
});
