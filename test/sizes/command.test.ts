import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sweep } from '../../src/analyses/sweep/index.ts';
import { MiB } from '../../src/base/bytes.ts';
import type { SizesResult } from '../../src/views/sizes.ts';
import { needs, python } from '../support/programs.ts';
import { highwater, place, recorded, SCRATCH, start, until } from '../support/recorder.ts';

const script = (name: string, text: string) => {
  const path = join(SCRATCH, name);
  writeFileSync(path, text);
  return path;
};
const HOLDER = 'import sys\nblock = bytearray(int(sys.argv[1]) * 1_000_000)\nprint("done")\n';
const jsonOf = (stdout: Buffer) => JSON.parse(String(stdout)) as SizesResult;

describe('sizes -- command', () => {
  needs('python3')(
    'asks a Python program at its exit, and leaves stdout to the answer',
    async () => {
      const argv = ['sizes', '--json', '--', python(), script('holder.py', HOLDER), '40'];
      const { code, stdout, stderr } = await highwater(argv);
      expect(code).toBe(0);
      expect(stderr).toBe('done\n');
      const [one] = jsonOf(stdout).processes;
      expect(one).toMatchObject({ at: 'exit', reason: null, rank: null });
      const { topsize, wtsize, code: own, explained } = one!.sizes!;
      expect(wtsize).toBeGreaterThanOrEqual(40_000_000);
      expect(own.loaded).toBeGreaterThan(MiB);
      expect(Math.abs(explained / topsize - 1)).toBeLessThan(0.1);
    },
  );

  needs('python3')("passes the command's end on, and answers in text", async () => {
    const failing = script('failing.py', `${HOLDER}sys.exit(3)\n`);
    const { code, stdout } = await highwater(['sizes', '--', python(), failing, '20']);
    expect(code).toBe(3);
    expect(String(stdout)).toMatch(
      /failing\.py 20 \(process \d+\), at its exit\n {2}topsize:\d+m =\? /,
    );
    expect(String(stdout)).toMatch(/explained: .* MiB of .* MiB \(\d+ %\)/);
  });

  needs('python3')('asks at an iteration', async () => {
    const stepping = script(
      'stepping.py',
      `import sys\nsys.path.insert(0, ${JSON.stringify(resolve('python'))})\nimport highwater\nheld = []\n` +
        'for step in range(1, 6):\n    held.append(bytearray(10_000_000))\n    highwater.iteration(step)\n',
    );
    const argv = ['sizes', '--json', '--at', 'iteration=2', '--', python(), stepping];
    const { processes } = jsonOf((await highwater(argv)).stdout);
    expect(processes.map(({ at }) => at)).toEqual(['iteration 2']);
    expect(Math.round(processes[0]!.sizes!.wtsize / 1e7)).toBe(2);
  });

  it('asks a Node program at its exit, which knows nothing of us', async () => {
    const held = script('held.mjs', 'globalThis.held = new Float64Array(4e6).fill(1);\n');
    const { stdout } = await highwater(['sizes', '--json', '--', process.execPath, held]);
    const { sizes, topsize } = jsonOf(stdout).processes[0]!;
    expect(sizes).toMatchObject({ language: 'node', wtsize: 0 });
    const named = sizes!.rest.reduce((sum, [, bytes]) => sum + bytes, sizes!.explained);
    expect(Math.abs(named / topsize - 1)).toBeLessThan(0.03);
    const buffers = sizes!.rest.find(([what]) => what === 'buffers outside the root');
    expect(buffers?.[1]).toBeGreaterThanOrEqual(32e6);
  });

  it('says what samples tell of a program that tells nothing', async () => {
    const { stdout } = await highwater(['sizes', '--', 'sleep', '0.3']);
    expect(String(stdout)).toMatch(/^sleep 0\.3 \(process \d+\), at its last sample\n/);
    expect(String(stdout)).toMatch(/not from inside: no process told its sizes at exit/);
    expect(String(stdout)).toMatch(/mapped files \(code, libraries\)/);
  });

  it.each([
    [['sizes'], 'give a command or --pid'],
    [['sizes', '--pid', '1', '--', 'true'], 'give a command or --pid'],
    [['sizes', '--at', 'noon', '--', 'true'], "'noon' is no moment: write exit or iteration=20"],
    [['sizes', '--pid', '999999999'], 'there is no process 999999999'],
    [['sizes', '--', 'no-such-program'], 'command not found: no-such-program'],
  ])('refuses %j', async (argv, message) => {
    const { code, stderr } = await highwater(argv);
    expect(code).toBeGreaterThan(1);
    expect(stderr).toContain(message);
  });
});

