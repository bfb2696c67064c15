import {
  date,
  flag,
  isObject,
  type JsonCheck,
  listOf,
  number,
  oneOf,
  optional,
  orNull,
  scalar,
  shape,
  text,
} from '../base/checks.ts';
import { LOOK_PARTS, newRun, type RunInfo } from './run.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { isStop } from './stop.ts';

export const isAskedFor = shape({
  by: oneOf('slurm'),
  job: text,
  memoryBytes: orNull(number),
  memoryFrom: text,
  gpus: orNull(number),
});

/** What each field of run.json must be. */
const FIELDS: { readonly [K in keyof RunInfo]: JsonCheck } = {
  schemaVersion: oneOf(SCHEMA_VERSION),
  id: text,
  name: text,
  argv: listOf(text),
  subject: oneOf('command', 'pid', 'host', 'import'),
  host: shape({
    name: text,
    platform: text,
    kernel: text,
    arch: text,
    cpus: number,
    memoryBytes: orNull(number),
  }),
  gpus: listOf(
    shape({
      index: number,
      uuid: text,
      name: text,
      memoryBytes: number,
      parent: optional(number),
      mig: optional(flag),
      minor: optional(number),
      reason: optional(text),
    }),
  ),
  gpu: optional(
    shape({
      source: text,
      driver: text,
      processIds: oneOf('ours', 'foreign', 'none'),
      visible: orNull(text),
      pciOrder: flag,
      opened: orNull(listOf(number)),
      notes: listOf(text),
    }),
  ),
  startedAt: date,
  endedAt: orNull(date),
  rootPid: orNull(number),
  sampling: shape({
    askedHz: number,
    reachedHz: orNull(number),
    ticks: number,
    missed: number,
    latenessMs: orNull(shape({ p50: number, p99: number, max: number })),
    recorderCpuSeconds: orNull(number),
  }),
  sources: listOf(
    shape({
      id: text,
      ok: flag,
      detail: optional(text),
      reason: optional(text),
      remedy: optional(text),
    }),
  ),
  cgroup: orNull(
    shape({
      version: oneOf(1, 2),
      own: flag,
      limitBytes: orNull(number),
      deviceLimits: optional((value) => isObject(value) && Object.values(value).every(number)),
    }),
  ),
  asked: optional(isAskedFor),
  exit: orNull(
    shape({
      code: orNull(number),
      signal: orNull(text),
      oomKilled: orNull(flag),
      oomEvidence: text,
      endedBy: orNull(text),
    }),
  ),
  stopped: optional(isStop),
  lostRows: optional(number),
  damage: optional(listOf(text)),
  foldedSeconds: orNull(number),
  allocator: orNull(
    shape({
      source: text,
      settings: (value) => isObject(value) && Object.values(value).every(scalar),
      overflowed: orNull(flag),
      maxEntries: orNull(number),
      range: orNull(shape({ from: number, to: number })),
    }),
  ),
  snapshots: optional(
    listOf(
      shape({
        file: (value) => typeof value === 'string' && /^[\w-]{1,100}\.pickle$/.test(value),
        why: oneOf('oom', 'peak', 'look', 'end'),
        ns: number,
        pid: number,
        rank: orNull(number),
        device: number,
        asked: orNull(number),
        free: orNull(number),
        total: orNull(number),
      }),
    ),
  ),
  outOfMemory: optional(
    listOf(
      shape({
        ns: number,
        source: text,
        place: oneOf('gpu', 'host', 'heap', 'shm'),
        gpu: optional(number),
        asked: optional(number),
        total: optional(number),
        free: optional(number),
        process: optional(number),
        allocated: optional(number),
        reservedUnused: optional(number),
        graphPools: optional(number),
        others: optional(number),
        limit: optional(number),
        limitOf: optional(text),
        machineFull: optional(oneOf(true)),
        unexplained: optional(oneOf(true)),
        shape: optional(text),
        frameworks: optional(listOf(text)),
        pid: optional(number),
      }),
    ),
  ),
  lastOutput: optional(listOf(text)),
  frameworks: optional(listOf(text)),
  leftInShm: optional(
    listOf(shape({ pattern: text, files: number, bytes: number, seenBytes: optional(number) })),
  ),
  heaps: optional(
    listOf(
      shape({
        file: (value) =>
          typeof value === 'string' && /^heap\/\d{1,9}\/[\w-]{1,100}\.\w{1,20}$/.test(value),
        ns: number,
        pid: number,
        runtime: oneOf('v8', 'python'),
        bytes: number,
      }),
    ),
  ),
  look: optional(
    shape({
      pid: number,
      startTime: number,
      ns: number,
      runtime: oneOf('v8', 'python'),
      by: oneOf('agent', 'gdb', 'sys.remote_exec', 'inspector'),
      pauseMs: orNull(number),
      parts: listOf(
        shape({
          name: oneOf(...LOOK_PARTS),
          seconds: number,
          error: optional(text),
          count: optional(number),
          bytes: optional(number),
          events: optional(number),
        }),
      ),
    }),
  ),
  labels: (value) => isObject(value) && Object.values(value).every(text),
  warnings: listOf(text),
  recorder: shape({ version: text, pid: number, socket: optional(text) }),
};

/**
 * run.json as every reader may rely on it. A field that is missing or is not what it should be has
 * its empty value and is named in `wrong`, so that one damaged field does not cost the recording.
 */
export function checkRun(json: Readonly<Record<string, unknown>>): {
  run: RunInfo;
  wrong: string[];
} {
  const wrong = Object.entries(FIELDS)
    .filter(([key, check]) => !check(json[key]))
    .map(([key]) => key);
  const good = Object.keys(FIELDS).filter((key) => !wrong.includes(key));
  const fields = Object.fromEntries(good.map((key) => [key, json[key]]));
  return { run: newRun({ id: 'unknown', name: 'unknown', ...fields }), wrong };
}
