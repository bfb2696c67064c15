import { momentsOf, momentsText } from '../../model/allocations/live.ts';
import type { HeldPaths } from '../../model/heap/held-path.ts';
import type { Recording } from '../../model/recording.ts';
import type { Format, WriteOptions } from '../format.ts';
import { encodeProfile, type ProfileSample } from './encode.ts';
import { HEAP_TYPES, traceSamples } from './trace-samples.ts';

/**
 * A heap profile for `go tool pprof`, Pyroscope and Parca: by call stack what lived at one moment of an allocation trace
 * (`inuse_*`) and what had been allocated until then (`alloc_*`).
 */
export const pprof: Format = {
  id: 'pprof',
  title: 'pprof heap profile of live memory',
  extensions: ['.pb.gz', '.pprof'],
  moment: true,
  binary: true,
  sniff: () => false,
  write: (recording, { at = 'peak', categoryOf }: WriteOptions = {}) => {
    const moments = momentsOf(recording, at);
    const comments = [recording.run.name, momentsText(moments), ALLOCATED];
    return encodeProfile(
      { types: HEAP_TYPES, first: 'inuse_space', comments, taken: takenAt(recording) },
      all(
        moments.map((moment) =>
          traceSamples(recording, moment, categoryOf?.(moment.trace) ?? none),
        ),
      ),
    );
  },
  writeHeap: ({ about, taken, paths }) =>
    encodeProfile(
      { types: HEAP_TYPES.slice(2), first: 'inuse_space', comments: about, taken },
      heapSamples(paths),
    ),
  writeNote: (recording, { at = 'peak' }: WriteOptions = {}) =>
    momentsText(momentsOf(recording, at)),
};

const ALLOCATED =
  'alloc_*: allocated up to that moment, with what was there when the trace began, as far as it tells';

const none = () => '';

function* all(parts: readonly Iterable<ProfileSample>[]): Generator<ProfileSample> {
  for (const part of parts) yield* part;
}

function* heapSamples(paths: HeldPaths['paths']): Generator<ProfileSample> {
  for (const { path, objects, bytes } of paths) {
    const frames = path.map((name) => ({ function: name, file: '', line: 0 })).reverse();
    yield { frames, values: [objects, bytes], labels: [] };
  }
}

/** Files that do not tell have 1970. */
function takenAt({ run }: Recording): number | null {
  const time = Date.parse(run.startedAt);
  return time > 0 ? time : null;
}