describe('record --sizes', () => {
  needs('python3')('keeps what was told, for later', async () => {
    const words = [python(), script('kept.py', HOLDER), '15'];
    const { folder } = await recorded(['--sizes'], words);
    const { stdout } = await highwater(['sizes', '--json', '--from', folder]);
    expect(Math.round(jsonOf(stdout).processes[0]!.sizes!.wtsize / 1e6)).toBe(15);
    // What was needed to measure the imports, paths of this machine, is gone from it then.
    expect(readFileSync(join(folder, 'sizes.json'), 'utf8')).not.toContain('executable');
  });
});

describe('sizes --pid', () => {
  needs('python3')('asks a process under the recorder, which goes on', async () => {
    const waiting = script(
      'waiting.py',
      `import sys\nsys.path.insert(0, ${JSON.stringify(resolve('python'))})\nimport highwater\n` +
        'block = bytearray(30_000_000)\nhighwater.mark("ready")\nimport os\n' +
        'print(os.getpid(), flush=True)\nsys.stdin.readline()\nprint("went on")\n',
    );
    const out = place();
    const words = ['record', '-q', '--before', '0', '--after', '0', '-o', out, '--'];
    const { child, finished } = start([...words, python(), waiting], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let heard = '';
    child.stdout!.on('data', (chunk) => (heard += chunk));
    await until(() => heard.includes('\n'));
    const pid = heard.trim();
    const { stdout, stderr } = await highwater(['sizes', '--json', '--pid', pid]);
    const [one] = jsonOf(stdout).processes;
    expect([one!.reason, stderr]).toEqual([null, '']);
    expect(one!.sizes!.wtsize).toBeGreaterThanOrEqual(30_000_000);
    expect(one!.sizes!.code.loaded).toBeGreaterThan(MiB);
    expect(one!.parts!.map(([what]) => what)).toContain('code and libraries');
    child.stdin!.end('\n');
    const end = await finished;
    expect([end.code, String(end.stdout)]).toEqual([0, `${pid}\nwent on\n`]);
  });

  it('says from outside what can be said of any process', async () => {
    const { code, stdout } = await highwater(['sizes', '--pid', String(process.pid)]);
    expect(code).toBe(0);
    expect(String(stdout)).toMatch(/not from inside: process \d+ does not run under a recorder/);
    expect(String(stdout)).toMatch(/MiB {2}code and libraries/);
  });
});

describe('sweep --sizes', () => {
  needs('python3')('has a column for each part', async () => {
    const folder = place('sweep');
    const flags = [
      '-o',
      folder,
      '--before',
      '0',
      '--after',
      '0',
      '--param',
      'size=10,30',
      '--sizes',
    ];
    const words = ['--', python(), script('swept.py', HOLDER), '{size}'];
    const { code, stdout } = await highwater(['sweep', '--json', ...flags, ...words]);
    expect(code).toBe(0);
    const { combinations } = JSON.parse(String(stdout)) as Sweep;
    expect(combinations.map(({ sizes }) => Math.round(sizes!.wtsize / 1e6))).toEqual([10, 30]);
    const again = await highwater(['report', folder]);
    expect(String(again.stdout)).toMatch(/size +peak .* topsize +code +simsize +wtsize +exit/);
  });
});
