import { KiB } from '../../base/bytes.ts';
import { FormatError } from '../../base/errors.ts';
import type { RecordingBuilder } from '../../model/builder.ts';
import type { TableBuffer } from '../../model/table.ts';
import type { Input } from '../input.ts';
import type { FreeTable } from './free-table.ts';

/** Columns of the host table that `free` knows, by the kernel's names. */
const FIELDS = [
  'MemTotal',
  'MemFree',
  'MemAvailable',
  'Buffers',
  'Cached',
  'Shmem',
  'SwapTotal',
  'SwapFree',
] as const;
type Field = (typeof FIELDS)[number];

/**
 * Columns of the row `Mem`. `cache` and `buff/cache` are sums of several fields of the kernel, and
 * `used` is another sum in each version, so those are not kept: what is used follows from
 * `available`, or in old versions from the row `-/+ buffers/cache`.
 */
const MEM: Readonly<Record<string, Field>> = {
  total: 'MemTotal',
  free: 'MemFree',
  shared: 'Shmem',
  buffers: 'Buffers',
  cached: 'Cached',
  available: 'MemAvailable',
};
const MINUS = '-/+ buffers/cache';
const SUFFIXES: Readonly<Record<string, number>> = {
  B: 1,
  Ki: KiB,
  Mi: KiB ** 2,
  Gi: KiB ** 3,
  Ti: KiB ** 4,
  Pi: KiB ** 5,
};

/** A number of free: plain, in whatever unit, or with a suffix that tells its bytes (free -h). */
export type FreeNumber =
  | { readonly plain: number; readonly line: number }
  | { readonly bytes: number };

export interface FreeRow {
  readonly line: number;
  readonly fields: ReadonlyMap<Field, FreeNumber>;
  readonly used: FreeNumber | null;
  readonly own: number | null;
}

export function freeRow(input: Input, table: FreeTable): FreeRow {
  const { rows, columns, line, own } = table;
  const fields = new Map<Field, FreeNumber>();
  const read = (name: string, wanted: readonly string[]) => {
    const row = rows.get(name);
    const cells = row?.cells ?? [];
    if (row && cells.length !== wanted.length) {
      throw new FormatError(
        `${input.name}, line ${row.line}: ${cells.length} numbers, expected ${wanted.length}`,
      );
    }
    return cells.map((cell) => parseNumber(input, row!.line, cell));
  };
  for (const [i, number] of read('Mem', columns).entries()) {
    const field = MEM[columns[i]!];
    if (field && number) fields.set(field, number);
  }
  const [used = null] = read(MINUS, ['used', 'free']);
  const [total, , free] = read('Swap', ['total', 'used', 'free']);
  if (total) fields.set('SwapTotal', total);
  if (free) fields.set('SwapFree', free);
  return { line, fields, used, own: own && own.text !== '-' ? Number(own.text) : null };
}

function parseNumber(input: Input, line: number, text: string): FreeNumber | null {
  if (text === '-') return null;
  if (/^\d{1,15}$/.test(text)) return { plain: Number(text), line };
  const m = /^(\d{1,6}(?:\.\d)?)(B|[KMGTP]i)$/.exec(text);
  if (m) return { bytes: Math.round(Number(m[1]) * SUFFIXES[m[2]!]!) };
  const either = /^[\d.]{1,8}[KMGTP]$/.test(text);
  throw new FormatError(`${input.name}, line ${line}: '${text}' is no number of free`, {
    hint: either ? 'G is GiB in some versions of free and GB in others: use free -b' : undefined,
  });
}

/** Writes rows with their times into the host table. */
export class FreeRows {
  readonly #host: TableBuffer;
  readonly #unit: number;
  readonly #index: ReadonlyMap<string, number>;

  constructor(builder: RecordingBuilder, unit: number, rows: readonly FreeRow[]) {
    const fields = FIELDS.filter((field) => rows.some((row) => row.fields.has(field)));
    this.#host = builder.table('host', fields);
    this.#unit = unit;
    this.#index = new Map(this.#host.spec.columns.map((column, i) => [column.name, i]));
  }

  push(ns: number, row: FreeRow): void {
    const at = this.#host.addRow();
    const set = (name: string, value: number) => {
      this.#host.f64(this.#index.get(name)!)[at] = value;
    };
    set('time', ns);
    for (const [field, number] of row.fields) set(field, this.#bytes(number));
    if (row.used) set('used', this.#bytes(row.used));
    if (row.own !== null) set('recorder_anon', row.own);
  }

  #bytes(number: FreeNumber): number {
    return 'bytes' in number ? number.bytes : number.plain * this.#unit;
  }
}

/** Every plain number of a row. */
export function* plainNumbers(row: FreeRow): Generator<{ plain: number; line: number }> {
  for (const number of [...row.fields.values(), row.used]) {
    if (number && 'plain' in number) yield number;
  }
}
