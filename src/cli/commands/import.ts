import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { parseSize } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import { shellJoin } from '../../base/text.ts';
import {
  parseMarkPattern,
  readTrainingLog,
  splitLines,
  withTrainingLog,
} from '../../formats/log-lines/index.ts';
import { asUserError } from '../../model/disk/files.ts';
import { createFolder, refuseExisting, saveRecording } from '../../model/disk/save.ts';
import type { Recording } from '../../model/recording.ts';
import { readForeign } from '../../open/foreign-file.ts';
import { locate } from '../../open/locate.ts';
import { openLocation } from '../../open/open.ts';
import { RUNS_FOLDER } from '../../open/recordings.ts';
import { EVENTS_FLAG, EVENTS_MEANING, eventRange } from '../flags/event-range.ts';
import { addHintOptions, type HintOptions, hintsOf } from '../flags/hints.ts';
import { argument, several } from '../flags/parse.ts';
import { show, tell } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';

interface Options extends HintOptions {
  out?: string;
  name?: string;
  force?: boolean;
  log?: string;
  mark: RegExp[];
  unit?: number;
  memory?: number;
  events?: { from: number; to: number };
}

const EXAMPLE = `highwater import mem_used.csv -o caffe.hw && highwater report caffe.hw
highwater import get_memory_usage.log --log run.log --time-zone -06:00 -o run.hw
highwater import train.bin -o heap.hw   # heap profiles: memray, heaptrack, tracemalloc, jemalloc, pprof`;

export function command(): Command {
  return addHintOptions(
    newCommand('import', 'Make a recording from a file of another tool.', EXAMPLE)
      .argument('<file>', 'a packed recording (.hwz) or a file of a known format; .gz is unpacked')
      .option('-o, --out <folder>', `where to (default: ./${RUNS_FOLDER}/<file>.hw)`)
      .option('--name <name>', "the recording's name (default: the file's)")
      .option(
        '--log <file>',
        "the training's own log: its start, iterations and epochs become marks",
      )
      .option(
        '--mark <regex>',
        'how a mark looks in the log; named groups iteration, epoch, loss, time, name (repeatable)',
        several(argument(parseMarkPattern)),
        [],
      )
      .option('--unit <unit>', 'unit of the numbers of free or vmstat: KiB, MiB, B …', unitFlag)
      .option(
        '--memory <size>',
        "the machine's memory, which vmstat does not tell",
        argument(parseSize),
      )
      .option(EVENTS_FLAG, EVENTS_MEANING, eventRange)
      .option('--force', 'replace an existing recording'),
  );
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, importFile);
}

async function importFile(file: string, options: Options): Promise<void> {
  const place = locate(file);
  if (place.kind === 'folder') {
    throw new UserError(`${place.path} is a recording already`, {
      hint: `highwater report ${place.path}`,
    });
  }
  const stem = basename(file).replace(/(\.\w{1,7})?(\.gz)?$/i, '') || basename(file);
  const out = options.out ?? join(RUNS_FOLDER, `${stem}.hw`);
  refuseExisting(out, existsSync(out), options.force ?? false);
  const { unit, memory, events } = options;
  const opened = await openLocation(place, { ...hintsOf(options), unit, memory, events });
  const recording = options.log ? overlay(opened, options.log, options) : opened;
  for (const name of recording.tables) recording.table(name);
  const warnings = [...recording.run.warnings, ...recording.damage];
  const name = options.name ?? (place.kind === 'file' ? stem : recording.run.name);
  saveAs({ ...recording, run: { ...recording.run, name, warnings } }, out, options.force ?? false);
  for (const warning of warnings) tell(`highwater: ${warning}\n`);
  show(`${out}\n`);
  tell(`next: ${shellJoin(['highwater', 'report', out])}\n`);
}

const unitFlag = argument((text: string) => parseSize(`1${text.trim()}`));

/** The recording with the marks of a training's log. */
function overlay(recording: Recording, path: string, { mark, timeZone }: Options): Recording {
  const { pieces, modified } = readForeign(path);
  const log = readTrainingLog(basename(path), linesOf(pieces), { patterns: mark });
  return withTrainingLog(recording, log, { fileTime: modified, timeZone });
}

function* linesOf(pieces: Iterable<Uint8Array>): Generator<string> {
  const splitter = splitLines();
  for (const piece of pieces) yield* splitter.push(piece);
  yield* splitter.end();
}

/** Under another name until it is whole, so that a failure does not cost the recording it replaces. */
function saveAs(recording: Recording, out: string, force: boolean): void {
  const part = `${out}.part-${process.pid}`;
  try {
    rmSync(part, { recursive: true, force: true });
    mkdirSync(part, { recursive: true });
    saveRecording(recording, part);
    createFolder(out, force);
    for (const name of readdirSync(part)) renameSync(join(part, name), join(out, name));
  } catch (error) {
    throw asUserError(out, error, 'write');
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}
