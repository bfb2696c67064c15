import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Command, Option } from 'commander';
import { categoryOf } from '../../analyses/allocations/evidence/row-reasons.ts';
import { heldPaths } from '../../analyses/heap/index.ts';
import { stopped } from '../../analyses/stopped.ts';
import { stopWarning } from '../../analyses/trust.ts';
import { UserError } from '../../base/errors.ts';
import { printable } from '../../base/text.ts';
import type { Format, WriteOptions } from '../../formats/format.ts';
import { FORMATS } from '../../formats/index.ts';
import type { MomentChoice } from '../../model/allocations/live.ts';
import { isPlainTable } from '../../model/plain.ts';
import type { Recording } from '../../model/recording.ts';
import { isHeapFile, openHeap } from '../../open/heaps.ts';
import { openInput } from '../../open/open.ts';
import { parseMoment } from '../flags/moment.ts';
import { argument } from '../flags/parse.ts';
import { orNewest } from '../output/newest.ts';
import { writeOutFile, writeStream } from '../output/out-file.ts';
import { show, tell } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';

interface Options {
  to?: string;
  table?: string;
  at?: MomentChoice;
  out?: string;
  force?: boolean;
}

const WRITABLE = FORMATS.filter((format) => format.write);
/** Many recordings as a folder of tables, where all other formats are one file of one recording. */
const PARQUET = 'parquet';
const IDS = [...WRITABLE.map((format) => format.id), PARQUET];
/** Lenient formats stand last in the list, and are what most people write. */
const DEFAULT_TABLES = WRITABLE.filter((format) => format.defaultTable)
  .map(({ id, defaultTable }) => `${defaultTable} in ${id}`)
  .toReversed();

const EXAMPLE = `highwater export --to csv > mem_used.csv
highwater export run.hw --to csv --table host -o host.csv
highwater export run.hw --to free-log -o get_memory_usage.log
highwater export fft.hw --to nvidia-smi -o .      # writes memory_fft.txt
highwater export snapshot.pickle --to chrome-trace -o gpu.trace.json
highwater export snapshot.pickle --to speedscope -o peak.speedscope.json
highwater export snapshot.pickle --to pprof -o peak.pb.gz && go tool pprof -top peak.pb.gz
highwater export Heap.heapsnapshot --to pprof -o heap.pb.gz
highwater export snapshot.pickle --to csv --table events -o events.csv
highwater export highwater-runs --to parquet -o store   # many runs as tables, for SQL`;

export function command(): Command {
  return newCommand('export', 'Write a recording for other tools.', EXAMPLE)
    .argument(
      '[recording...]',
      `recording, packed or foreign file, or a heap (default: the newest); ${PARQUET}: any number, and folders of them`,
    )
    .addOption(
      new Option('--to <format>', 'what to write (default: by the ending of FILE)')
        .choices(IDS)
        .argParser(String),
    )
    .option('--table <table>', `which table (default: ${DEFAULT_TABLES.join(', ')})`)
    .option(
      '--at <moment>',
      `${idsWith('moment')}: an event as 1234, or seconds as 1.5s (default: the peak)`,
      argument(parseMoment),
    )
    .option(
      '-o, --out <file>',
      `where to; ${idsWith('fileName')}: or a folder; ${PARQUET}: a folder (default, and -: standard output)`,
    )
    .option('--force', 'replace an existing file');
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, exportRecording);
}

async function exportRecording(paths: readonly string[], options: Options): Promise<number> {
  if (options.to === PARQUET) return exportTables(paths, options);
  const [path, ...more] = paths;
  if (more.length > 0) {
    throw new UserError(`${paths.length} recordings: one at a time`, {
      hint: `only ${PARQUET} takes several`,
    });
  }
  await exportOne(path, options);
  return 0;
}

async function exportTables(paths: readonly string[], { table, at, out }: Options) {
  if (table !== undefined || at !== undefined) {
    const flag = table === undefined ? '--at' : '--table';
    throw new UserError(`${PARQUET} has all tables of whole runs, ${flag} cannot choose`);
  }
  const { exportParquet } = await import('./export/parquet.ts');
  return exportParquet(paths.length > 0 ? paths : [orNewest(undefined)], out);
}

