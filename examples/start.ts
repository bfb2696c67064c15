import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

/**
 * `npm start`: the main job on an embedded example. Records a real LeNet training, prints the
 * report and writes the chart. What follows `--` goes to the training (`npm start -- --leak`).
 */
const RECORDING = 'highwater-runs/lenet.hw';
const CHART = 'highwater-runs/lenet.png';

function highwater(...words: string[]): void {
  console.error(`\n$ highwater ${words.join(' ')}`);
  const { status } = spawnSync(process.execPath, ['dist/cli.js', ...words], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const training = ['--import', 'tsx', 'examples/lenet/main.ts', ...process.argv.slice(2)];
rmSync(CHART, { force: true });
highwater('record', '-o', RECORDING, '--force', '--name', 'lenet', '--', 'node', ...training);
highwater('report', RECORDING);
highwater('plot', RECORDING, '-o', CHART);
console.error(`
Next:
  npx highwater view ${RECORDING}   # the same in a browser
  npx highwater record -- python train.py      # your own program`);
