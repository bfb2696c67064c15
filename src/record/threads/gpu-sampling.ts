import { describeError } from '../../base/errors.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { TableSpec } from '../../model/schema.ts';
import { type Batch, TableBuffer } from '../../model/table.ts';
import type { GpuBackend, GpuNow, GpuReader } from '../../sources/gpu/backend.ts';
import { type Sink, THIS_MACHINE } from '../../sources/source.ts';
import type { LiveFigures } from '../run/live-figures.ts';
import type { FromGpu, GpuSettings } from './gpu-messages.ts';
import { Pacer } from './pacer.ts';
import { raisePriority, resetPriority } from './priority.ts';

const FLUSH_NS = 0.7 * SECOND_NS;
/** Where the reader keeps its own pace, only the tables are looked after. */
const LOOK_MS = 500;

/** What GPU sampling is connected to: the ports of its thread, or a test. */
export interface GpuSamplingEnds {
  /** ns since the recording's start. */
  readonly clock: () => number;
  readonly live: LiveFigures;
  tell(message: FromGpu): void;
  deliver(spec: TableSpec, batch: Batch): void;
  /** Not 0 once the run is over: for the loop that never returns to its thread's events. */
  readonly stopWord: Int32Array;
  /** The same for readers that keep their own pace. */
  readonly stopped: AbortSignal;
}

/** Reads GPU memory by the first candidate that answers, until the run is over. Resolves with the share of missed samples; null where none answers. */
export async function sampleGpus(
  settings: GpuSettings,
  backends: readonly GpuBackend[],
  ends: GpuSamplingEnds,
): Promise<number | null> {
  const reasons: string[] = [];
  for (const { backend, path } of settings.candidates) {
    const tables = new GpuTables(ends.deliver);
    let reader: GpuReader;
    // One that starts a program must not hand it the priority of a thread that samples.
    resetPriority();
    try {
      reader = await backends
        .find(({ id }) => id === backend)!
        .open(path, {
          machine: THIS_MACHINE,
          sink: tables,
          rateHz: settings.rateHz,
          clock: ends.clock,
          events: {
            onWarning: (text) => ends.tell({ type: 'warning', text }),
            onHolder: (pid) => ends.tell({ type: 'holder', pid }),
          },
          stopped: ends.stopped,
        });
    } catch (error) {
      if (ends.stopped.aborted) return 0;
      reasons.push(describeError(error));
      continue;
    }
    const onOpen = () => ends.tell({ type: 'open', backend, findings: reader.findings });
    const missed = reader.sample
      ? poll(reader, settings.rateHz, tables, ends, onOpen)
      : await attend(reader, tables, ends, onOpen);
    await reader.close();
    tables.flush();
    return missed;
  }
  ends.tell({ type: 'unavailable', reason: reasons.join('; ') });
  return null;
}

/** Samples on absolute deadlines until told to stop; never returns to the event loop meanwhile. */
function poll(
  reader: GpuReader,
  rateHz: number,
  tables: GpuTables,
  { clock, live, stopWord }: GpuSamplingEnds,
  onOpen: () => void,
): number {
  raisePriority();
  const pacer = new Pacer(rateHz, clock());
  let nextFlush = clock() + FLUSH_NS;
  while (Atomics.load(stopWord, 0) === 0) {
    const waitMs = (pacer.deadline - clock()) / 1e6;
    if (waitMs > 0 && Atomics.wait(stopWord, 0, 0, waitMs) !== 'timed-out') break;
    const time = clock();
    pacer.take(time);
    reader.sample!({ time, full: true });
    publish(live, reader.now);
    if (pacer.ticks === 1) onOpen();
    if (time >= nextFlush) {
      tables.flush();
      nextFlush = time + FLUSH_NS;
    }
  }
  return pacer.missed / Math.max(1, pacer.ticks + pacer.missed);
}

async function attend(
  reader: GpuReader,
  tables: GpuTables,
  { live, stopped }: GpuSamplingEnds,
  onOpen: () => void,
): Promise<number> {
  onOpen();
  const timer = setInterval(() => {
    publish(live, reader.now);
    tables.flush();
  }, LOOK_MS);
  await new Promise<void>((resolve) => {
    if (stopped.aborted) resolve();
    else stopped.addEventListener('abort', () => resolve(), { once: true });
  });
  clearInterval(timer);
  return 0;
}

/** For the live line: the card that gained most since the start. */
function publish(live: LiveFigures, { first, used }: GpuNow): void {
  let best = -1;
  let most = 0;
  for (let gpu = 0; gpu < used.length; gpu++) {
    const gained = used[gpu]! - first[gpu]!;
    if (gained > most) {
      most = gained;
      best = gpu;
    }
  }
  live.set('gpu', best);
  live.set('gpuUsed', best < 0 ? 0 : used[best]!);
}

/** Rows on their way to the writing thread. */
class GpuTables implements Sink {
  readonly #deliver: GpuSamplingEnds['deliver'];
  readonly #tables = new Map<string, TableBuffer>();

  constructor(deliver: GpuSamplingEnds['deliver']) {
    this.#deliver = deliver;
  }

  table(spec: TableSpec): TableBuffer {
    const table = this.#tables.get(spec.name) ?? new TableBuffer(spec);
    this.#tables.set(spec.name, table);
    return table;
  }

  intern(): number {
    throw new Error('GPU tables hold no text');
  }

  flush(): void {
    for (const table of this.#tables.values()) {
      if (table.rows > 0) this.#deliver(table.spec, table.take());
    }
  }
}
