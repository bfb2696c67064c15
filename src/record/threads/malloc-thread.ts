import { parentPort, workerData } from 'node:worker_threads';
import { MallocReader } from '../../sources/malloc/reader.ts';
import { THIS_MACHINE } from '../../sources/source.ts';
import { runClock } from './clock.ts';
import type { MallocThreadData, ToMalloc } from './malloc-watch.ts';

/** Goes through the chunks of malloc in the processes of the workload, which takes some milliseconds each time: nobody waits for it. */
const { origin, pageSize } = workerData as MallocThreadData;
const machine = { proc: THIS_MACHINE.proc, pageSize };
const reader = new MallocReader(machine, runClock(origin), (reading) =>
  parentPort!.postMessage(reading),
);
parentPort!.on('message', ({ what, pid }: ToMalloc) => reader[what](pid));
