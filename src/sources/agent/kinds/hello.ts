import { QUESTION } from './ask.ts';
import { number, text, type Wrong } from './fields.ts';
import type { MessageKind } from './kind.ts';

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
  /** It is at work on a file of the recording until it says goodbye; absent: it is not. */
  readonly writes?: true;
}

const MOST_ANSWERS = 20;

export const helloKind = {
  type: 'hello',
  parse(fields): Hello | Wrong {
    const version = number(fields.version);
    const pid = number(fields.pid);
    if (version === null || pid === null) return { wrong: 'hello without version or pid' };
    const answers = answersOf(fields.answers);
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
      ...(fields.writes === true && { writes: true }),
    };
  },
} satisfies MessageKind<Hello>;

/** What an agent says it answers to. */
function answersOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .filter((one) => typeof one === 'string' && QUESTION.test(one))
    .slice(0, MOST_ANSWERS);
}
