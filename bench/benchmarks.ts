import { fitCoverage } from './fit-coverage.ts';
import { fleet } from './fleet.ts';
import { gpuSampling } from './gpu-sampling.ts';
import { graphicsClients } from './graphics-clients.ts';
import { heap } from './heap.ts';
import { injection } from './injection.ts';
import { job } from './job.ts';
import { lateness } from './lateness.ts';
import { logSlowdown } from './log-slowdown.ts';
import { overhead } from './overhead.ts';
import { plainLooks } from './plain-looks.ts';
import { profiler } from './profiler.ts';
import { push } from './push.ts';
import { pythonHeap } from './python-heap.ts';
import { recorderMemory } from './recorder-memory.ts';
import { relay } from './relay.ts';
import type { Benchmark } from './result.ts';
import { samplingCpu } from './sampling-cpu.ts';
import { shortSteps } from './short-steps.ts';
import { startup } from './startup.ts';
import { store } from './store.ts';
import { thousandHertz } from './thousand-hertz.ts';
import { trace } from './trace.ts';
import { webMap } from './web-map.ts';
import { week } from './week.ts';
import { whatIf } from './what-if.ts';

/** In the order in which they run. */
export const BENCHMARKS: readonly Benchmark[] = [
  samplingCpu,
  push,
  lateness,
  thousandHertz,
  gpuSampling,
  graphicsClients,
  recorderMemory,
  week,
  startup,
  logSlowdown,
  relay,
  overhead,
  trace,
  heap,
  pythonHeap,
  profiler,
  injection,
  shortSteps,
  plainLooks,
  fitCoverage,
  webMap,
  job,
  whatIf,
  store,
  fleet,
];
