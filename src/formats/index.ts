import { arrow } from './arrow.ts';
import { chromeTrace } from './chrome-trace/index.ts';
import { collapsed } from './collapsed.ts';
import { csv } from './csv/index.ts';
import type { Format } from './format.ts';
import { heaptrack } from './heaptrack/index.ts';
import { jemalloc } from './jemalloc.ts';
import { json } from './json.ts';
import { memray } from './memray/index.ts';
import { mprof } from './mprof.ts';
import { mxnetCsv } from './mxnet/csv.ts';
import { mxnetLog } from './mxnet/log.ts';
import { nvidiaSmi } from './nvidia-smi/index.ts';
import { pprof, pprofHeap } from './pprof/index.ts';
import { free } from './procps/free.ts';
import { freeLog } from './procps/free-log.ts';
import { meminfo } from './procps/meminfo.ts';
import { vmstat } from './procps/vmstat.ts';
import { psrecord } from './psrecord.ts';
import { speedscope } from './speedscope.ts';
import { memoryTimeline } from './torch-profiler/timeline.ts';
import { profilerTrace } from './torch-profiler/trace.ts';
import { torchSnapshot } from './torch-snapshot/index.ts';
import { torchSnapshotJson } from './torch-snapshot/json.ts';
import { tracemalloc } from './tracemalloc.ts';
import { xlaMemoryViewer } from './xla-memory-viewer.ts';

/** All formats; strict sniffers before lenient ones. */
export const FORMATS: readonly Format[] = [
  arrow,
  tracemalloc,
  torchSnapshot,
  torchSnapshotJson,
  jemalloc,
  heaptrack,
  memray,
  pprofHeap,
  xlaMemoryViewer,
  json,
  profilerTrace,
  memoryTimeline,
  freeLog,
  free,
  meminfo,
  vmstat,
  mprof,
  psrecord,
  nvidiaSmi,
  mxnetCsv,
  csv,
  mxnetLog,
  chromeTrace,
  speedscope,
  pprof,
  collapsed,
];

/** The format of a file by its beginning; by its name where no format knows the beginning. */
export function detect(head: Uint8Array, fileName: string): Format | null {
  const name = fileName.toLowerCase();
  return (
    FORMATS.find((format) => format.sniff(head)) ??
    FORMATS.find((format) => format.extensions.some((ending) => name.endsWith(ending))) ??
    null
  );
}
