import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { describeError } from '../../base/errors.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { TableSpec } from '../../model/schema.ts';
import { TableBuffer } from '../../model/table.ts';
import type { GpuEvents, GpuNow } from '../../sources/gpu/backend.ts';
import { SmiWatch } from '../../sources/gpu/nvidia/nvidia-smi/index.ts';
import { type NvmlSampler, nvmlSource } from '../../sources/gpu/nvidia/nvml/index.ts';
import { THIS_MACHINE } from '../../sources/source.ts';
import { LiveFigures } from '../run/live.ts';
import { runClock } from './clock.ts';
import { Delivery } from './delivery.ts';
import { type FromGpu, GPU_WORD, type GpuSettings } from './gpu-messages.ts';
import { Pacer } from './pacer.ts';
import { goFirst, goWithTheRest } from './priority.ts';

/**
 * The GPU thread. The driver answers in microseconds as a rule, but starting it takes seconds, and
 * while a program opens a card everybody waits: the samples of the host must not, so GPUs have a
 * thread of their own.
 */
export interface GpuThreadData {
  readonly settings: GpuSettings;
  readonly live: SharedArrayBuffer;
  /** As the writer counts (Delivery), and the word that says stop. */
  readonly signal: SharedArrayBuffer;
  readonly stop: SharedArrayBuffer;
  readonly writer: MessagePort;
}

const FLUSH_NS = 0.7 * SECOND_NS;
/** nvidia-smi has its own loop; ours only looks after the tables then. */
const LOOK_MS = 500;

const { settings, live, signal, stop, writer } = workerData as GpuThreadData;
const now = runClock(settings.origin);
const figures = new LiveFigures(live);
const stopWord = new Int32Array(stop);
const delivery = new Delivery(writer, new Int32Array(signal), GPU_WORD);
const tables = new Map<string, TableBuffer>();
const tell = (message: FromGpu) => parentPort!.postMessage(message);

const sink = {
  table(spec: TableSpec): TableBuffer {
    const table = tables.get(spec.name) ?? new TableBuffer(spec);
    tables.set(spec.name, table);
    return table;
  },
  intern: (): number => {
    throw new Error('GPU tables hold no text');
  },
};

const events: GpuEvents = {
  onWarning: (text) => tell({ type: 'warning', text }),
  onHolder: (pid) => tell({ type: 'holder', pid }),
};

function flush(): void {
  for (const table of tables.values()) {
    if (table.rows > 0) delivery.send(table.spec, table.take());
  }
}

/** For the live line: the card that gained most since the start. */
function publish({ first, used }: GpuNow): void {
  let best = -1;
  let most = 0;
  for (let gpu = 0; gpu < used.length; gpu++) {
    const gained = used[gpu]! - first[gpu]!;
    if (gained > most) {
      most = gained;
      best = gpu;
    }
  }
  figures.set('gpu', best);
  figures.set('gpuUsed', best < 0 ? 0 : used[best]!);
}

function end(missedShare: number): void {
  flush();
  tell({ type: 'stopped', lostRows: delivery.lostRows, missedShare });
}

/** Samples on absolute deadlines until told to stop; never returns to the event loop meanwhile. */
function sampleNvml(sampler: NvmlSampler): void {
  goFirst();
  const pacer = new Pacer(settings.rateHz, now());
  let nextFlush = now() + FLUSH_NS;
  while (Atomics.load(stopWord, 0) === 0) {
    const waitMs = (pacer.deadline - now()) / 1e6;
    if (waitMs > 0 && Atomics.wait(stopWord, 0, 0, waitMs) !== 'timed-out') break;
    const time = now();
    pacer.take(time);
    sampler.sample({ time, full: true });
    publish(sampler.now);
    if (pacer.ticks === 1) tell({ type: 'open', source: 'nvml', findings: sampler.findings });
    if (time >= nextFlush) {
      flush();
      nextFlush = time + FLUSH_NS;
    }
  }
  sampler.close();
  end(pacer.missed / Math.max(1, pacer.ticks + pacer.missed));
}

function watchSmi(program: string, before: readonly string[]): void {
  goWithTheRest();
  const watch = new SmiWatch(sink, {
    program,
    intervalMs: Math.max(1, Math.round(1000 / settings.rateHz)),
    clock: now,
    events,
    onOpen: (found) => {
      if ('reason' in found) giveUp([...before, found.reason]);
      else tell({ type: 'open', source: 'nvidia-smi', findings: found });
    },
  });
  const timer = setInterval(() => {
    publish(watch.now);
    flush();
  }, LOOK_MS);
  parentPort!.once('message', () => {
    clearInterval(timer);
    void watch.stop().then(() => end(0));
  });
}

function giveUp(reasons: readonly string[]): void {
  tell({ type: 'unavailable', reason: reasons.join('; ') });
}

function openNvml(library: string): NvmlSampler | { reason: string } {
  try {
    const sampler = nvmlSource.open(THIS_MACHINE, sink, { library, events });
    if (sampler.findings.cards.length > 0) return sampler;
    sampler.close();
    return { reason: `the NVIDIA driver ${sampler.findings.driver} has no GPU to show` };
  } catch (error) {
    return { reason: describeError(error) };
  }
}

const opened = settings.library === null ? null : openNvml(settings.library);
if (opened && !('reason' in opened)) sampleNvml(opened);
else {
  const reasons = opened ? [opened.reason] : [];
  if (settings.program !== null) watchSmi(settings.program, reasons);
  else giveUp(reasons);
}
