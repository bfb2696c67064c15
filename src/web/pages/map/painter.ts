import type { View } from './picture/across.ts';
import { drawByAddress } from './picture/by-address.ts';
import { cssColor, type Ground } from './picture/colors.ts';
import { makePaper, type Paper } from './picture/paper.ts';
import { type Scene, wholeView } from './picture/scene.ts';
import { drawStacked } from './picture/stacked.ts';

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
  #scene: Scene;
  #ground: Ground;
  #paper: Paper;
  #wanted: View | null = null;
  /** The last sharp picture, and the one of everything. */
  #last: Picture | null = null;
  #whole: Picture | null = null;
  #working = false;
  #drawn = 0;

  constructor(
    screen: OffscreenCanvas,
    scene: Scene,
    ground: Ground,
    shown: (sharp: boolean, drawn: number) => void,
  ) {
    this.#screen = screen;
    this.#context = screen.getContext('2d', { alpha: false })!;
    this.#scene = scene;
    this.#ground = ground;
    this.#shown = shown;
    this.#paper = makePaper(screen.width, screen.height, ground);
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
  change(scene: Scene, ground: Ground): void {
    this.#scene = scene;
    this.#ground = ground;
    this.#afresh();
  }

  #afresh(): void {
    this.#paper = makePaper(this.#screen.width, this.#screen.height, this.#ground);
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
      if (isWhole(this.#scene, view)) this.#whole = picture;
      if (view === this.#wanted) {
        this.#context.drawImage(picture.canvas, 0, 0);
        this.#shown(true, this.#drawn);
      } else this.#stretched(this.#wanted);
    }
    this.#working = false;
  }

  /** null: what it was drawn for has changed meanwhile. */
  async #draw(view: View): Promise<Picture | null> {
    const [scene, paper] = [this.#scene, this.#paper];
    const draw = view.order === 'address' ? drawByAddress : drawStacked;
    let since = performance.now();
    for (const _ of draw(scene, view, paper)) {
      if (performance.now() - since < SLICE_MS) continue;
      await turn();
      if (paper !== this.#paper) return null;
      since = performance.now();
    }
    const { width, height, pixels } = paper;
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
    context.fillStyle = cssColor(this.#paper.grounds.background);
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

function isWhole(scene: Scene, view: View): boolean {
  const all = wholeView(scene, view.order, view.axis);
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
