import { describeError } from '../base/errors.ts';
import { TABLES } from '../model/schema.ts';
import { Table, TableBuffer } from '../model/table.ts';
import type { GpuReader } from '../sources/gpu/backend.ts';
import { nvml } from '../sources/gpu/nvidia/nvml/index.ts';
import { readText } from '../sources/proc.ts';
import type { Machine, Sink } from '../sources/source.ts';

/** A card at one moment, in bytes. */
export interface CardNow {
  readonly card: string;
  readonly uuid: string;
  readonly used: number;
  readonly total: number;
  /** What each process has of it, where the driver tells. */
  readonly processes: ReadonlyMap<number, number>;
}

/** The cards of this machine, asked through NVIDIA's library. */
export class Cards {
  readonly #reader: GpuReader;
  readonly #cards: TableBuffer;
  readonly #processes: TableBuffer;

  /** Why, where there are none to ask. */
  static open(): { cards: Cards } | { reason: string } {
    const found = nvml.locate();
    if ('reason' in found) return found;
    try {
      return { cards: new Cards(found.path) };
    } catch (error) {
      return { reason: describeError(error) };
    }
  }

  private constructor(library: string) {
    const tables = new Map<string, TableBuffer>();
    const sink: Sink = {
      table(spec) {
        const table = new TableBuffer(spec);
        tables.set(spec.name, table);
        return table;
      },
      intern: () => 0,
    };
    this.#reader = nvml.open(library, { sink, events: { onWarning() {}, onHolder() {} } });
    this.#cards = tables.get(TABLES.gpu.name)!;
    this.#processes = tables.get(TABLES.gpu_process.name)!;
  }

  sample(): CardNow[] {
    this.#reader.sample!({ time: performance.now() * 1e6, full: true });
    const processes = new Table(TABLES.gpu_process, [this.#processes.take()]);
    const cards = new Table(TABLES.gpu, [this.#cards.take()]);
    const [gpus, pids, held] = [processes.u32('gpu'), processes.u32('pid'), processes.f64('used')];
    return [...cards.u32('gpu')].map((gpu, row) => {
      const rows = [...gpus.keys()].filter((at) => gpus[at] === gpu && pids[at] !== 0);
      return {
        card: String(gpu),
        uuid: this.#reader.findings.cards.find(({ index }) => index === gpu)?.uuid ?? '',
        used: cards.f64('used')[row]!,
        total: cards.f64('total')[row]!,
        processes: new Map(rows.map((at) => [pids[at]!, held[at]!])),
      };
    });
  }

  close(): void {
    void this.#reader.close();
  }
}

/** The memory control group of a process, from the root on; null where the process is gone. */
export function groupOf({ proc }: Machine, pid: number): string | null {
  const lines = (readText(`${proc}/${pid}/cgroup`) ?? '').split('\n');
  const path = (pattern: RegExp) => lines.map((line) => pattern.exec(line)?.[1]).find(Boolean);
  return path(/^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/) ?? path(/^0::(.*)$/) ?? null;
}
