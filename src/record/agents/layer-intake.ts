import { formatBytes } from '../../base/bytes.ts';
import { count } from '../../base/text.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { AgentLayers, LayerRow } from '../../sources/agent/protocol.ts';
import { NOTHING_CHANGED } from '../../sources/agent/told-rows.ts';
import type { ClockOrigin, LayersOfIteration } from '../threads/messages.ts';
import { agentClock } from './agent-clock.ts';

/** The share of `--max-disk` that layers may take: they are changes, so older ones cannot be folded. */
const SHARE_OF_DISK = 0.25;
/** Bytes of a row on disk, its part of a message included. */
const ROW_BYTES = 64;
/** Different names and kinds, over all processes: each is remembered, here and as a text. */
const MOST_PARTS = 100_000;

export interface LayerDeskEvents {
  /** To be stored. */
  onLayers(layers: LayersOfIteration): void;
  onWarning(text: string): void;
}

interface Speaker {
  readonly bytes: Map<string, number | null>;
  iteration: string;
}

/** Where the layers of agents come in, get their time, and are kept within bounds. */
export class LayerDesk {
  readonly #timeOf: (agentTime: number) => number;
  readonly #events: LayerDeskEvents;
  readonly #mostRows: number;
  readonly #maxDisk: number;
  readonly #speakers = new Map<number, Speaker>();
  #parts = 0;
  #rows = 0;

  constructor(origin: ClockOrigin, maxDisk: number, events: LayerDeskEvents) {
    this.#timeOf = agentClock(origin);
    this.#events = events;
    this.#maxDisk = maxDisk;
    this.#mostRows = Math.floor((maxDisk * SHARE_OF_DISK) / ROW_BYTES);
  }

  add(layers: AgentLayers, pid: number, rank: number | null): void {
    if (layers.refused) {
      this.#events.onWarning(
        `${count(layers.refused, 'row')} of layers of process ${pid} are unreadable`,
      );
    }
    const { epoch, iteration } = layers;
    const changed = this.#changed(layers, pid);
    if (changed.length === 0 || this.#rows >= this.#mostRows) return;
    const time = this.#timeOf(layers.time);
    const rows = changed.slice(0, this.#mostRows - this.#rows);
    this.#rows += rows.length;
    this.#events.onLayers({ time, pid, rank, epoch, iteration, rows });
    if (this.#rows >= this.#mostRows) {
      const share = formatBytes(this.#maxDisk * SHARE_OF_DISK);
      this.#events.onWarning(
        `layers are recorded up to ${(time / SECOND_NS).toFixed(1)} s only: they may take ${share} of the disk, a quarter of --max-disk`,
      );
    }
  }

  /** Rows that differ from what their process said before; one that says so where none does. */
  #changed(layers: AgentLayers, pid: number): readonly LayerRow[] {
    const speaker = this.#speaker(pid);
    const rows = layers.rows.filter((row) => this.#isNews(speaker, row));
    const iteration = `${layers.epoch} ${layers.iteration}`;
    const first = speaker.iteration !== iteration;
    speaker.iteration = iteration;
    return rows.length === 0 && first ? [NOTHING_CHANGED] : rows;
  }

  #isNews({ bytes: known }: Speaker, [name, kind, bytes]: LayerRow): boolean {
    const part = `${kind} ${name}`;
    const before = known.get(part);
    if (before === bytes) return false;
    if (before === undefined) {
      if (this.#parts === MOST_PARTS) {
        this.#events.onWarning(`only the first ${MOST_PARTS} names of layers are recorded`);
        return false;
      }
      this.#parts++;
    }
    known.set(part, bytes);
    return true;
  }

  #speaker(pid: number): Speaker {
    let speaker = this.#speakers.get(pid);
    if (!speaker) {
      speaker = { bytes: new Map(), iteration: '' };
      this.#speakers.set(pid, speaker);
    }
    return speaker;
  }
}
