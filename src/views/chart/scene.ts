/**
 * A picture as plain data, in pixels from the top left. Charts make scenes; svg.ts writes them,
 * and a canvas can draw them too, so that a report, a paper and the web view show the same thing.
 */
export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly background: string;
  /** For readers who cannot see it. */
  readonly title: string;
  readonly nodes: readonly Node[];
}

export interface Stroke {
  readonly color: string;
  readonly width: number;
  readonly dash?: readonly number[];
}

export type Anchor = 'start' | 'middle' | 'end';
export type Weight = 'regular' | 'semibold';

export interface PathNode {
  readonly node: 'path';
  /** SVG path data, which a canvas takes as well. */
  readonly d: string;
  readonly stroke?: Stroke;
  readonly fill?: string;
  readonly opacity?: number;
}

export interface LineNode {
  readonly node: 'line';
  readonly from: Point;
  readonly to: Point;
  readonly stroke: Stroke;
}

export interface RectNode extends Box {
  readonly node: 'rect';
  readonly fill: string;
}

export interface CircleNode extends Point {
  readonly node: 'circle';
  readonly radius: number;
  readonly fill: string;
  readonly stroke?: Stroke;
}

/** Many equal circles: a scatter. */
export interface DotsNode {
  readonly node: 'dots';
  readonly at: readonly Point[];
  readonly radius: number;
  readonly fill: string;
  readonly opacity: number;
}

export interface TextNode extends Point {
  readonly node: 'text';
  readonly text: string;
  readonly size: number;
  readonly fill: string;
  readonly weight?: Weight;
  readonly anchor?: Anchor;
  /** Read from bottom to top, turned about its point. */
  readonly upwards?: boolean;
  /** A rim of this colour keeps the text legible over lines. */
  readonly halo?: string;
}

export interface GroupNode {
  readonly node: 'group';
  readonly children: readonly Node[];
  /** Nothing is drawn outside. */
  readonly clip?: Box;
}

export type Node = PathNode | LineNode | RectNode | CircleNode | DotsNode | TextNode | GroupNode;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}
