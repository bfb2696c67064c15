import { cpus } from 'node:os';
import { KiB } from '../base/bytes.ts';
import { hostTable, type TableSpec } from '../model/schema.ts';
import type { TableBuffer } from '../model/table.ts';
import { HeldFile, numberAt, openOrNull, readText, TICK_NS } from './proc.ts';
import type { Machine, Sampler, Sink, Source, Tick } from './source.ts';

const NEWLINE = 0x0a;
const ZERO = 0x30;
const LETTER_B = 0x42;
const isDigit = (byte: number) => byte >= ZERO && byte <= ZERO + 9;
/** `used`, `recorder_anon` and `stolen`, after the kernel's own. */
const OWN_COLUMNS = 3;

/** /proc/meminfo: the whole machine, every field that this kernel has. */
export const hostSource: Source = {
  id: 'host',
  title: "the machine's memory (/proc/meminfo)",
  probe(machine) {
    const fields = meminfoFields(machine);
    if (fields.length === 0)
      return { ok: false, reason: `${machine.proc}/meminfo is not readable` };
    if (!fields.includes('MemAvailable')) {
      return { ok: true, detail: 'this kernel has no MemAvailable: used is total − free − caches' };
    }
    return { ok: true, detail: `${fields.length} fields` };
  },
  open: ({ machine, sink }) => new HostSampler(machine, sink),
};

export function meminfoFields(machine: Machine): string[] {
  const text = readText(`${machine.proc}/meminfo`) ?? '';
  return [...text.matchAll(/^([^:\n]+):\s+\d+/gm)].map((match) => match[1]!);
}

function lineColumns(machine: Machine, spec: TableSpec): number[] {
  const fields = new Set(meminfoFields(machine));
  const lines = (readText(`${machine.proc}/meminfo`) ?? '').trimEnd().split('\n');
  return lines.map((line) => {
    const name = line.slice(0, line.indexOf(':'));
    // A name counts once, and one that the table has for itself not at all.
    const wanted = fields.delete(name) && /:\s+\d/.test(line);
    const column = spec.columns.findIndex((c) => c.name === name);
    return wanted && column > 0 && column < spec.columns.length - OWN_COLUMNS ? column : -1;
  });
}

/** The kernel counts every processor's interrupts to answer /proc/stat: milliseconds on a large machine. */
const STOLEN_NS = 2e9;
/** cpu user nice system idle iowait irq softirq steal */
const STEAL_FIELD = 8;

/** Our own size moves slowly, and costs as much to read as the whole machine's. */
const OWN_NS = 100e6;

export class HostSampler implements Sampler {
  readonly #table: TableBuffer;
  /** The column of each line; −1 for one that holds no number, or whose name is taken. */
  readonly #columns: readonly number[];
  /** Where each line ended at the last read, and how long all was. */
  readonly #ends: Int32Array;
  #length = -1;
  readonly #buffer = Buffer.alloc(16_384);
  readonly #file: HeldFile;
  readonly #ownBuffer = Buffer.alloc(4096);
  readonly #own: HeldFile;
  readonly #ownColumn: number;
  #ownAnon = Number.NaN;
  #ownDue = 0;
  readonly #statBuffer = Buffer.alloc(512);
  readonly #stat: HeldFile | null;
  readonly #stolenColumn: number;
  #stolenDue = 0;
  #stolenLast = { ns: Number.NaN, at: Number.NaN };
  /** Of all processors' time between the last two looks. */
  stolenShare = 0;

  constructor(machine: Machine, sink: Sink) {
    const spec = hostTable(meminfoFields(machine));
    this.#columns = lineColumns(machine, spec);
    this.#ends = new Int32Array(this.#columns.length);
    this.#table = sink.table(spec);
    this.#ownColumn = spec.columns.findIndex((c) => c.name === 'recorder_anon');
    this.#file = new HeldFile(`${machine.proc}/meminfo`, this.#buffer);
    this.#own = new HeldFile(`${machine.proc}/self/status`, this.#ownBuffer);
    this.#stolenColumn = spec.columns.findIndex((c) => c.name === 'stolen');
    this.#stat = openOrNull(`${machine.proc}/stat`, this.#statBuffer);
  }

  sample(tick: Tick): void {
    const length = this.#file.read();
    if (length <= 0) return;
    if (tick.time >= this.#ownDue) {
      this.#ownDue = tick.time + OWN_NS;
      this.#readOwn();
    }
    const row = this.#table.addRow();
    this.#table.f64(0)[row] = tick.time;
    this.#table.f64(this.#ownColumn)[row] = this.#ownAnon;
    if (tick.time >= this.#stolenDue) {
      this.#stolenDue = tick.time + STOLEN_NS;
      const ns = this.#readStolen();
      this.#table.f64(this.#stolenColumn)[row] = ns;
      const { ns: before, at } = this.#stolenLast;
      this.stolenShare = (ns - before) / ((tick.time - at) * cpus().length) || 0;
      this.#stolenLast = { ns, at: tick.time };
    }
    if (!this.#linesStand(length)) this.#findLines(length);
    for (let line = 0; line < this.#columns.length; line++) this.#readLine(line, row);
  }

  close(): void {
    this.#file.close();
    this.#own.close();
    this.#stat?.close();
  }

  /** Numbers are aligned, so lines hardly ever move. */
  #linesStand(length: number): boolean {
    if (length !== this.#length) return false;
    for (let line = 0; line < this.#ends.length; line++) {
      if (this.#buffer[this.#ends[line]!] !== NEWLINE) return false;
    }
    return true;
  }

  #findLines(length: number): void {
    this.#length = length;
    let at = 0;
    for (let line = 0; line < this.#ends.length; line++) {
      while (at < length && this.#buffer[at] !== NEWLINE) at++;
      this.#ends[line] = at++;
    }
  }

  /** From the end of the line backwards: most of a line is its name and spaces. */
  #readLine(line: number, row: number): void {
    const column = this.#columns[line]!;
    if (column < 0) return;
    const buffer = this.#buffer;
    let at = this.#ends[line]! - 1;
    const inKiB = buffer[at] === LETTER_B; // the HugePages_ fields count pages
    if (inKiB) at -= ' kB'.length;
    let value = 0;
    for (let place = inKiB ? KiB : 1; isDigit(buffer[at]!); place *= 10) {
      value += (buffer[at--]! - ZERO) * place;
    }
    this.#table.f64(column)[row] = value;
  }

  #readOwn(): void {
    const length = this.#own.read();
    const at = this.#ownBuffer.indexOf('RssAnon:');
    if (length > 0 && at >= 0) this.#ownAnon = numberAt(this.#ownBuffer, at + 8, length) * KiB;
  }
  #readStolen(): number {
    const length = this.#stat?.read() ?? -1;
    if (length <= 0) return Number.NaN;
    const [name, ...fields] = this.#statBuffer.toString('latin1', 0, length).split(/\s+/, 9);
    return name === 'cpu' && fields.length === STEAL_FIELD
      ? Number(fields[STEAL_FIELD - 1]) * TICK_NS
      : Number.NaN;
  }
}
