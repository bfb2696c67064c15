import { drawByAddress } from './picture/by-address.ts';
import { type ColorScheme, cssColor } from './picture/colors.ts';
import { type MapContents, wholeView } from './picture/contents.ts';
import { makePixelBuffer, type PixelBuffer } from './picture/raster.ts';
import { drawStacked } from './picture/stacked.ts';
import type { View } from './picture/x-axis.ts';

/** So long at a time: between two pieces of work the pointer's questions are answered. */
const SLICE_MS = 8;

interface Picture {
  readonly view: View;
  readonly canvas: OffscreenCanvas;
}

/**
 * Puts views on the screen. A new view is shown at once from pictures that are there already,
 * stretched; then every allocation is drawn for it, in pieces, and the sharp picture takes its
 * place. So moving stays smooth however long drawing takes.
 */
export class Painter {
  readonly #screen: OffscreenCanvas;
  readonly #context: OffscreenCanvasRenderingContext2D;
  readonly #shown: (sharp: boolean, drawn: number) => void;
  #contents: MapContents;
  #scheme: ColorScheme;
  #buffer: PixelBuffer;
  #wanted: View | null = null;
  /** The last sharp picture, and the one of everything. */
  #last: Picture | null = null;
  #whole: Picture | null = null;
  #working = false;
  #drawn = 0;

  constructor(
    screen: OffscreenCanvas,
    contents: MapContents,
    scheme: ColorScheme,
    shown: (sharp: boolean, drawn: number) => void,
  ) {
    this.#screen = screen;
    this.#context = screen.getContext('2d', { alpha: false })!;
    this.#contents = contents;
    this.#scheme = scheme;
    this.#shown = shown;
    this.#buffer = makePixelBuffer(screen.width, screen.height, scheme);
  }

  get view(): View | null {
    return this.#wanted;
  }

  get size(): { width: number; height: number } {
    return { width: this.#screen.width, height: this.#screen.height };
  }

  resize(width: number, height: number): void {
    if (width === this.#screen.width && height === this.#screen.height) return;
    this.#screen.width = width;
    this.#screen.height = height;
    this.#afresh();
  }

  /** Other allocations, colours or a chosen one: old pictures are of no use. */
  change(contents: MapContents, scheme: ColorScheme): void {
    this.#contents = contents;
    this.#scheme = scheme;
    this.#afresh();
  }

  #afresh(): void {
    this.#buffer = makePixelBuffer(this.#screen.width, this.#screen.height, this.#scheme);
    this.#whole = null;
    const view = this.#wanted;
    if (view) this.show({ ...view });
  }

  show(view: View): void {
    this.#wanted = view;
    if (this.#stretched(view)) this.#shown(false, this.#drawn);
    if (!this.#working) void this.#work();
  }

  async #work(): Promise<void> {
    this.#working = true;
    let done: View | null = null;
    while (this.#wanted && done !== this.#wanted) {
      const view: View = this.#wanted;
      const picture = await this.#draw(view);
      if (!picture) continue;
      done = view;
      this.#last = picture;
      this.#drawn++;
      if (isWhole(this.#contents, view)) this.#whole = picture;
      if (view === this.#wanted) {
        this.#context.drawImage(picture.canvas, 0, 0);
        this.#shown(true, this.#drawn);
      } else this.#stretched(this.#wanted);
    }
    this.#working = false;
  }

  /** null: what it was drawn for has changed meanwhile. */
  async #draw(view: View): Promise<Picture | null> {
    const [contents, buffer] = [this.#contents, this.#buffer];
    const draw = view.order === 'address' ? drawByAddress : drawStacked;
    let since = performance.now();
    for (const _ of draw(contents, view, buffer)) {
      if (performance.now() - since < SLICE_MS) continue;
      await turn();
      if (buffer !== this.#buffer) return null;
      since = performance.now();
    }
    const { width, height, pixels } = buffer;
    const canvas = new OffscreenCanvas(width, height);
    const image = new ImageData(new Uint8ClampedArray(pixels.buffer), width, height);
    canvas.getContext('2d', { alpha: false })!.putImageData(image, 0, 0);
    return { view, canvas };
  }

  /** Puts what has been drawn before in its place of a view; false: there is nothing. */
  #stretched(to: View): boolean {
    const pictures = [this.#whole, this.#last].filter((picture) => isLike(picture, to));
    if (pictures.length === 0) return false;
    const { width, height } = this.#screen;
    const context = this.#context;
    context.fillStyle = cssColor(this.#buffer.colors.background);
    context.fillRect(0, 0, width, height);
    context.imageSmoothingEnabled = false;
    const kx = width / (to.x1 - to.x0);
    const ky = height / (to.y1 - to.y0);
    for (const { view, canvas } of pictures as Picture[]) {
      const [left, top] = [(view.x0 - to.x0) * kx, (to.y1 - view.y1) * ky];
      context.drawImage(canvas, left, top, (view.x1 - view.x0) * kx, (view.y1 - view.y0) * ky);
    }
    return true;
  }
}

const isLike = (picture: Picture | null, view: View) =>
  picture !== null && picture.view.order === view.order && picture.view.axis === view.axis;

function isWhole(contents: MapContents, view: View): boolean {
  const all = wholeView(contents, view.order, view.axis);
  return view.x0 <= 0 && view.x1 >= all.x1 && view.y0 <= 0 && view.y1 >= all.y1 * 0.95;
}

const channel = new MessageChannel();
const waiting: (() => void)[] = [];
channel.port1.onmessage = () => waiting.shift()?.();

/** Lets messages in; a timer would wait for milliseconds. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    channel.port2.postMessage(null);
  });
}
