/**
 * What an agent inside a program tells the recorder: one JSON object a line over a Unix socket, or
 * into a file. docs/agent-protocol.md is the contract; Python and TypeScript test the same golden
 * messages. This file stands alone on purpose: the wire is not our internal types.
 */
export const PROTOCOL_VERSION = 1;

export type MarkKind = 'iteration' | 'epoch' | 'phase' | 'note';

/** First line of every connection: who speaks. */
export interface Hello {
  readonly type: 'hello';
  readonly version: number;
  readonly pid: number;
  readonly language: string;
  readonly rank: number | null;
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

export interface AgentWarning {
  readonly type: 'warning';
  readonly text: string;
}

/** Last line of an orderly end; `dropped` counts messages that a full queue lost. */
export interface Bye {
  readonly type: 'bye';
  readonly dropped: number;
}

export type AgentMessage = Hello | AgentMark | AgentWarning | Bye;

const KINDS: ReadonlySet<string> = new Set(['iteration', 'epoch', 'phase', 'note']);
const MAX_TEXT = 1000;

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
  return {
    type: 'hello',
    version,
    pid,
    language: text(fields.language),
    rank: number(fields.rank),
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

const number = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, MAX_TEXT) : '');
