import type { MapHeader } from '../../../analyses/allocations/map/index.ts';
import type { TypedArray } from '../../../model/columns.ts';
import type { ColorScheme } from './picture/colors.ts';
import type { Filter } from './picture/filter.ts';
import type { Hit } from './picture/hit.ts';
import type { RowFacts } from './picture/row-facts.ts';
import type { View } from './picture/x-axis.ts';

/** What the page tells the thread that draws. Places are in the canvas's own pixels. */
export type ToWorker =
  | {
      readonly type: 'open';
      readonly canvas: OffscreenCanvas;
      readonly header: MapHeader;
      readonly arrays: Readonly<Record<string, TypedArray>>;
      readonly times: Readonly<Record<string, TypedArray>> | null;
      readonly filter: Filter;
      readonly scheme: ColorScheme;
    }
  | { readonly type: 'size'; readonly width: number; readonly height: number }
  | { readonly type: 'look'; readonly filter: Filter; readonly scheme: ColorScheme }
  | { readonly type: 'view'; readonly view: View }
  | { readonly type: 'choose'; readonly row: number }
  | { readonly type: 'hover'; readonly id: number; readonly x: number; readonly y: number }
  | { readonly type: 'facts'; readonly id: number; readonly row: number };

export type FromWorker =
  | { readonly type: 'extents'; readonly extents: Extents }
  /** A view is on the screen; sharp once every allocation is drawn for just this one. `drawn`: pictures drawn so far. */
  | { readonly type: 'frame'; readonly sharp: boolean; readonly drawn: number }
  | {
      readonly type: 'hit';
      readonly id: number;
      readonly hit: Hit;
      readonly facts: RowFacts | null;
    }
  | { readonly type: 'facts'; readonly id: number; readonly facts: RowFacts | null };

/** How far the map reaches. */
export interface Extents {
  readonly micros: number;
  readonly events: number;
  readonly addressBytes: number;
  /** Of what is shown. */
  readonly stackedBytes: number;
  /** When most of it was live. */
  readonly peakEvent: number;
  readonly peakMicros: number;
  /** Nothing is left out: the peak is that of the trace. */
  readonly isWhole: boolean;
  readonly shown: number;
}
