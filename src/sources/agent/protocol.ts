/**
 * What an agent inside a program tells the recorder: one JSON object a line over a Unix socket, or
 * into a file. docs/agent-protocol.md is the contract; Python and TypeScript test the same golden
 * messages. It knows none of our internal types on purpose: they are not the wire's.
 */
import { type AgentObjects, parseObjects } from './object-rows.ts';
import {
  type AgentAnswer,
  type AgentSizes,
  type Ask,
  parseAnswer,
  parseAnswers,
  parseAsk,
  parseSizesMessage,
} from './request-messages.ts';

export type { AgentObjects, ObjectRow } from './object-rows.ts';
export type { AgentAnswer, AgentSizes, Ask } from './request-messages.ts';

export const PROTOCOL_VERSION = 1;

/** `step`: an iteration that nobody named; seen by an optimizer's step, counted from 1. */
export type MarkKind = 'iteration' | 'step' | 'epoch' | 'phase' | 'note';

/** First line of every connection: who speaks. */
export interface Hello {
  readonly type: 'hello';
  readonly version: number;
  readonly pid: number;
  readonly language: string;
  readonly rank: number | null;
  /** '' where it is not told, as by older agents. */
  readonly host: string;
  readonly program: string;
  /** The moment of this line on CLOCK_MONOTONIC and on the wall, nanoseconds both. */
  readonly time: number | null;
  readonly wall: number | null;
  /** How many ranks its job has, and what names the job; absent where no launcher told. */
  readonly world?: number;
  readonly job?: string;
  /** What it can be asked; absent where it answers nothing, as older agents. */
  readonly answers?: readonly string[];
}

export interface AgentMark {
  readonly type: 'mark';
  /** CLOCK_MONOTONIC of the machine, nanoseconds. */
  readonly time: number;
  readonly kind: MarkKind;
  readonly name: string;
  readonly epoch: number | null;
  readonly iteration: number | null;
  readonly value: number | null;
}

/** [name, kind, bytes]; null bytes: gone, or not measured any more. */
export type LayerRow = readonly [name: string, kind: string, bytes: number | null];

/** What the parts of a model hold at the end of an iteration: only what changed since the last. */
export interface AgentLayers {
  readonly type: 'layers';
  readonly time: number;
  readonly epoch: number | null;
  readonly iteration: number | null;
  readonly rows: readonly LayerRow[];
  /** Rows that could not be read, if there are any. */
  readonly refused?: number;
}

/** What a process read off itself at a moment: sizes in bytes, and counts. */
export interface AgentCounters {
  readonly type: 'counters';
  readonly time: number;
  readonly values: Readonly<Record<string, number>>;
  /** Values that could not be read, if there are any. */
  readonly refused?: number;
}

/** [shape, dtype, device, what, holder, count, bytes] */
export type TensorRow = readonly [string, string, string, string, string, number, number];

/** The tensors that live in a process, by shape and kind: the largest groups. */
export interface AgentTensors {
  readonly type: 'tensors';
  readonly time: number;
  readonly rows: readonly TensorRow[];
  /** Rows that could not be read, if there are any. */
  readonly refused?: number;
}

/** A snapshot of an allocator lies beside the recording. */
export interface AgentSnapshot {
  readonly type: 'snapshot';
  readonly time: number;
  /** Its name, without a folder. */
  readonly file: string;
  readonly why: 'oom' | 'end';
  /** The framework's number of the device. */
  readonly device: number;
  /** At an out-of-memory error: the bytes asked for, and those the device had free and in all. */
  readonly asked: number | null;
  readonly free: number | null;
  readonly total: number | null;
}

export interface AgentWarning {
  readonly type: 'warning';
  readonly text: string;
}

/** Last line of an orderly end; `dropped` counts messages that a full queue lost. */
export interface Bye {
  readonly type: 'bye';
  readonly dropped: number;
}

export type AgentMessage =
  | Hello
  | AgentMark
  | AgentLayers
  | AgentCounters
  | AgentTensors
  | AgentObjects
  | AgentSnapshot
  | AgentWarning
  | AgentSizes
  | Ask
  | AgentAnswer
  | Bye;

const KINDS: ReadonlySet<string> = new Set(['iteration', 'step', 'epoch', 'phase', 'note']);
const MAX_TEXT = 1000;
const MAX_ROWS = 5000;
const MAX_NAME = 500;
const KIND = /^[a-z0-9_]{1,40}$/;
const MAX_COUNTERS = 200;
const MAX_GROUPS = 100;
const COUNTER = /^[a-z][a-z0-9_]{0,39}\.[a-z0-9_.]{1,60}$/;

