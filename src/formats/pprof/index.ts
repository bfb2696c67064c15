import { momentsOf } from '../../model/allocations/live.ts';
import { isOfProfile, shownText } from '../../model/allocations/live-stacks.ts';
import type { HeldPaths } from '../../model/heap/held-path.ts';
import type { Recording } from '../../model/recording.ts';
import type { Format, WriteOptions } from '../format.ts';
import { looksLikeProfile } from './decode.ts';
import { encodeProfile, type ProfileSample } from './encode.ts';
import { profileSamples } from './profile-samples.ts';
import { readProfile } from './read.ts';
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
    const { name } = recording.run;
    const head = { first: 'inuse_space', taken: takenAt(recording) };
    const shown = shownText(recording, at);
    if (isOfProfile(recording, at)) {
      const { types, samples } = profileSamples(recording);
      return encodeProfile({ ...head, types, comments: [name, shown] }, samples);
    }
    const parts = momentsOf(recording, at).map((moment) =>
      traceSamples(recording, moment, categoryOf?.(moment.trace) ?? none),
    );
    return encodeProfile(
      { ...head, types: HEAP_TYPES, comments: [name, shown, ALLOCATED] },
      all(parts),
    );
  },
  writeHeap: ({ about, taken, paths }) =>
    encodeProfile(
      { types: HEAP_TYPES.slice(2), first: 'inuse_space', comments: about, taken },
      heapSamples(paths),
    ),
  writeNote: (recording, { at = 'peak' }: WriteOptions = {}) => shownText(recording, at),
};

/** Heap profiles of others: JAX's device memory profile, Go's, tcmalloc's, V8's. Of what we write ourselves a moment comes back, no trace. */
export const pprofHeap: Format = {
  id: 'pprof-heap',
  title: 'pprof heap profile',
  extensions: ['.prof', '.pb', '.pprof'],
  sniff: looksLikeProfile,
  read: readProfile,
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
