import { FormatError } from '../../base/errors.ts';
import { VERSION } from '../../base/version.ts';
import { deviceId, deviceName } from '../../model/allocations/device-name.ts';
import { isTimed, traces } from '../../model/allocations/trace.ts';
import type { Recording } from '../../model/recording.ts';
import type { Format, WriteOptions } from '../format.ts';
import { allocationTrack } from './allocations.ts';
import { groupName, type TraceEvent } from './event.ts';
import { markEvents } from './marks.ts';
import { seriesTracks } from './series.ts';

/**
 * Memory over time as ui.perfetto.dev and chrome://tracing show it: counters of devices' allocators
 * and of sampled series, marks, phases. Written only; of long traces the extremes.
 */
export const chromeTrace: Format = {
  id: 'chrome-trace',
  title: 'trace-event JSON for Perfetto and Chrome',
  extensions: ['.trace.json'],
  sniff: () => false,
  write: (recording, options = {}) => pieces(recording, drawn(recording, options)),
  writeNote: (recording, options = {}) => drawn(recording, options).notes.join('; '),
};

const RUN = 1;
const EVENTS_A_PIECE = 256;

interface Drawn {
  readonly events: readonly TraceEvent[];
  readonly notes: readonly string[];
}

/** The note to the file's reader is known only once the file is: both are made of one drawing. */
const known = new WeakMap<Recording, Drawn>();

function drawn(recording: Recording, options: WriteOptions): Drawn {
  let found = known.get(recording);
  if (!found) {
    found = draw(recording, options);
    known.set(recording, found);
  }
  return found;
}

function draw(recording: Recording, { categoryOf }: WriteOptions): Drawn {
  const devices = traces(recording);
  const tracks = [
    ...seriesTracks(recording, RUN),
    ...devices.map((trace, i) => allocationTrack(trace, RUN + 1 + i, categoryOf)),
  ];
  const counters = tracks.flatMap((track) => track.events);
  if (counters.length === 0) {
    throw new FormatError('the recording has neither samples nor allocations over time');
  }
  const end = counters.reduce((last, { ts }) => Math.max(last, ts), 0);
  const names = devices.flatMap(({ device }, i) =>
    groupName(RUN + 1 + i, `allocator of ${deviceName(deviceId(device))}`),
  );
  const events = [
    ...groupName(RUN, recording.run.name || 'recording'),
    ...names,
    ...[...markEvents(recording, RUN, end), ...counters].sort((a, b) => a.ts - b.ts),
  ];
  const total = tracks.reduce((sum, { points }) => sum + points, 0);
  const leftOut = tracks.reduce((sum, track) => sum + track.leftOut, 0);
  const notes = [
    leftOut === 0
      ? `all ${total} points are in it`
      : `${leftOut} of ${total} points are left out: each stretch keeps its lowest and highest`,
  ];
  if (!devices.every((trace) => trace.events === 0 || isTimed(trace))) {
    notes.push('the trace has no times: an event stands for a microsecond');
  }
  return { events, notes };
}

function* pieces(recording: Recording, { events, notes }: Drawn): Generator<string> {
  const about = { producer: `highwater ${VERSION}`, recording: recording.run.name, notes };
  yield `{"displayTimeUnit":"ms","otherData":${JSON.stringify(about)},\n"traceEvents":[\n`;
  for (let from = 0; from < events.length; from += EVENTS_A_PIECE) {
    const some = events.slice(from, from + EVENTS_A_PIECE).map((event) => JSON.stringify(event));
    yield `${from > 0 ? ',\n' : ''}${some.join(',\n')}`;
  }
  yield '\n]}\n';
}
