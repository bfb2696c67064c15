import { parentPort, workerData } from 'node:worker_threads';
import { GPU_BACKENDS } from '../../sources/gpu/index.ts';
import { LiveFigures } from '../run/live-figures.ts';
import { BatchSender } from './batch-sender.ts';
import { runClock } from './clock.ts';
import { type FromGpu, GPU_WORD, type GpuThreadData } from './gpu-messages.ts';
import { sampleGpus } from './gpu-sampling.ts';

/**
 * The GPU thread. The driver answers in microseconds as a rule, but starting it takes seconds, and
 * while a program opens a card everybody waits: the samples of the host must not, so GPUs have a
 * thread of their own.
 */
const { settings, live, signal, stop, writer } = workerData as GpuThreadData;
const sender = new BatchSender(writer, new Int32Array(signal), GPU_WORD);
const tell = (message: FromGpu) => parentPort!.postMessage(message);

const stopping = new AbortController();
parentPort!.once('message', () => stopping.abort());

const missedShare = await sampleGpus(settings, GPU_BACKENDS, {
  clock: runClock(settings.origin),
  live: new LiveFigures(live),
  tell,
  deliver: (spec, batch) => sender.send(spec, batch),
  stopWord: new Int32Array(stop),
  stopped: stopping.signal,
});
parentPort!.unref(); // it has nothing more to listen for, and may end
if (missedShare !== null) tell({ type: 'stopped', lostRows: sender.lostRows, missedShare });
