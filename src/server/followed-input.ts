import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenedInput } from '../answers/opened.ts';
import { GrowingRecording } from '../model/disk/growing-recording.ts';
import type { Recording } from '../model/recording.ts';
import { growsNow } from '../open/growing.ts';
import type { InputLocation } from '../open/locate.ts';
import { openRankTraces, openSnapshots } from '../open/snapshots.ts';
import { mayGrow } from './growth.ts';
import { heapsBeside } from './open-inputs.ts';

type Traces = Pick<OpenedInput, 'snapshots' | 'rankTraces'>;

/** A recording while it is written, as a page needs it: of its tables each look reads what came since, its allocation traces once. */
export class FollowedInput {
  readonly #location: InputLocation;
  readonly #growing: GrowingRecording;
  #traces: { readonly of: string; readonly read: Traces; readonly said: readonly string[] } | null =
    null;

  constructor(location: InputLocation) {
    this.#location = location;
    this.#growing = new GrowingRecording(location.path);
  }

  /** null: nobody writes it any more. */
  async open(): Promise<OpenedInput | null> {
    const recording = this.#growing.open();
    if (!mayGrow(recording) || !growsNow(this.#location.path)) return null;
    const heaps = heapsBeside(this.#location);
    return { recording, ...(await this.#tracesOf(recording)), heaps };
  }

  /** Read again only when other files lie there than before. */
  async #tracesOf(recording: Recording): Promise<Traces> {
    const of = signature(this.#location.path, recording);
    const { warnings } = recording.run;
    if (this.#traces?.of === of) {
      warnings.push(...this.#traces.said);
      return this.#traces.read;
    }
    const before = warnings.length;
    const snapshots = await openSnapshots(this.#location, recording);
    const read = { snapshots, rankTraces: await openRankTraces(this.#location, recording) };
    this.#traces = { of, read, said: warnings.slice(before) };
    return read;
  }
}

function signature(folder: string, { run }: Recording): string {
  const files = (run.snapshots ?? []).map(({ file }) => {
    const stat = statSync(join(folder, file), { throwIfNoEntry: false });
    return `${file} ${stat?.size} ${stat?.mtimeMs}`;
  });
  return files.join('\n');
}
