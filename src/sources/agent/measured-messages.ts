/** Messages about what a process measured in itself: many rows each, of which only good ones are taken. */
import { type Fields, isAmount, number, type Wrong } from './fields.ts';

interface Measured {
  readonly time: number;
  /** Rows or values that could not be read, if there are any. */
  readonly refused?: number;
}

/** [name, kind, bytes]; null bytes: gone, or not measured any more. */
export type LayerRow = readonly [name: string, kind: string, bytes: number | null];

/** What the parts of a model hold at the end of an iteration: only what changed since the last. */
export interface AgentLayers extends Measured {
  readonly type: 'layers';
  readonly epoch: number | null;
  readonly iteration: number | null;
  readonly rows: readonly LayerRow[];
}

/** What a process read off itself at a moment: sizes in bytes, and counts. */
export interface AgentCounters extends Measured {
  readonly type: 'counters';
  readonly values: Readonly<Record<string, number>>;
}

/** [shape, dtype, device, what, holder, count, bytes] */
export type TensorRow = readonly [string, string, string, string, string, number, number];

/** The tensors that live in a process, by shape and kind: the largest groups. */
export interface AgentTensors extends Measured {
  readonly type: 'tensors';
  readonly rows: readonly TensorRow[];
}

/** [kind, type, of, holder, count, grown, seconds, bytes] */
export type ObjectRow = readonly [string, string, string, string, number, number, number, number];

/** What Python's own objects grew by: containers with more and more in them, and types. */
export interface AgentObjects extends Measured {
  readonly type: 'objects';
  readonly rows: readonly ObjectRow[];
}

const MAX_LAYERS = 5000;
const MAX_COUNTERS = 200;
const MAX_GROUPS = 100;
const MAX_NAME = 500;
const KIND = /^[a-z0-9_]{1,40}$/;
const COUNTER = /^[a-z][a-z0-9_]{0,39}\.[a-z0-9_.]{1,60}$/;

export function parseLayers(fields: Fields): AgentLayers | Wrong {
  const time = number(fields.time);
  if (time === null) return { wrong: 'layers without time' };
  if (!Array.isArray(fields.rows)) return { wrong: 'layers without rows' };
  const { good, refused } = taken(fields.rows, MAX_LAYERS, isLayerRow);
  return {
    type: 'layers',
    time,
    epoch: number(fields.epoch),
    iteration: number(fields.iteration),
    rows: good.map(([name, kind, bytes]) => [name.slice(0, MAX_NAME), kind, bytes] as const),
    ...refused,
  };
}

export function parseCounters(fields: Fields): AgentCounters | Wrong {
  const time = number(fields.time);
  if (time === null) return { wrong: 'counters without time' };
  const { values } = fields;
  if (typeof values !== 'object' || values === null) return { wrong: 'counters without values' };
  const { good, refused } = taken(Object.entries(values), MAX_COUNTERS, isCounter);
  return { type: 'counters', time, values: Object.fromEntries(good), ...refused };
}

export function parseTensors(fields: Fields): AgentTensors | Wrong {
  const time = number(fields.time);
  if (time === null) return { wrong: 'tensors without time' };
  if (!Array.isArray(fields.rows)) return { wrong: 'tensors without rows' };
  const { good, refused } = taken(fields.rows, MAX_GROUPS, isTensorRow);
  return { type: 'tensors', time, rows: good, ...refused };
}

export function parseObjects(fields: Fields): AgentObjects | Wrong {
  const time = number(fields.time);
  if (time === null) return { wrong: 'objects without time' };
  if (!Array.isArray(fields.rows)) return { wrong: 'objects without rows' };
  const { good, refused } = taken(fields.rows, MAX_GROUPS, isObjectRow);
  return { type: 'objects', time, rows: good, ...refused };
}

/** The good ones among the first `most`; all others are counted. */
function taken<A, B extends A>(all: readonly A[], most: number, isGood: (one: A) => one is B) {
  const good = all.slice(0, most).filter(isGood);
  const refused = all.length - good.length;
  return { good, refused: refused > 0 ? { refused } : {} };
}

function isLayerRow(row: unknown): row is LayerRow {
  if (!Array.isArray(row) || row.length !== 3) return false;
  const [name, kind, bytes] = row;
  const sized = bytes === null || isAmount(bytes);
  return typeof name === 'string' && typeof kind === 'string' && KIND.test(kind) && sized;
}

const isCounter = (entry: [string, unknown]): entry is [string, number] =>
  COUNTER.test(entry[0]) && isAmount(entry[1]);

const isTensorRow = (row: unknown): row is TensorRow => isRowOf(row, 5, 2);
const isObjectRow = (row: unknown): row is ObjectRow => isRowOf(row, 4, 4);

/** First texts, then sizes and counts. */
function isRowOf(row: unknown, texts: number, amounts: number): boolean {
  if (!Array.isArray(row) || row.length !== texts + amounts) return false;
  const isName = (one: unknown) => typeof one === 'string' && one.length <= MAX_NAME;
  return row.slice(0, texts).every(isName) && row.slice(texts).every(isAmount);
}
