import type { LastMarks } from '../../model/last-marks.ts';
import type { Origin } from '../../model/origin.ts';
import type { StepMoment } from '../allocations/moment.ts';
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
  /** What its values are, where they are no bytes: percent of one core, or of an engine's pool. */
  readonly unit?: 'percent';
  /** Parts that add up, from the ground. */
  readonly stack: PanelStack | null;
  readonly lines: readonly PanelLine[];
  /** What cannot be exceeded, such as the card's memory. */
  readonly limit: { readonly label: string; readonly bytes: number } | null;
  /** The highest of all there is, so that an axis stays where it is while one pans. */
  readonly highest: number;
  /** Of all there is; null where nothing was measured, or where it is no memory. */
  readonly peak: PanelPeak | null;
  /** Steps within the window instead of every event; null where there are few, or none. */
  readonly envelope: PanelEnvelope | null;
}

/** The highest moment of a panel: what a report calls its peak. */
export interface PanelPeak {
  readonly x: number;
  readonly value: number;
  /** `kernel`: its own exact figure, higher than any sample. */
  readonly by: 'samples' | 'kernel';
  /** In the work of the program, by its allocation trace. */
  readonly moment: StepMoment | null;
  /** The same by the marks of the recording. */
  readonly marks: LastMarks<TimelineMark>;
  /** How far the allocation traces of the run had come. */
  readonly events: readonly TraceMoment[];
  /** Of the heaps that the recording has, the one that was taken nearest to it; null where it has none. */
  readonly heap: number | null;
}

/** A moment of an allocation trace. */
export interface TraceMoment {
  /** Among those of the run; null: the one that pages show by themselves. */
  readonly trace: number | null;
  readonly event: number;
  /** It is the peak of that trace. */
  readonly isPeak: boolean;
  /** How many events the trace has. */
  readonly of: number;
}

/** One point for each step, or for several where there are more than a picture can show. */
export interface PanelEnvelope {
  /** Where they begin, and at last where the last of them ends. */
  readonly x: Float64Array;
  /** At the peak of each; the last point repeats the one before it. */
  readonly bands: readonly PanelBand[];
  /** What was left when it ended. */
  readonly ends: Float64Array;
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
