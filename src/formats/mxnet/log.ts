import { FormatError } from '../../base/errors.ts';
import { count } from '../../base/text.ts';
import { SECOND_NS } from '../../base/time.ts';
import { HOST_DEVICE } from '../../model/allocations/actions.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Recording } from '../../model/recording.ts';
import { TIME_FROM } from '../../model/schema.ts';
import type { Format } from '../format.ts';
import { headText, type Input } from '../input.ts';
import { type MxnetEvent, memoryEvents } from './lines.ts';
import { TraceWriter } from './trace-writer.ts';

/**
 * A training's log with tagged allocation lines among whatever else it prints. The lines often begin
 * far behind what `sniff` may see, so that the ending of the name has to do.
 */
export const mxnetLog: Format = {
  id: 'mxnet-log',
  title: 'tagged allocation lines of MXNet or of this package',
  extensions: ['.log'],
  sniff: (head) => /(?:^|\W)Allocate \d+ (?:bytes|MB) [A-Z]{2,5} memory \(/.test(headText(head)),
  read: readLog,
};

/** Seconds between two lines where nobody says: only their order is known. */
const APART = 0.001;

interface Tally {
  device: number;
  unsized: number;
  torn: number;
  /** Line of the first torn event, counted from 1. */
  firstTorn: number;
}

function readLog(input: Input): Recording {
  const builder = new RecordingBuilder({ id: `mxnet-log:${input.name}`, name: input.name });
  const writer = new TraceWriter(builder);
  const tally: Tally = { device: 0, unsized: 0, torn: 0, firstTorn: 0 };
  const step = (input.hints.interval ?? APART) * SECOND_NS;
  let line = 0;
  let order = 0;
  for (const text of input.lines()) {
    line++;
    for (const event of memoryEvents(text)) {
      note(event, builder, writer, tally, order++ * step);
      if (event.kind === 'torn') tally.firstTorn ||= line;
    }
  }
  if (writer.allocations === 0) {
    throw new FormatError(
      `${input.name} has no line that tells of an allocation${tally.torn > 0 ? ' in full' : ''}`,
      {
        hint: "as '[mem] Allocate 4096 bytes GPU memory (in_arg:weight).', see docs/analyze.md; of free, vmstat and nvidia-smi what LC_ALL=C makes them print is read",
      },
    );
  }
  writer.close();
  builder.run.allocator = {
    source: 'mxnet-log',
    settings: { releasesWithoutSize: tally.unsized },
    overflowed: null,
    maxEntries: null,
    range: null,
  };
  for (const warning of warnings(input, writer, tally, step)) builder.warn(warning);
  return builder.build();
}

function note(
  event: MxnetEvent,
  builder: RecordingBuilder,
  writer: TraceWriter,
  tally: Tally,
  time: number,
): void {
  switch (event.kind) {
    case 'allocate':
    case 'release':
      writer[event.kind](event.bytes, event.tag, event.onHost ? HOST_DEVICE : 0);
      return;
    case 'unsized-release':
      tally.unsized++;
      return;
    case 'device': {
      const { freeBytes, totalBytes } = event;
      tally.device++;
      builder
        .table('gpu')
        .push([time, 0, Math.max(0, totalBytes - freeBytes), null, freeBytes, totalBytes]);
      return;
    }
    case 'bound': {
      const words = [builder.intern('phase'), builder.intern('finished binding')];
      builder.table('marks').push([time, TIME_FROM.arrival, null, null, ...words]);
      return;
    }
    case 'torn':
      tally.torn++;
      return;
  }
}

function warnings(input: Input, writer: TraceWriter, tally: Tally, step: number): string[] {
  const found: string[] = [];
  if (tally.unsized > 0) {
    found.push(
      `${input.name} tells of ${count(tally.unsized, 'release')} without a size: its figures are totals of what was ` +
        'allocated, not a peak',
    );
  }
  if (writer.unmatched > 0) {
    found.push(
      `left out of ${input.name}: ${count(writer.unmatched, 'release')} of what was never allocated`,
    );
  }
  if (tally.torn > 0) {
    found.push(
      `left out of ${input.name}: ${count(tally.torn, 'allocation line')} cut off or mixed with other output (the ` +
        `first is line ${tally.firstTorn})`,
    );
  }
  if (tally.device > 0) {
    found.push(
      `${input.name} has no times: its lines are taken as ${step / SECOND_NS} s apart (--interval says otherwise)`,
    );
  }
  return found;
}
