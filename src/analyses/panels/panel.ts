import type { Origin } from '../../model/origin.ts';
import type { TimelineMark } from '../timeline.ts';

/** What panels are drawn over: real time, or the numbers of a trace's events. */
export type Clock = 'time' | 'event';

/** The part that is looked at, in seconds or events; `columns` is how fine, about one a pixel. */
export interface PanelWindow {
  readonly clock: Clock;
  readonly low: number;
  readonly high: number;
  readonly columns: number;
}

/** Charts of one run below each other, over the same time. */
export interface Panels {
  readonly type: 'panels';
  readonly clock: Clock;
  /** Clocks that this run can be drawn over. */
  readonly clocks: readonly Clock[];
  /** What 0 seconds is. */
  readonly origin: Origin['is'];
  /** Of all there is, not only of the part that is looked at. */
  readonly span: readonly [low: number, high: number];
  readonly panels: readonly TimelinePanel[];
  readonly marks: readonly TimelineMark[];
}

export interface TimelinePanel {
  /** `host`, `tree`, `gpu0`, `torch0`, `trace0` … */
  readonly id: string;
  readonly title: string;
  /** Values hold until the next one, as an allocator's do; else they were sampled now and then. */
  readonly steps: boolean;
  /** What its values are, where they are no bytes: percent of one core. */
  readonly unit?: 'percent';
  /** Parts that add up, from the ground. */
  readonly stack: PanelStack | null;
  readonly lines: readonly PanelLine[];
  /** What cannot be exceeded, such as the card's memory. */
  readonly limit: { readonly label: string; readonly bytes: number } | null;
  /** The highest of all there is, so that an axis stays where it is while one pans. */
  readonly highest: number;
}

/** Parallel arrays; every point is a real sample. */
export interface PanelStack {
  readonly x: Float64Array;
  readonly bands: readonly PanelBand[];
}

export interface PanelBand {
  /** A role or a category: decides its colour. */
  readonly key: string;
  readonly label: string;
  readonly bytes: Float64Array;
}

export interface PanelLine {
  readonly series: string;
  readonly label: string;
  readonly x: Float64Array;
  /** NaN breaks the line where nothing was sampled. */
  readonly bytes: Float64Array;
  /** How many samples there are within the window; as many as points: none was left out. */
  readonly samples: number;
}
