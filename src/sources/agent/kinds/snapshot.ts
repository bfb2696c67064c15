import { number, type Wrong } from './fields.ts';
import type { MessageKind } from './kind.ts';

/** A snapshot of an allocator lies beside the recording. */
export interface AgentSnapshot {
  readonly type: 'snapshot';
  readonly time: number;
  /** Its name, without a folder. */
  readonly file: string;
  /** `peak`: it holds the highest peak of a program that did not run out; `look`: who looked asked for it. */
  readonly why: 'oom' | 'peak' | 'look' | 'end';
  /** The framework's number of the device. */
  readonly device: number;
  /** At an out-of-memory error: the bytes asked for, and those the device had free and in all. */
  readonly asked: number | null;
  readonly free: number | null;
  readonly total: number | null;
}

export const snapshotKind = {
  type: 'snapshot',
  limits: { perMessage: 1, perRecording: 1000 },
  parse(fields): AgentSnapshot | Wrong {
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
      why: why === 'end' || why === 'peak' || why === 'look' ? why : 'oom',
      device: number(fields.device) ?? 0,
      asked: number(fields.asked),
      free: number(fields.free),
      total: number(fields.total),
    };
  },
} satisfies MessageKind<AgentSnapshot>;
