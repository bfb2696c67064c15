import type { MapHeader } from '../../../analyses/allocations/map/index.ts';
import type { Columns } from '../../../model/columns.ts';
import { store } from '../../store.ts';
import type { Extents, FromWorker, ToWorker } from './messages.ts';
import type { ColorScheme } from './picture/colors.ts';
import type { Filter } from './picture/filter.ts';
import type { Hit } from './picture/hit.ts';
import type { RowFacts } from './picture/row-facts.ts';
import type { View } from './picture/x-axis.ts';

export interface MapColumns {
  readonly columns: Columns<MapHeader>;
  readonly times: Columns | null;
}

export interface HitFacts {
  readonly hit: Hit;
  readonly facts: RowFacts | null;
}

interface Listener {
  extents(extents: Extents): void;
  frame(sharp: boolean, drawn: number): void;
}

/** The page's end of the thread that draws. The columns are given away to it. */
export class MapClient {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (answer: FromWorker) => void>();
  #next = 0;

  constructor(
    { columns, times }: MapColumns,
    canvas: HTMLCanvasElement,
    look: { filter: Filter; scheme: ColorScheme },
    listener: Listener,
  ) {
    this.#worker = store.worker('map-worker');
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.type === 'extents') listener.extents(data.extents);
      else if (data.type === 'frame') listener.frame(data.sharp, data.drawn);
      else {
        this.#waiting.get(data.id)?.(data);
        this.#waiting.delete(data.id);
      }
    };
    const screen = canvas.transferControlToOffscreen();
    const { header, arrays } = columns;
    const buffers = new Set<Transferable>([screen]);
    for (const array of [...Object.values(arrays), ...Object.values(times?.arrays ?? {})]) {
      buffers.add(array.buffer as ArrayBuffer);
    }
    this.#say(
      { type: 'open', canvas: screen, header, arrays, times: times?.arrays ?? null, ...look },
      [...buffers],
    );
  }

  resize(width: number, height: number): void {
    this.#say({ type: 'size', width, height });
  }

  look(filter: Filter, scheme: ColorScheme): void {
    this.#say({ type: 'look', filter, scheme });
  }

  show(view: View): void {
    this.#say({ type: 'view', view });
  }

  choose(row: number): void {
    this.#say({ type: 'choose', row });
  }

  /** What lies under a place, in the canvas's own pixels. */
  async at(x: number, y: number): Promise<HitFacts> {
    const answer = await this.#ask((id) => ({ type: 'hover', id, x, y }));
    return answer as HitFacts & FromWorker;
  }

  async facts(row: number): Promise<RowFacts | null> {
    const answer = await this.#ask((id) => ({ type: 'facts', id, row }));
    return answer.type === 'facts' ? answer.facts : null;
  }

  close(): void {
    this.#worker.terminate();
  }

  #ask(make: (id: number) => ToWorker): Promise<FromWorker> {
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#say(make(id));
    });
  }

  #say(message: ToWorker, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }
}
