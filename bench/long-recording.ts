import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordingWriter } from '../src/model/disk/writer.ts';
import { LiveFigures } from '../src/record/run/live-figures.ts';
import { Sampling } from '../src/record/threads/sampling.ts';
import { locateGroup } from '../src/sources/cgroup/location.ts';
import { THIS_MACHINE } from '../src/sources/source.ts';
import { type MemoryLevel, memoryLevel } from './child.ts';

/**
 * The recorder's own sampling and writing, in one thread and without the waiting: real reads of
 * /proc at the times of a clock that is only counted up. `long-recording.ts PID TICKS MAX_BYTES`
 * prints the memory it holds at each tenth of the way.
 */
const [pid, ticks, maxBytes] = process.argv.slice(2).map(Number) as [number, number, number];
const RATE_HZ = 100;
const STEP_NS = 1e9 / RATE_HZ;

const folder = mkdtempSync(join(tmpdir(), 'highwater-bench-'));
const writer = new RecordingWriter(folder, maxBytes);
const group = locateGroup(THIS_MACHINE);
const sampling = new Sampling(
  THIS_MACHINE,
  {
    origin: [0, 0],
    rateHz: RATE_HZ,
    marker: 'HIGHWATER_RUN=bench',
    resetPeaks: false,
    cgroup: group && { ...group, own: false },
    memoryLimit: null,
    swapLimit: null,
  },
  new LiveFigures(),
  () => {},
  (spec, batch) => writer.append(spec, batch),
);

let folds = 0;
const levels: MemoryLevel[] = [];
try {
  sampling.handle({ type: 'root', pid, ownSession: false }, 0);
  for (let tick = 1; tick <= ticks; tick++) {
    const time = tick * STEP_NS;
    sampling.tick(time, 0);
    if (tick % RATE_HZ === 0) {
      // Proportional sizes come from the main thread now and then.
      sampling.handle({ type: 'pss', readings: [{ pid, pss: 8e6, private: 0, rss: 1e7 }] }, time);
      if (writer.fold()) {
        folds++;
        while (writer.fold());
      }
    }
    if (tick % Math.floor(ticks / 10) === 0) levels.push(await memoryLevel());
  }
  sampling.end(ticks * STEP_NS);
  const { bytes } = writer;
  writer.close();
  process.stdout.write(JSON.stringify({ levels, bytes, folds }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
