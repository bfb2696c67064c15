/**
 * What an agent inside a program tells the recorder: one JSON object a line over a Unix socket, or
 * into a file. docs/agent-protocol.md is the contract; Python and TypeScript test the same golden
 * messages. It knows none of our internal types on purpose: they are not the wire's.
 */
import { type Fields, number, text, type Wrong } from './fields.ts';
import {
  type AgentCounters,
  type AgentLayers,
  type AgentObjects,
  type AgentTensors,
  parseCounters,
  parseLayers,
  parseObjects,
  parseTensors,
} from './measured-messages.ts';
import {
  type AgentAnswer,
  type AgentSizes,
  type Ask,
  parseAnswer,
  parseAnswers,
  parseAsk,
  parseSizesMessage,
} from './request-messages.ts';

export type {
  AgentCounters,
  AgentLayers,
  AgentObjects,
  AgentTensors,
  LayerRow,
  ObjectRow,
  TensorRow,
} from './measured-messages.ts';
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

/** A line as a message, or why it is none. Agents are other people's processes: nothing is trusted. */
export function parseMessage(line: string): AgentMessage | Wrong {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return { wrong: 'not JSON' };
  }
  if (typeof json !== 'object' || json === null) return { wrong: 'not an object' };
  const fields = json as Fields;
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

function parseHello(fields: Fields): Hello | Wrong {
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

function parseMark(fields: Fields): AgentMark | Wrong {
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

function parseSnapshot(fields: Fields): AgentSnapshot | Wrong {
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