/** A line as a message, or why it is none. Agents are other people's processes: nothing is trusted. */
export function parseMessage(line: string): AgentMessage | { readonly wrong: string } {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return { wrong: 'not JSON' };
  }
  if (typeof json !== 'object' || json === null) return { wrong: 'not an object' };
  const fields = json as Record<string, unknown>;
  switch (fields.type) {
    case 'hello':
      return parseHello(fields);
    case 'mark':
      return parseMark(fields);
    case 'layers':
      return parseLayers(fields);
    case 'counters':
      return parseCounters(fields);
    case 'tensors':
      return parseTensors(fields);
    case 'objects':
      return parseObjects(fields);
    case 'snapshot':
      return parseSnapshot(fields);
    case 'sizes':
      return parseSizesMessage(fields);
    case 'ask':
      return parseAsk(fields);
    case 'answer':
      return parseAnswer(fields);
    case 'warning':
      return { type: 'warning', text: text(fields.text) };
    case 'bye':
      return { type: 'bye', dropped: number(fields.dropped) ?? 0 };
    default:
      return { wrong: `unknown type ${JSON.stringify(fields.type)?.slice(0, 40)}` };
  }
}

function parseHello(fields: Record<string, unknown>): Hello | { wrong: string } {
  const version = number(fields.version);
  const pid = number(fields.pid);
  if (version === null || pid === null) return { wrong: 'hello without version or pid' };
  const answers = parseAnswers(fields.answers);
  return {
    type: 'hello',
    version,
    pid,
    language: text(fields.language),
    rank: number(fields.rank),
    host: text(fields.host),
    program: text(fields.program),
    time: number(fields.time),
    wall: number(fields.wall),
    ...(number(fields.world) !== null && { world: number(fields.world)! }),
    ...(text(fields.job) !== '' && { job: text(fields.job) }),
    ...(answers && { answers }),
  };
}

function parseMark(fields: Record<string, unknown>): AgentMark | { wrong: string } {
  const time = number(fields.time);
  if (time === null) return { wrong: 'mark without time' };
  if (typeof fields.kind !== 'string' || !KINDS.has(fields.kind)) {
    return { wrong: 'mark of unknown kind' };
  }
  return {
    type: 'mark',
    time,
    kind: fields.kind as MarkKind,
    name: text(fields.name),
    epoch: number(fields.epoch),
    iteration: number(fields.iteration),
    value: number(fields.value),
  };
}

function parseLayers(fields: Record<string, unknown>): AgentLayers | { wrong: string } {
  const time = number(fields.time);
  if (time === null) return { wrong: 'layers without time' };
  if (!Array.isArray(fields.rows)) return { wrong: 'layers without rows' };
  const rows = fields.rows.slice(0, MAX_ROWS).filter(isLayerRow);
  const refused = fields.rows.length - rows.length;
  return {
    type: 'layers',
    time,
    epoch: number(fields.epoch),
    iteration: number(fields.iteration),
    rows: rows.map(([name, kind, bytes]) => [name.slice(0, MAX_NAME), kind, bytes] as const),
    ...(refused > 0 && { refused }),
  };
}

function isLayerRow(row: unknown): row is LayerRow {
  if (!Array.isArray(row) || row.length !== 3) return false;
  const [name, kind, bytes] = row;
  const sized = bytes === null || (number(bytes) ?? -1) >= 0;
  return typeof name === 'string' && typeof kind === 'string' && KIND.test(kind) && sized;
}

function parseCounters(fields: Record<string, unknown>): AgentCounters | { wrong: string } {
  const time = number(fields.time);
  if (time === null) return { wrong: 'counters without time' };
  const { values } = fields;
  if (typeof values !== 'object' || values === null) return { wrong: 'counters without values' };
  const all = Object.entries(values);
  const good = all.slice(0, MAX_COUNTERS).filter(isCounter);
  const refused = all.length - good.length;
  return {
    type: 'counters',
    time,
    values: Object.fromEntries(good),
    ...(refused > 0 && { refused }),
  };
}

function parseTensors(fields: Record<string, unknown>): AgentTensors | { wrong: string } {
  const time = number(fields.time);
  if (time === null) return { wrong: 'tensors without time' };
  if (!Array.isArray(fields.rows)) return { wrong: 'tensors without rows' };
  const rows = fields.rows.slice(0, MAX_GROUPS).filter(isTensorRow);
  const refused = fields.rows.length - rows.length;
  return { type: 'tensors', time, rows, ...(refused > 0 && { refused }) };
}

function isTensorRow(row: unknown): row is TensorRow {
  if (!Array.isArray(row) || row.length !== 7) return false;
  const [texts, sizes] = [row.slice(0, 5), row.slice(5)];
  return (
    texts.every((one) => typeof one === 'string' && one.length <= MAX_NAME) &&
    sizes.every((one) => (number(one) ?? -1) >= 0)
  );
}

function parseSnapshot(fields: Record<string, unknown>): AgentSnapshot | { wrong: string } {
  const time = number(fields.time);
  const { file, why } = fields;
  if (time === null) return { wrong: 'snapshot without time' };
  // A name and nothing else: it must not lead out of the folder.
  if (typeof file !== 'string' || !/^[\w-]{1,100}\.pickle$/.test(file)) {
    return { wrong: 'snapshot without the name of a file' };
  }
  return {
    type: 'snapshot',
    time,
    file,
    why: why === 'end' ? 'end' : 'oom',
    device: number(fields.device) ?? 0,
    asked: number(fields.asked),
    free: number(fields.free),
    total: number(fields.total),
  };
}

const isCounter = (entry: [string, unknown]): entry is [string, number] =>
  COUNTER.test(entry[0]) && (number(entry[1]) ?? -1) >= 0;

const number = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, MAX_TEXT) : '');
