import { goodOnes, isRowOf, number, type Wrong } from './fields.ts';
import type { MessageKind } from './kind.ts';

type Caller = readonly [file: string, name: string];

/** Whose functions took the first step of a training: those of packages that are installed, by their files. */
export interface AgentCallers {
  readonly type: 'callers';
  readonly time: number;
  readonly frames: readonly Caller[];
  /** The parameters are FSDP's, which takes no step itself. */
  readonly sharded: boolean;
}

const MOST_FRAMES = 60;

export const callersKind = {
  type: 'callers',
  parse(fields): AgentCallers | Wrong {
    const time = number(fields.time);
    if (time === null) return { wrong: 'callers without time' };
    if (!Array.isArray(fields.frames)) return { wrong: 'callers without frames' };
    const { good } = goodOnes(fields.frames, MOST_FRAMES, isCaller);
    return { type: 'callers', time, frames: good, sharded: fields.sharded === true };
  },
} satisfies MessageKind<AgentCallers>;

const isCaller = (frame: unknown): frame is Caller => isRowOf(frame, 2, 0);
