import { describeError } from '../../base/errors.ts';
import { type ToldSizes, writeSizes } from '../../model/disk/sizes-file.ts';
import { type AgentSizes, sizesKind } from '../../sources/agent/kinds/sizes.ts';

/** Takes the sizes that processes tell at their end or at an iteration, and keeps them beside the recording. */
export class SizeIntake {
  readonly #told = new Map<string, ToldSizes>();

  add({ at, value }: AgentSizes, pid: number, rank: number | null): void {
    const { perRecording } = sizesKind.limits;
    if (this.#told.size < perRecording) this.#told.set(`${pid} ${at}`, { at, rank, value });
  }

  close(folder: string, onWarning: (text: string) => void): void {
    try {
      if (this.#told.size > 0) writeSizes(folder, [...this.#told.values()]);
    } catch (error) {
      onWarning(`the sizes that processes told are lost: ${describeError(error)}`);
    }
  }
}
