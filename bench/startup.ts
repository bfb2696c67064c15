import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { median } from '../src/base/stats.ts';
import { highwater, processes, recordCommand } from './recorders.ts';
import { type Benchmark, ratioAtMost } from './result.ts';
import { withFolder } from './scratch.ts';

const LIMIT = 1.5;

export const startup: Benchmark = {
  name: 'startup',
  title: 'time to start, median of alternating runs',
  minutes: 1,
  run: ({ quick }) =>
    withFolder(async (folder) => {
      const recording = join(folder, 'run.hw');
      time(recordCommand(recording, 100, processes(1, 2, 'idle')));
      const bare: number[] = [];
      const version: number[] = [];
      const report: number[] = [];
      for (let i = 0; i < (quick ? 15 : 31); i++) {
        bare.push(time([process.execPath, '-e', '0']));
        version.push(time(highwater('--version')));
        report.push(time(highwater('report', recording)));
      }
      const ms = (values: number[]) => `${median(values).toFixed(1)} ms`;
      const ratio = median(version) / median(bare);
      return [
        {
          ...ratioAtMost('highwater --version', 'node -e 0', ms(version), ratio, LIMIT),
          theirs: ms(bare),
        },
        {
          what: 'highwater report of 2 s',
          peer: 'node -e 0',
          figure: ms(report),
          theirs: ms(bare),
          ratio: median(report) / median(bare),
        },
      ];
    }),
};

function time(command: readonly string[]): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(command[0]!, command.slice(1));
  if (status !== 0) throw new Error(`${command.join(' ')} failed: ${stderr}`);
  return performance.now() - started;
}
