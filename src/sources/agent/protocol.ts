/**
 * What an agent inside a program tells the recorder: one JSON object a line over a Unix socket, or
 * into a file. docs/agent-protocol.md is the contract; Python and TypeScript test the same golden
 * messages.
 */
import type { MessageFields, Wrong } from './kinds/fields.ts';
import { type AgentMessage, KINDS } from './kinds/index.ts';

export const PROTOCOL_VERSION = 1;

const KIND_OF = new Map<unknown, (typeof KINDS)[number]>(KINDS.map((kind) => [kind.type, kind]));

/** What a clock of nanoseconds in 64 bits can tell; what is no number is looked at by the kind. */
const isMoment = (value: unknown) =>
  typeof value !== 'number' || !Number.isFinite(value) || (value >= 0 && value < 2 ** 63);

/** A line as a message, or why it is none. */
export function parseMessage(line: string): AgentMessage | Wrong {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return { wrong: 'not JSON', garbage: true };
  }
  if (typeof json !== 'object' || json === null) return { wrong: 'not an object', garbage: true };
  const fields = json as MessageFields;
  const kind = KIND_OF.get(fields.type);
  if (!kind) return { wrong: `unknown type ${JSON.stringify(fields.type)?.slice(0, 40)}` };
  if (!isMoment(fields.time) || !isMoment(fields.wall)) return { wrong: 'a time that cannot be' };
  return kind.parse(fields);
}
