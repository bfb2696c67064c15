import { join } from 'node:path';
import {
  processes,
  recordCommand,
  samplingOf,
  steadyShare,
  watchCpu,
  wholeShare,
} from './recorders.ts';
import { atMost, type Benchmark, percent } from './result.ts';
import { withFolder } from './scratch.ts';

const RATE_HZ = 1000;
const LIMIT_PERCENT = 5;
/** V8 has compiled what it will by then. */
const WARM_UP_SECONDS = 20;

export const thousandHertz: Benchmark = {
  name: 'thousand-hertz',
  title: `CPU of the whole recorder at ${RATE_HZ} Hz on one process`,
  minutes: 2,
  run({ quick }) {
    const seconds = quick ? 25 : 120;
    return withFolder(async (folder) => {
      const recording = join(folder, 'run.hw');
      const command = recordCommand(recording, RATE_HZ, processes(1, seconds, 'idle'));
      const readings = await watchCpu(command, join(folder, 'cpu.json'));
      const { ticks, missed, latenessMs } = samplingOf(recording);
      const startup = readings.filter(([at]) => at <= 2).at(-1)![1];
      return [
        atMost(
          `whole run of ${seconds} s`,
          100 * wholeShare(readings),
          LIMIT_PERCENT,
          '% of a core',
        ),
        {
          what: `steady state, after ${WARM_UP_SECONDS} s`,
          figure: `${percent(steadyShare(readings, WARM_UP_SECONDS))} of a core`,
        },
        { what: 'the first 2 s', figure: `${startup.toFixed(2)} s of CPU` },
        { what: 'samples taken', figure: `${ticks}, missed ${missed}` },
        { what: 'lateness p99', figure: `${(latenessMs?.p99 ?? Number.NaN).toFixed(3)} ms` },
      ];
    });
  },
};
