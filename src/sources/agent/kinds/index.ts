import { answerKind } from './answer.ts';
import { askKind } from './ask.ts';
import { byeKind } from './bye.ts';
import { callersKind } from './callers.ts';
import { countersKind } from './counters.ts';
import type { Wrong } from './fields.ts';
import { heldKind } from './held.ts';
import { helloKind } from './hello.ts';
import type { RowKind } from './kind.ts';
import { layersKind } from './layers.ts';
import { markKind } from './mark.ts';
import { momentKind } from './moment.ts';
import { objectsKind } from './objects.ts';
import { ownKind } from './own.ts';
import { passesKind } from './passes.ts';
import { sizesKind } from './sizes.ts';
import { snapshotKind } from './snapshot.ts';
import { tensorsKind } from './tensors.ts';
import { warningKind } from './warning.ts';

/** All that an agent can say; docs/agent-protocol.md describes each. */
export const KINDS = [
  helloKind,
  markKind,
  layersKind,
  countersKind,
  tensorsKind,
  objectsKind,
  heldKind,
  momentKind,
  passesKind,
  snapshotKind,
  callersKind,
  warningKind,
  sizesKind,
  ownKind,
  askKind,
  answerKind,
  byeKind,
] as const;

type Kind = (typeof KINDS)[number];
type MessageOf<K extends Kind> = Exclude<ReturnType<K['parse']>, Wrong>;

export type AgentMessage = MessageOf<Kind>;
/** What a program says of itself; the others are about the connection, or about requests. */
export type TimedMessage = Extract<AgentMessage, { readonly time: number }>;
/** Those that become rows of a table. */
export type RowMessage = MessageOf<Extract<Kind, { readonly table: unknown }>>;

const ROW_KINDS = new Map<string, RowKind<RowMessage>>(
  KINDS.filter((kind) => 'table' in kind).map((kind) => [kind.type, kind]),
);

export const isRowMessage = (message: AgentMessage): message is RowMessage =>
  ROW_KINDS.has(message.type);

export const rowKindOf = ({ type }: RowMessage): RowKind<RowMessage> => ROW_KINDS.get(type)!;
