import type { Theme } from './palette.ts';
import type { Node, Scene } from './scene.ts';
import { titleLine } from './text-nodes.ts';

/** What one may choose about any chart. */
export interface ChartOptions {
  readonly title: string;
  readonly width?: number;
  readonly height?: number;
  readonly theme?: Theme;
}

interface TitledSceneOptions {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly margin: number;
  readonly theme: Theme;
}

/** A picture with its title at the top left. */
export function titledScene(
  { title, width, height, margin, theme }: TitledSceneOptions,
  nodes: readonly Node[],
): Scene {
  const heading = titleLine(margin, margin + 15, title, width - 2 * margin, theme);
  return { width, height, background: theme.background, title, nodes: [heading, ...nodes] };
}
