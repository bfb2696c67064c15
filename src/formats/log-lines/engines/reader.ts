import {
  type EngineText,
  MOST_PASSED_OVER,
  type PlanFigure,
  passedOverNote,
  type ServingSample,
} from '../../../model/engine-plan.ts';
import { MAX_LINE } from '../line-splitter.ts';
import type { EngineLines, Told } from './engine.ts';
import { ENGINES } from './index.ts';

/** More figures than any engine tells: what loads models all day says nothing new after so many. */
const MOST_FIGURES = 2000;

/** Something that a line said. */
export type EngineNews =
  | { readonly type: 'figure'; readonly figure: PlanFigure }
  | { readonly type: 'sample'; readonly sample: ServingSample; readonly line: number }
  /** It looks like a line of its plan, in no wording that is known; of the first ones only. */
  | {
      readonly type: 'passed-over';
      readonly engine: string;
      readonly line: number;
      readonly known: string;
    }
  /** It answers HTTP there, by its own word. */
  | { readonly type: 'listens'; readonly engine: string; readonly port: number };

/** No engine's hint fits a line without one of these. */
const ANY = new RegExp(ENGINES.map(({ hint }) => `(?:${hint.source})`).join('|'));

/** What one engine has said so far. */
class EngineState {
  readonly lines: EngineLines;
  version = '';
  /** A figure of it was read, or its name. */
  seen = false;
  trial = false;
  readonly #loads = new Map<string, number>();
  readonly #sums = new Map<string, number>();
  /** Lines that look like its plan and are in no wording that is known. */
  readonly unknown: number[] = [];

  constructor(lines: EngineLines) {
    this.lines = lines;
  }

  begin(worker: string): void {
    this.#loads.set(worker, (this.#loads.get(worker) ?? 0) + 1);
  }

  get load(): number {
    return Math.max(1, ...this.#loads.values());
  }

  /** One buffer of many counts with those before it. */
  valueOf({ what, value, device = '', adds, most }: Told, worker: string): number {
    if (!adds && !most) return value;
    const key = [worker, this.load, device, what].join('\n');
    const before = this.#sums.get(key) ?? 0;
    const now = adds ? before + value : Math.max(before, value);
    this.#sums.set(key, now);
    return now;
  }
}

/** Reads what engines that serve models say of their memory, line by line; of one stream, or one file. */
export class EngineReader {
  readonly #engines = ENGINES.map((lines) => new EngineState(lines));
  #line = 0;
  #figures = 0;

  /** A line that is known to be none of an engine's: it counts. */
  skip(): void {
    this.#line++;
  }

  push(line: string): readonly EngineNews[] {
    this.#line++;
    if (!ANY.test(line)) return NOTHING;
    const text = line.length > MAX_LINE ? line.slice(0, MAX_LINE) : line;
    return this.#engines.flatMap((state) =>
      state.lines.hint.test(text) ? this.#read(state, text) : [],
    );
  }

  /** What was passed over, and why. */
  notes(): string[] {
    return this.#engines.flatMap(({ lines, seen, unknown }) =>
      seen && unknown.length > 0 ? [passedOverNote(lines.title, unknown, lines.versions)] : [],
    );
  }

  #read(state: EngineState, text: string): EngineNews[] {
    const { lines } = state;
    const [, worker = '', pid] = lines.speaker?.exec(text) ?? [];
    const version = lines.version?.exec(text)?.[1];
    if (version !== undefined) {
      state.version = version;
      state.seen = true;
    }
    if (lines.trial?.to.test(text)) state.trial = false;
    else if (lines.trial?.from.test(text)) state.trial = true;
    if (state.trial) return [];
    if (lines.begins?.test(text)) {
      state.begin(worker.trim());
      state.seen = true;
    }
    const news = this.#figuresOf(state, text, worker.trim(), pid ? Number(pid) : null);
    const sample = sampleOf(lines, text, worker.trim());
    if (sample) {
      state.seen = true;
      news.push({ type: 'sample', sample, line: this.#line });
    }
    const port = Number(lines.listens?.exec(text)?.[1] ?? 0);
    if (port > 0 && port < 65536) news.push({ type: 'listens', engine: lines.id, port });
    return news;
  }

  #figuresOf(state: EngineState, text: string, worker: string, pid: number | null): EngineNews[] {
    const { lines } = state;
    const found: EngineNews[] = [];
    let known = false;
    for (const wording of lines.wordings) {
      const match = wording.when.exec(text);
      if (!match) continue;
      known = true;
      for (const one of wording.read(match) ?? []) {
        if (!Number.isFinite(one.value) || this.#figures >= MOST_FIGURES) continue;
        this.#figures++;
        const figure: PlanFigure = {
          engine: lines.id,
          version: state.version,
          worker,
          pid,
          load: state.load,
          device: one.device ?? '',
          what: one.what,
          value: state.valueOf(one, worker),
          wording: wording.name,
          line: this.#line,
        };
        found.push({ type: 'figure', figure });
      }
    }
    if (found.length > 0) state.seen = true;
    if (!known && lines.alike?.test(text) && !lines.idle?.test(text)) {
      if (state.unknown.length > MOST_PASSED_OVER) return found;
      state.unknown.push(this.#line);
      const { id, versions } = lines;
      found.push({ type: 'passed-over', engine: id, line: this.#line, known: versions });
    }
    return found;
  }
}

const NOTHING: readonly EngineNews[] = [];

function sampleOf(lines: EngineLines, text: string, worker: string): ServingSample | null {
  const match = lines.sample?.when.exec(text);
  if (!match) return null;
  const read = lines.sample!.read(text, match);
  return { engine: lines.id, worker, from: 'log', ...read };
}

type SampleLine = ServingSample & { readonly line: number };

/** So many samples of a text are kept: beyond, every other one, but never the highest. */
const MOST_SAMPLES = 2000;

/** Collects what a whole text says. */
export class EngineTextReader {
  readonly #reader = new EngineReader();
  readonly #figures: PlanFigure[] = [];
  #samples: SampleLine[] = [];

  push(line: string): void {
    for (const news of this.#reader.push(line)) {
      if (news.type === 'figure') this.#figures.push(news.figure);
      else if (news.type === 'sample') this.#samples.push({ ...news.sample, line: news.line });
    }
    if (this.#samples.length > MOST_SAMPLES) this.#samples = thinned(this.#samples);
  }

  /** null where no engine speaks. */
  end(): EngineText | null {
    if (this.#figures.length === 0 && this.#samples.length === 0) return null;
    return { figures: this.#figures, samples: this.#samples, notes: this.#reader.notes() };
  }
}

function thinned(samples: readonly SampleLine[]): SampleLine[] {
  const most = (of: (one: SampleLine) => number) =>
    samples.reduce((best, one) => (of(one) > (of(best) || -1) ? one : best));
  const kept = new Set([
    ...[most((one) => one.kvUsed), most((one) => one.running), most((one) => one.waiting)],
    samples.at(-1)!,
  ]);
  return samples.filter((one, i) => i % 2 === 0 || kept.has(one));
}
