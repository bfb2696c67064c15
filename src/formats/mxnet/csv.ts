import { FormatError } from '../../base/errors.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Recording } from '../../model/recording.ts';
import type { Format } from '../format.ts';
import { headText, type Input } from '../input.ts';
import { TraceWriter } from './trace-writer.ts';

/**
 * What the storage profiler of MXNet 1.x leaves as `<prefix>-pid_<pid>.csv`: a row each allocation on
 * a GPU, and a last one, `nvml_amend`, with what the driver counts beyond them. Names are not quoted
 * and may hold commas, so that a row is read from its end.
 */
export const mxnetCsv: Format = {
  id: 'mxnet-csv',
  title: "MXNet 1.x's storage profile",
  extensions: [],
  sniff: (head) => headerOf(headText(head).split(/\r?\n/, 1)[0]!) !== null,
  read: readProfile,
};

interface Header {
  /** Cells before the name. */
  readonly before: number;
  /** Cells behind the name. */
  readonly behind: number;
  /** The device's place and the actual size's among those behind. */
  readonly device: number | null;
  readonly actual: number;
}

const HEADERS: ReadonlyMap<string, Header> = new Map([
  [
    'Attribute Name,Requested Size,Device,Actual Size,Reuse?',
    { before: 0, behind: 4, device: 1, actual: 2 },
  ],
  // An earlier form, from before the profiler was merged.
  [
    'Time Stamp,Scope,Attribute Name,Data Struct,Requested,Actual,Reuse?',
    { before: 2, behind: 4, device: null, actual: 2 },
  ],
]);

const headerOf = (line: string) => HEADERS.get(line.replaceAll('"', '').trim()) ?? null;
const WHOLE = /^\d{1,15}$/;
const AMEND = 'nvml_amend';

function readProfile(input: Input): Recording {
  const builder = new RecordingBuilder({ id: `mxnet-csv:${input.name}`, name: input.name });
  const writer = new TraceWriter(builder);
  let header: Header | null = null;
  let number = 0;
  for (const raw of input.lines({ keepEnds: true })) {
    number++;
    const line = raw.replace(/\r?\n$/, '');
    if (line.trim() === '') continue;
    const place = `${input.name}, line ${number}`;
    if (!header) {
      header = headerOf(line);
      if (!header) throw new FormatError(`${place}: no header of MXNet's storage profile`);
      continue;
    }
    if (line === raw) {
      builder.warn(
        `line ${number} of ${input.name}, the last, has no line end: dropped as cut off`,
      );
      break;
    }
    readRow(place, line, header, writer, builder);
  }
  if (writer.allocations === 0) throw new FormatError(`${input.name} has no whole row`);
  writer.close();
  builder.run.allocator = {
    source: 'mxnet-csv',
    settings: {},
    overflowed: null,
    maxEntries: null,
    range: null,
  };
  return builder.build();
}

function readRow(
  place: string,
  line: string,
  header: Header,
  writer: TraceWriter,
  builder: RecordingBuilder,
): void {
  const cells = line.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  const name = cells.slice(header.before, cells.length - header.behind).join(',');
  const figures = cells.slice(cells.length - header.behind);
  const bytes = figures[header.actual] ?? '';
  const device = header.device === null ? '0' : (figures[header.device] ?? '');
  if (cells.length <= header.before + header.behind || !WHOLE.test(device)) {
    throw new FormatError(`${place}: '${line.slice(0, 60)}' is no row of MXNet's storage profile`);
  }
  if (name === AMEND && /^-\d{1,15}$/.test(bytes)) {
    builder.warn(
      `${place}: the driver counts less than the allocations before (${bytes} bytes): left out`,
    );
    return;
  }
  if (!WHOLE.test(bytes) || Number(device) > 1e6) {
    throw new FormatError(`${place}: '${line.slice(0, 60)}' has no size in bytes`);
  }
  const scope = header.before > 0 ? cells[header.before - 1]! : '';
  const between = scope === '' || scope.endsWith(':') || name === AMEND ? '' : ':';
  writer.allocate(
    Number(bytes),
    name === AMEND ? name : `${scope}${between}${name}`,
    Number(device),
  );
}
