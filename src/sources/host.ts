import { KiB } from '../base/bytes.ts';
import { hostTable, type TableSpec } from '../model/schema.ts';
import type { TableBuffer } from '../model/table.ts';
import { HeldFile, numberAt, readText } from './proc.ts';
import type { Machine, Sampler, Sink, Source, Tick } from './source.ts';

const COLON = 0x3a;
const NEWLINE = 0x0a;
const ZERO = 0x30;
const LETTER_B = 0x42;
/** `used` and `recorder_anon`, after the kernel's own. */
const OWN_COLUMNS = 2;

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
  open: (machine, sink) => new HostSampler(machine, sink),
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

/** Our own size moves slowly, and costs as much to read as the whole machine's. */
const OWN_NS = 100e6;

class HostSampler implements Sampler {
  readonly #table: TableBuffer;
  /** The column of each line; −1 for one that holds no number, or whose name is taken. */
  readonly #columns: readonly number[];
  readonly #buffer = Buffer.alloc(16_384);
  readonly #file: HeldFile;
  readonly #ownBuffer = Buffer.alloc(4096);
  readonly #own: HeldFile;
  readonly #ownColumn: number;
  #ownAnon = Number.NaN;
  #ownDue = 0;

  constructor(machine: Machine, sink: Sink) {
    const spec = hostTable(meminfoFields(machine));
    this.#columns = lineColumns(machine, spec);
    this.#table = sink.table(spec);
    this.#ownColumn = spec.columns.findIndex((c) => c.name === 'recorder_anon');
    this.#file = new HeldFile(`${machine.proc}/meminfo`, this.#buffer);
    this.#own = new HeldFile(`${machine.proc}/self/status`, this.#ownBuffer);
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
    // The fields come in the same order at each read: one pass over the bytes, no text made.
    const buffer = this.#buffer;
    let at = 0;
    for (const column of this.#columns) {
      while (column > 0 && at < length && buffer[at] !== COLON) at++;
      let value = 0;
      for (at++; at < length && buffer[at] !== NEWLINE; at++) {
        const digit = buffer[at]! - ZERO;
        if (digit >= 0 && digit <= 9) value = value * 10 + digit;
      }
      if (at >= length) return;
      if (column < 0) continue;
      const inKiB = buffer[at - 1] === LETTER_B; // "kB"; the HugePages_ fields count pages
      this.#table.f64(column)[row] = inKiB ? value * KiB : value;
    }
  }

  close(): void {
    this.#file.close();
    this.#own.close();
  }

  #readOwn(): void {
    const length = this.#own.read();
    const at = this.#ownBuffer.indexOf('RssAnon:');
    if (length > 0 && at >= 0) this.#ownAnon = numberAt(this.#ownBuffer, at + 8, length) * KiB;
  }
}
