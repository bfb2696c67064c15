import type { Alignment } from '../../../analyses/overlay.ts';
import type { ImportHints } from '../../../formats/input.ts';
import type { TimeRange } from '../../../model/time-range.ts';
import type { Theme } from '../../../views/chart/palette.ts';
import type { Scene } from '../../../views/chart/scene.ts';

/** The flags of `plot`; a kind takes those that mean something to it. */
export interface PlotOptions {
  readonly out?: string;
  readonly title?: string;
  readonly series?: string;
  readonly style: 'lines' | 'points';
  /** The processors' share below the memory. */
  readonly cpu?: true;
  readonly fields?: true;
  /** Bars of what each layer of a model held. */
  readonly layers?: true;
  /** What a process's memory was made of, over its iterations. */
  readonly accounting?: true;
  readonly absolute?: true;
  readonly align?: Alignment;
  /** Only what is between these moments. */
  readonly range?: TimeRange;
  /** Bars: leave out categories below this percentage. */
  readonly fraction?: number;
  /** Bars: `all` in one picture. */
  readonly setting?: 'all';
  /** Bars: what pictures to write into a folder. */
  readonly format?: 'svg' | 'png' | 'pdf';
  readonly width?: number;
  readonly height?: number;
  readonly theme: Theme;
  /** What foreign files may not say themselves. */
  readonly hints: ImportHints;
}

/** A picture, and the file that it goes to. */
export interface Drawing {
  readonly scene: Scene;
  readonly out: string;
}

/** One kind of chart. To add one, write a file beside this and name it in index.ts. */
export interface PlotKind {
  /** Whether these arguments ask for it; looks at names, flags and the beginnings of files only. */
  wants(inputs: readonly string[], options: PlotOptions): boolean | Promise<boolean>;
  draw(inputs: readonly string[], options: PlotOptions): Promise<Drawing[]>;
  /** Writes several pictures, so that -o may name a folder. */
  readonly toFolder?: true;
  /** Its picture has an axis of time, of which a part can be drawn. */
  readonly overTime?: true;
  /** The processors' share can be drawn below it. */
  readonly withCpu?: true;
}
