import { FormatError } from '../../base/errors.ts';
import type { Frame } from '../../model/allocations/names.ts';
import { StackWriter } from '../../model/allocations/stack-writer.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Recording } from '../../model/recording.ts';
import type { RunInfo } from '../../model/run.ts';

/** What one call stack has by a heap profile; what the profiler does not tell is left out. */
export interface ProfileRow {
  /** Whose memory and what it is, as the profile names it. */
  readonly device?: string;
  readonly kind?: string;
  readonly bytes: number;
  readonly objects?: number;
  readonly allocatedBytes?: number;
  readonly allocatedObjects?: number;
  /** At the run's end; then `bytes` are those at its peak. */
  readonly leftBytes?: number;
  readonly leftObjects?: number;
}

/** The way every reader of heap profiles makes its recording: one table, what was in use by call stack. */
export class HeapProfileWriter {
  readonly #builder: RecordingBuilder;
  readonly #stacks: StackWriter;
  readonly #name: string;
  #rows = 0;

  constructor(name: string, format: string, fields: Partial<RunInfo> = {}) {
    this.#name = name;
    this.#builder = new RecordingBuilder({ id: `${format}:${name}`, name, ...fields });
    this.#stacks = new StackWriter(this.#builder);
  }

  /** The number of a stack of which the innermost frame stands first. */
  stack(frames: readonly Frame[]): number {
    return this.#stacks.stack(frames);
  }

  /** The number of a stack that is another (NO_ID: none) with one call more. */
  called(by: number, frame: Frame): number {
    return this.#stacks.called(by, frame);
  }

  add(stack: number, row: ProfileRow): void {
    const builder = this.#builder;
    this.#rows++;
    builder
      .table('live_stacks')
      .push([
        builder.intern(row.device ?? ''),
        builder.intern(row.kind ?? ''),
        stack,
        row.objects ?? Number.NaN,
        row.bytes,
        row.allocatedObjects ?? Number.NaN,
        row.allocatedBytes ?? Number.NaN,
        row.leftObjects ?? Number.NaN,
        row.leftBytes ?? Number.NaN,
      ]);
  }

  /** `warnings`: what such a profile cannot tell. */
  build(warnings: readonly string[]): Recording {
    if (this.#rows === 0) {
      throw new FormatError(`${this.#name} has no samples`, {
        hint: 'nothing was in use, or nothing was sampled, when it was taken',
      });
    }
    for (const warning of warnings) this.#builder.warn(warning);
    return this.#builder.build();
  }
}

/** Of profiles that were taken at a moment. */
export const ONE_MOMENT =
  'a heap profile shows one moment: the peak, and what was freed before, are not in it';
