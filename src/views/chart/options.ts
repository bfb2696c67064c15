import type { Theme } from './palette.ts';

/** What one may choose about any chart. */
export interface ChartOptions {
  readonly title: string;
  readonly width?: number;
  readonly height?: number;
  readonly theme?: Theme;
}
