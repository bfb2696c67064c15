import { FormatError } from '../../base/errors.ts';
import { count, ellipsize, printable } from '../../base/text.ts';
import type { Input } from '../input.ts';
import { parseAmount, splitCells } from './cells.ts';
import { AMOUNTS, type Amount, guessHeader, type Header, parseHeader } from './header.ts';

/** What nvidia-smi says in place of figures, in the words of its drivers. */
const MESSAGE =
  /GPU is lost|^Unable to determine the device handle|^NVIDIA-SMI has failed|^Failed to |^No devices were found|Insufficient Permissions|Driver\/library version mismatch|^Field ".*" is not a valid field|^(?:Unknown Error|Error|ERROR)\b|^(?:Killed|Terminated)$|reboot the system|^Reboot /i;

const isMessage = (line: string) => MESSAGE.test(line);

/** Stricter, for a file that is nothing but such a message: no other program begins with these. */
const OWN =
  /^(?:NVIDIA-SMI has failed|Failed to initialize NVML|No devices were found$|Unable to determine the device handle for GPU|Field ".*" is not a valid field to query)/;

export const isOwnMessage = (line: string) => OWN.test(line);

/** One row of the log; amounts in bytes, NaN where they are not told. */
export interface SmiLogRow {
  readonly line: number;
  /** As the log has it; '' where it has no times. */
  readonly stamp: string;
  /** Tells GPUs apart; '' where nothing does. */
  readonly key: string;
  readonly amounts: Readonly<Record<Amount, number>>;
}

export interface SmiLog {
  readonly rows: readonly SmiLogRow[];
  /** What the log says of a GPU beside its figures, by key. */
  readonly cards: ReadonlyMap<string, LoggedCard>;
  /** How many GPUs the log says there are, 0 where it does not. */
  readonly count: number;
  /** Repairs and oddities, as sentences. */
  readonly warnings: readonly string[];
}

export interface LoggedCard {
  /** The driver's, where the log has it. */
  readonly index: number | null;
  readonly uuid: string;
  readonly name: string;
}

/** Reads all lines; throws for what can be neither a row, nor a header, nor a message. */
export function readRows(input: Input): SmiLog {
  const rows: SmiLogRow[] = [];
  const cards = new Map<string, LoggedCard>();
  const messages = new Map<string, number>();
  const warnings: string[] = [];
  let header: { line: string; is: Header } | null = null;
  let gpus = 0;
  let restarts = 0;
  let number = 0;
  for (const raw of input.lines({ keepEnds: true })) {
    number++;
    const line = raw.replaceAll('\0', '').trim();
    const place = `${input.name}, line ${number}`;
    if (line === '') continue;
    if (!raw.endsWith('\n')) {
      if (parseHeader(line) === null || rows.length > 0) {
        warnings.push('the last line has no end: dropped as cut off');
      }
      break;
    }
    const found = parseHeader(line);
    if (found) {
      if (header) restarts++;
      header = { line, is: found };
    } else if (header && line.endsWith(header.line)) {
      // A logger was killed within a line, and another one went on in the same file.
      restarts++;
    } else if (isMessage(line)) messages.set(line, (messages.get(line) ?? 0) + 1);
    else {
      header ??= { line, is: withoutHeader(place, line, warnings) };
      const row = readRow(place, number, line, header.is, cards);
      rows.push(row);
      if (header.is.count >= 0) gpus = Math.max(gpus, Number(splitCells(line)[header.is.count]));
    }
  }
  if (restarts > 0) {
    warnings.push(
      `the logger was started again ${restarts === 1 ? 'once' : `${restarts} times`}: the pause between is not known`,
    );
  }
  for (const [text, times] of messages) {
    warnings.push(`nvidia-smi said ${count(times, 'time')}: ${ellipsize(printable(text), 100)}`);
  }
  if (rows.length === 0) throw nothing(input, header !== null, [...messages.keys()][0]);
  return { rows, cards, count: Number.isInteger(gpus) ? gpus : 0, warnings };
}

function withoutHeader(place: string, line: string, warnings: string[]): Header {
  const guessed = guessHeader(line);
  if (guessed === null) {
    throw new FormatError(`${place}: '${line.slice(0, 60)}' is no line of an nvidia-smi log`);
  }
  if (guessed === 'ambiguous') {
    throw new FormatError(`${place}: no header says which column is memory.used`, {
      hint: "put it back as the first line, such as 'timestamp, index, memory.used [MiB]'",
    });
  }
  warnings.push('it has no header: the one column of memory is taken as memory.used');
  return guessed;
}

function readRow(
  place: string,
  line: number,
  text: string,
  header: Header,
  cards: Map<string, LoggedCard>,
): SmiLogRow {
  const cells = splitCells(text);
  if (cells.length !== header.width) {
    throw new FormatError(
      `${place}: '${text.slice(0, 60)}' has ${count(cells.length, 'field')}, expected ${header.width}`,
    );
  }
  const amounts = { used: NaN, free: NaN, total: NaN, reserved: NaN };
  for (const name of AMOUNTS) {
    if (header.amounts[name] < 0) continue;
    const bytes = parseAmount(cells[header.amounts[name]]!, header.units[name]);
    if (bytes === null) {
      const cell = cells[header.amounts[name]]!;
      throw new FormatError(`${place}: '${cell.slice(0, 40)}' is no amount of memory`);
    }
    amounts[name] = bytes;
  }
  const cell = (at: number) => (at < 0 ? '' : cells[at]!);
  const key = cell(header.index) || cell(header.uuid) || cell(header.bus);
  if (!cards.has(key)) {
    if (header.index >= 0 && !/^\d{1,4}$/.test(key)) {
      throw new FormatError(`${place}: '${key.slice(0, 40)}' is no index of a GPU`);
    }
    const index = header.index < 0 ? null : Number(key);
    cards.set(key, { index, uuid: cell(header.uuid), name: cell(header.name) });
  }
  return { line, stamp: cell(header.timestamp), key, amounts };
}

function nothing(input: Input, header: boolean, message: string | undefined): FormatError {
  if (message) {
    return new FormatError(
      `${input.name} has no sample: nvidia-smi said '${ellipsize(message, 120)}'`,
    );
  }
  return new FormatError(
    header
      ? `${input.name} has a header of nvidia-smi, but no whole row`
      : `${input.name} is no nvidia-smi log`,
  );
}
