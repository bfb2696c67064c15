import { agent } from '../agent.ts';
import { rememberModel } from '../sizes/roots.ts';
import { type Engine, runningEngine, type Tensor } from '../tags/tfjs.ts';
import { listen } from '../tags/watch.ts';
import { CsvFile } from './csv.ts';
import { flatFigures } from './figures.ts';
import { watchGradients } from './gradients.ts';
import { LiveStorages } from './live-storages.ts';
import { layerNames, type ModelLike, modelTensors, weightNames } from './model.ts';
import { checkArguments, type ProfilerOptions } from './options.ts';
import { Changes, rowsOf } from './rows.ts';
import { type Stats, takeStats } from './stats.ts';
import { table } from './table.ts';

export type { ProfilerOptions } from './options.ts';

/** Rows that go into one message. */
const MOST_ROWS = 5000;

/**
 * Says what each layer of a TensorFlow.js model holds, iteration by iteration: docs/layers.md. Make it
 * right before the training loop, call `recordStats()` after every iteration and `epochEnd()` after
 * every epoch. Under `highwater record` all of it is recorded too.
 */
export class MemoryProfiler {
  readonly #model: ModelLike;
  readonly #engine: Engine;
  readonly #optimizer: object | null;
  readonly #printPeriod: number;
  readonly #print: (text: string) => void;
  readonly #storages = new LiveStorages();
  readonly #watch: ReturnType<typeof listen>;
  readonly #endGradients: () => void;
  readonly #changes = new Changes();
  #csv: CsvFile | null;
  /** Of this iteration. */
  #gradients = new Map<Tensor, number>();
  #epoch = 1;
  #iteration = 0;
  #stats: Stats | null = null;
  #closed = false;
  #warned = false;

  constructor(model: object, options: ProfilerOptions = {}) {
    checkArguments(model, options);
    const engine = runningEngine();
    if (!engine) throw new Error('MemoryProfiler finds no TensorFlow.js in this process');
    this.#model = model;
    rememberModel(model);
    this.#engine = engine;
    this.#optimizer = options.optimizer ?? null;
    this.#printPeriod = options.printPeriod ?? 1;
    this.#csv = options.csv ? new CsvFile() : null;
    this.#print = options.print ?? ((text) => process.stdout.write(text));
    this.#watch = listen(engine, this.#storages, model.layers[0] ?? null);
    this.#endGradients = watchGradients(engine, (variable, gradient) => {
      const bytes = gradient && engine.state.tensorInfo.get(gradient.dataId)?.bytes;
      this.#gradients.set(variable, bytes ?? 0);
    });
  }

  /** After every iteration: takes its figures, and prints them every so often. */
  recordStats(): void {
    if (this.#closed) return;
    this.#iteration++;
    try {
      this.#stats = this.#take();
      this.#storages.nextIteration();
      this.#gradients = new Map();
      this.#send(this.#stats);
      if (this.#iteration % this.#printPeriod === 0) this.#show(this.#stats);
    } catch (error) {
      this.#warn(`the figures of iteration ${this.#iteration} are lost: ${error}`);
    }
  }

  /** After every epoch: the iterations of the next are counted from 1 again. */
  epochEnd(): void {
    if (this.#closed) return;
    this.#print(`Epoch ${this.#epoch} finished\n`);
    this.#epoch++;
    this.#iteration = 0;
  }

  /** The last iteration as one flat object of bytes; empty before the first. */
  stats(): Record<string, number> {
    return this.#stats ? flatFigures(this.#stats) : {};
  }

  /** Takes all hooks away again. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#endGradients();
    this.#watch.stop();
    this.#storages.live.clear();
  }

  #take(): Stats {
    const optimizer = this.#optimizer ?? this.#model.optimizer ?? null;
    const sources = {
      engine: this.#engine,
      tagger: this.#watch.tagger,
      storages: this.#storages,
      modelTensors: modelTensors(this.#model, optimizer, this.#engine),
      weightNames: weightNames(this.#model),
      layers: layerNames(this.#model),
      gradients: this.#gradients,
      optimizerKnown: optimizer !== null,
    };
    return takeStats(sources, this.#epoch, this.#iteration);
  }

  #send(stats: Stats): void {
    const { epoch, iteration } = stats;
    const time = Number(process.hrtime.bigint());
    const rows = this.#changes.of(rowsOf(stats));
    for (let start = 0; start === 0 || start < rows.length; start += MOST_ROWS) {
      const part = rows.slice(start, start + MOST_ROWS);
      const sent = agent.send({ type: 'layers', time, epoch, iteration, rows: part });
      if (!sent) this.#changes.forget();
    }
  }

  #show(stats: Stats): void {
    this.#print(table(stats));
    try {
      this.#csv?.append(stats);
    } catch (error) {
      this.#warn(`${this.#csv!.path} cannot be written: ${error}`);
      this.#csv = null;
    }
  }

  /** Training goes on, whatever happens here; once is enough to say so. */
  #warn(text: string): void {
    if (!this.#warned) process.stderr.write(`highwater: MemoryProfiler: ${text}\n`);
    this.#warned = true;
  }
}
