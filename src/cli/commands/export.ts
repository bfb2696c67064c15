import { UserError } from '../../base/errors.ts';
import type { Format } from '../../formats/format.ts';
import { FORMATS } from '../../formats/index.ts';
import { isPlainTable } from '../../model/plain.ts';
import type { Recording } from '../../model/recording.ts';
import { newCommand, runCommand } from '../command.ts';
import { openInput } from '../open.ts';
import { writeOutFile, writeStream } from '../out-file.ts';

interface Options {
  to?: string;
  table?: string;
  out?: string;
  force?: boolean;
}

const WRITABLE = FORMATS.filter((format) => format.write);
const IDS = WRITABLE.map((format) => format.id).join(', ');

const EXAMPLE = `highwater export --to csv > mem_used.csv
highwater export run.hw --to csv --table host -o host.csv
highwater export run.hw --to free-log -o get_memory_usage.log`;

export async function run(argv: readonly string[]): Promise<number> {
  const command = newCommand('export', 'Write a recording for other tools.', EXAMPLE)
    .argument('[recording]', 'recording, packed or foreign file (default: the newest)')
    .option('--to <format>', `one of ${IDS} (default: by the ending of FILE)`)
    .option('--table <table>', 'which table (default: mem_used in csv, host in arrow)')
    .option('-o, --out <file>', 'where to (default: standard output)')
    .option('--force', 'replace an existing file');
  command.action(async (path: string | undefined, options: Options) => {
    const format = chooseFormat(options);
    const recording = await openInput(path);
    const table = chooseTable(format, recording, options.table);
    const pieces = format.write!(recording, { table });
    if (options.out) return writeOutFile(options.out, pieces, options.force ?? false);
    if (format.binary && process.stdout.isTTY) {
      throw new UserError(`${format.id} is not for a terminal`, { hint: 'name a file with -o' });
    }
    await writeStream(process.stdout, pieces);
  });
  return runCommand(command, argv);
}

function chooseFormat({ to, out }: Options): Format {
  const format = WRITABLE.find((other) =>
    to ? other.id === to : other.extensions.some((ending) => out?.endsWith(ending)),
  );
  if (format) return format;
  const what = to ? `there is no format '${to}'` : 'which format?';
  throw new UserError(what, { hint: `--to takes one of ${IDS}` });
}

function chooseTable(format: Format, recording: Recording, asked: string | undefined) {
  const table = asked ?? format.defaultTable;
  if (asked && format.hostOnly) {
    throw new UserError(`${format.id} is made of the table host, --table cannot choose another`);
  }
  if (asked && !format.defaultTable) {
    throw new UserError(`${format.id} holds all tables, --table cannot choose one`);
  }
  const source = table === 'mem_used' || format.hostOnly ? 'host' : table;
  if (source && isPlainTable(source) && recording.table(source).rows === 0) {
    throw new UserError(`the recording has no rows for table ${table ?? source}`, {
      hint: `it has ${recording.tables.filter(isPlainTable).join(', ') || 'none at all'}`,
    });
  }
  return table;
}
