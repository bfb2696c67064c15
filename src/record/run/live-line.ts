import { formatBytes } from '../../base/bytes.ts';
import { percent } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import type { LiveFigures } from './live-figures.ts';

const REDRAW_MS = 250;
/** The workload's own output comes first: the line shows only when that has been quiet. */
const QUIET_MS = 300;
const ERASE = '\r\x1b[2K';

/** One line at the bottom of the terminal that never mixes with what the workload prints. */
export class LiveLine {
  readonly #terminal: NodeJS.WriteStream;
  readonly #live: LiveFigures;
  readonly #started = performance.now();
  readonly #timer: NodeJS.Timeout;
  #drawn = false;
  #atLineStart = true;
  #lastOutput = Number.NEGATIVE_INFINITY;
  #fullScreen = false;
  #iteration: number | null = null;
  #lastTicks = 0;
  #lastDraw = performance.now();

  constructor(terminal: NodeJS.WriteStream, live: LiveFigures) {
    this.#terminal = terminal;
    this.#live = live;
    this.#timer = setInterval(() => this.#draw(), REDRAW_MS);
    this.#timer.unref();
  }

  /** Must be told of every output before it is passed on. */
  makeWay(chunk: Buffer): void {
    this.#erase();
    this.#lastOutput = performance.now();
    this.#atLineStart = chunk[chunk.length - 1] === 0x0a;
    // Editors and the like take the whole screen; nothing of ours belongs there.
    if (chunk.includes('\x1b[?1049h')) this.#fullScreen = true;
    if (chunk.includes('\x1b[?1049l')) this.#fullScreen = false;
  }

  setIteration(iteration: number): void {
    this.#iteration = iteration;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#erase();
  }

  #erase(): void {
    if (this.#drawn) this.#terminal.write(ERASE);
    this.#drawn = false;
  }

  #draw(): void {
    const now = performance.now();
    const quiet = now - this.#lastOutput > QUIET_MS;
    if (!quiet || !this.#atLineStart || this.#fullScreen) return;
    const live = this.#live;
    const ticks = live.get('ticks');
    const rate = (ticks - this.#lastTicks) / ((now - this.#lastDraw) / 1000);
    this.#lastTicks = ticks;
    this.#lastDraw = now;
    const processes = live.get('processes');
    const parts = [
      formatDuration((now - this.#started) / 1000),
      processes > 0 ? `now ${formatBytes(live.get('current'))}` : 'waiting',
      live.get('peak') > 0 ? `peak ${formatBytes(live.get('peak'))}` : '',
      live.get('gpuUsed') > 0 ? `GPU ${live.get('gpu')} ${formatBytes(live.get('gpuUsed'))}` : '',
      processes > 1 ? `${processes} processes` : '',
      this.#iteration === null ? '' : `iteration ${this.#iteration}`,
      `${rate.toFixed(0)} Hz`,
      ...doubts(live),
    ].filter((part) => part !== '');
    const line = ` highwater  ${parts.join(' · ')}`.slice(0, (this.#terminal.columns || 80) - 1);
    this.#terminal.write(`${ERASE}\x1b[2m${line}\x1b[0m`);
    this.#drawn = true;
  }
}

/** Shares from which on they are worth a word. */
const NOTABLE_MISSED = 0.01;
const NOTABLE_STEAL = 0.05;

/** Samples that were missed, and processors that the hypervisor gave to others. */
function doubts(live: LiveFigures): string[] {
  const [missed, stolen] = [live.get('missed'), live.get('stolenShare')];
  const share = missed / (missed + live.get('ticks'));
  return [
    share > NOTABLE_MISSED ? `${percent(share)} missed` : '',
    stolen > NOTABLE_STEAL ? `${percent(stolen)} of the processors stolen` : '',
  ];
}
