import { formatBytes } from '../../base/bytes.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { MessageLimits } from '../../sources/agent/kinds/kind.ts';

const SHARES: Readonly<Record<number, string>> = { 0.1: 'a tenth', 0.25: 'a quarter' };

/** The rows of one kind that a recording still takes. */
export class RowBudget {
  readonly #limit: MessageLimits['perRecording'];
  readonly #maxDisk: number;
  #left: number;

  constructor({ perRecording }: MessageLimits, maxDisk: number) {
    this.#limit = perRecording;
    this.#maxDisk = maxDisk;
    this.#left =
      typeof perRecording === 'number'
        ? perRecording
        : Math.floor((maxDisk * perRecording.shareOfDisk) / perRecording.rowBytes);
  }

  get left(): number {
    return Math.max(0, this.#left);
  }

  take(rows: number): void {
    this.#left -= rows;
  }

  /** To be said when nothing is left. */
  warning(what: string, time: number): string {
    const until = `${what} are recorded up to ${(time / SECOND_NS).toFixed(1)} s only`;
    if (typeof this.#limit === 'number') return until;
    const { shareOfDisk } = this.#limit;
    const share = formatBytes(this.#maxDisk * shareOfDisk);
    const part = SHARES[shareOfDisk] ?? `${shareOfDisk * 100} %`;
    return `${until}: they may take ${share} of the disk, ${part} of --max-disk`;
  }
}
