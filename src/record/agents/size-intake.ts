import { describeError } from '../../base/errors.ts';
import { type ToldSizes, writeSizes } from '../../model/disk/sizes-file.ts';
import type { AgentSizes } from '../../sources/agent/protocol.ts';

/** More processes than these tell nobody more. */
const MOST = 256;

/** Where sizes come in that processes tell at their end or at an iteration; kept beside the recording. */
export class SizeDesk {
  readonly #told = new Map<string, ToldSizes>();

  add({ at, value }: AgentSizes, pid: number, rank: number | null): void {
    if (this.#told.size < MOST) this.#told.set(`${pid} ${at}`, { at, rank, value });
  }

  close(folder: string, onWarning: (text: string) => void): void {
    try {
      if (this.#told.size > 0) writeSizes(folder, [...this.#told.values()]);
    } catch (error) {
      onWarning(`the sizes that processes told are lost: ${describeError(error)}`);
    }
  }
}