async function exportOne(path: string | undefined, options: Options): Promise<void> {
  const format = chooseFormat(options);
  const at = chooseMoment(format, options.at);
  if (path !== undefined && isHeapFile(path)) return exportHeap(path, format, options);
  const recording = await openInput(orNewest(path));
  const table = chooseTable(format, recording, options.table);
  const how: WriteOptions = {
    table,
    at,
    categoryOf: (trace) => categoryOf(recording, trace),
  };
  const pieces = format.write!(recording, how);
  const out = options.out && inFolder(options.out, format, recording);
  await write(pieces, out, format, options);
  if (out !== options.out) show(`${out}\n`);
  const stop = stopped(recording);
  if (stop) tell(`highwater: ${printable(stopWarning(stop))}\n`);
  if (format.writeNote) tell(`highwater: ${format.writeNote(recording, how)}\n`);
}

/** A heap's objects by who holds them. */
async function exportHeap(path: string, format: Format, options: Options): Promise<void> {
  if (!format.writeHeap) {
    throw new UserError(`${path} is a heap, which ${format.id} cannot show`, {
      hint: `--to takes one of ${idsWith('writeHeap')}`,
    });
  }
  if (options.at !== undefined || options.table !== undefined) {
    throw new UserError(`${path} is a heap: it has one moment and no tables`, {
      hint: 'leave --at and --table out',
    });
  }
  const { heap } = await openHeap(path);
  if (!heap) throw new UserError(`${path} has only a heap's table, not who holds what`);
  const held = heldPaths(heap, basename(path));
  await write(format.writeHeap(held), options.out, format, options);
  for (const warning of heap.graph.about.warnings) tell(`highwater: ${printable(warning)}\n`);
  tell(`highwater: ${held.about.at(-1)}\n`);
}

async function write(
  pieces: Iterable<string | Uint8Array>,
  out: string | undefined,
  format: Format,
  { force = false }: Options,
): Promise<void> {
  if (out && out !== '-') {
    writeOutFile(out, pieces, force);
    return;
  }
  if (format.binary && process.stdout.isTTY) {
    throw new UserError(`${format.id} is not for a terminal`, { hint: 'name a file with -o' });
  }
  await writeStream(process.stdout, pieces);
}

const idsWith = (key: keyof Format) =>
  WRITABLE.filter((format) => format[key])
    .map(({ id }) => id)
    .join(', ');

function chooseFormat({ to, out }: Options): Format {
  const found = to
    ? WRITABLE.find((other) => other.id === to)
    : WRITABLE.toSorted((a, b) => endingOf(b, out) - endingOf(a, out))[0];
  if (found && (to || endingOf(found, out) > 0)) return found;
  const what = to ? `there is no format '${to}'` : 'which format?';
  throw new UserError(what, { hint: `--to takes one of ${IDS.join(', ')}` });
}

/** How much of a name a format claims: `x.speedscope.json` is more of speedscope's than of json's. */
function endingOf({ extensions }: Format, out = ''): number {
  return Math.max(0, ...extensions.filter((one) => out.endsWith(one)).map((one) => one.length));
}

function chooseMoment(format: Format, at: MomentChoice | undefined): MomentChoice | undefined {
  if (at === undefined || format.moment) return at;
  throw new UserError(`${format.id} is of the whole time, --at cannot choose a moment`);
}

/** A folder as the place: the file gets the name that is usual for its format. */
function inFolder(out: string, format: Format, { run }: Recording): string {
  const folder = statSync(out, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return folder && format.fileName ? join(out, format.fileName(run)) : out;
}

/** Tables that are not a recording's own, and what they are made of. */
const MADE_OF: Readonly<Record<string, string>> = { mem_used: 'host', events: 'allocations' };

function chooseTable(format: Format, recording: Recording, asked: string | undefined) {
  const table = asked ?? format.defaultTable;
  if (asked && format.only) {
    const made = `${format.id} is made of the table ${format.only}`;
    throw new UserError(`${made}, --table cannot choose another`);
  }
  if (asked && !format.defaultTable) {
    throw new UserError(`${format.id} holds all tables, --table cannot choose one`);
  }
  const source = format.only ?? (table && (MADE_OF[table] ?? table));
  if (source && isPlainTable(source) && recording.table(source).rows === 0) {
    const made = Object.keys(MADE_OF).filter((name) =>
      (recording.tables as readonly string[]).includes(MADE_OF[name]!),
    );
    const there = [
      ...(format.defaultTable === 'mem_used' ? made : []),
      ...recording.tables.filter(isPlainTable),
    ];
    throw new UserError(`the recording has no rows for table ${table ?? source}`, {
      hint: `it has ${there.join(', ') || 'none at all'}`,
    });
  }
  return table;
}
