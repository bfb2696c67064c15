import { MiB } from '../../base/bytes.ts';
import { isAbsent, isAmount, isStamp, splitCells, unitNamed } from './cells.ts';

export const AMOUNTS = ['used', 'free', 'total', 'reserved'] as const;
export type Amount = (typeof AMOUNTS)[number];

/** Where a row has what; -1 where it has not. */
export interface Header {
  readonly width: number;
  readonly amounts: Readonly<Record<Amount, number>>;
  /** Bytes of a bare number in each of these. */
  readonly units: Readonly<Record<Amount, number>>;
  readonly timestamp: number;
  readonly index: number;
  readonly uuid: number;
  readonly bus: number;
  readonly name: number;
  readonly count: number;
}

/** A field's name and its unit: `memory.used [MiB]`. */
const FIELD = /^([a-z][a-zA-Z0-9_]*(?:\.[a-zA-Z0-9_]+)*)(?: \[([^\]]{1,12})\])?$/;
/** Fields that hardly another tool's header has. */
const TELLING =
  /^(?:memory\.(?:used|free|total|reserved)|utilization\.\w+|temperature\.\w+|power\.\w+|clocks\.[\w.]+|pci\.\w+|gpu_(?:uuid|name|bus_id)|driver_version|pstate)$/;

/** The header that nvidia-smi prints; null for a line that is none. */
export function parseHeader(line: string): Header | null {
  const fields = splitCells(line).map((cell) => FIELD.exec(cell));
  if (!fields.every((field) => field !== null)) return null;
  const names = fields.map((field) => field[1]!);
  if (!names.some((name) => TELLING.test(name))) return null;
  const at = (...wanted: string[]) => names.findIndex((name) => wanted.includes(name));
  const amounts = {
    used: at('memory.used'),
    free: at('memory.free'),
    total: at('memory.total'),
    reserved: at('memory.reserved'),
  };
  const unit = (place: number) => unitNamed(fields[place]?.[2] ?? '') ?? MiB;
  return {
    width: names.length,
    amounts,
    units: {
      used: unit(amounts.used),
      free: unit(amounts.free),
      total: unit(amounts.total),
      reserved: unit(amounts.reserved),
    },
    timestamp: at('timestamp'),
    index: at('index'),
    uuid: at('uuid', 'gpu_uuid'),
    bus: at('pci.bus_id', 'gpu_bus_id'),
    name: at('name', 'gpu_name'),
    count: at('count'),
  };
}

const UUID = /^(?:GPU|MIG)-[0-9a-f-]{8,}/i;
const BUS = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]$/i;

/** How the columns of a log without a header can be told: by what stands in them, and only that. */
export function guessHeader(line: string): Header | 'ambiguous' | null {
  const cells = splitCells(line);
  const amounts = cells.filter(isAmount).length;
  const timestamp = cells.findIndex(isStamp);
  if (amounts === 0 && (timestamp < 0 || cells.length < 2 || !cells.every(plain))) return null;
  if (amounts !== 1) return 'ambiguous';
  const units = { used: MiB, free: MiB, total: MiB, reserved: MiB };
  return {
    width: cells.length,
    amounts: { used: cells.findIndex(isAmount), free: -1, total: -1, reserved: -1 },
    units,
    timestamp,
    index: -1,
    uuid: cells.findIndex((cell) => UUID.test(cell)),
    bus: cells.findIndex((cell) => BUS.test(cell)),
    name: -1,
    count: -1,
  };
}

const plain = (cell: string) =>
  isStamp(cell) || isAbsent(cell) || /^\d+(?:\.\d+)?(?: [%WC]| MHz)?$/.test(cell);
