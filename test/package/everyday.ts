import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { writeLibraryExample } from '../docs/library.ts';
import { oneProcess } from '../support/one-process.ts';
import { python } from '../support/programs.ts';
import { cleanEnv, place, readRun, shortFlags } from '../support/recorder.ts';

const TRAINING = `
import time
import highwater
held = []
for i in range(1, 6):
    held.append(bytearray(8 << 20))
    highwater.iteration(i)
    time.sleep(0.05)
`;

const HOLDING = `
class Kept {}
globalThis.all = Array.from({ length: 5000 }, () => new Kept());
require('v8').writeHeapSnapshot(process.argv[1]);
`;

/** An installed package, and the Node that runs it. */
export interface Installed {
  readonly home: string;
  readonly node: string;
}

/** What somebody does on the first day, each with its outcome checked: record, report, plot, heap, view. */
export async function everydayWork({ home, node }: Installed, version: string): Promise<void> {
  const cli = join(home, 'node_modules/highwater/dist/cli.js');
  // What is deprecated in this Node shall fail here, not warn users of the next.
  const env = cleanEnv({
    NODE_OPTIONS: '--throw-deprecation --pending-deprecation',
    PYTHONPATH: join(home, 'node_modules/highwater/python'),
  });
  // What starts a program or serves has a process of its own; the others share one.
  const started = oneProcess(cli, node, env);
  const run = async (...argv: string[]) => {
    const { code, stdout, stderr } = await started(argv, home);
    expect({ argv, code }, stderr).toEqual({ argv, code: 0 });
    return stdout;
  };
  expect((await run('--version')).trim()).toBe(version);

  writeFileSync(join(home, 'train.py'), TRAINING);
  const recording = place();
  const record = [cli, ...shortFlags(recording), '--', python(), 'train.py'];
  execFileSync(node, record, { cwd: home, env });
  expect(readRun(recording)).toMatchObject({ exit: { code: 0 }, recorder: { version } });
  const { peaks } = JSON.parse(await run('report', recording, '--json')) as {
    peaks: { series: string; bytes: number }[];
  };
  const held = peaks.find(({ series }) => series === 'tree.rss')!;
  expect(held.bytes).toBeGreaterThan(40 * 2 ** 20);
  // What the program said by itself, through the agent that lies in the package.
  const marks = await run('export', recording, '--to', 'csv', '--table', 'marks');
  expect(marks.match(/^\d.*,iteration,/gm)).toHaveLength(5);
  expect(await run('report', recording)).toMatch(/^Peak /);

  const picture = place('memory.png');
  await run('plot', recording, '-o', picture);
  expect(readFileSync(picture).subarray(1, 4).toString()).toBe('PNG');

  // The same from a program of one's own.
  writeLibraryExample(home);
  const printed = execFileSync(node, ['example.mjs'], { cwd: home, env, encoding: 'utf8' });
  expect(printed).toMatch(/^highwater-runs\/train-\S+\.hw: exit code 0$/m);
  expect(printed).toMatch(/^tree\.rss \d{8,}$/m);

  const snapshot = place('kept.heapsnapshot');
  execFileSync(node, ['-e', HOLDING, snapshot]);
  expect(await run('heap', snapshot, '--all')).toMatch(/ 5000 .* Kept$/m);

  const view = spawn(node, [cli, 'view', recording, '--no-open'], { cwd: home, env });
  try {
    const [address] = (await once(createInterface(view.stdout), 'line')) as [string];
    const page = await fetch(address);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<title>');
  } finally {
    view.kill('SIGINT');
    await once(view, 'exit');
  }
}
