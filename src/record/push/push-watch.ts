import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { withoutSecrets } from '../../base/secrets/index.ts';
import { printable } from '../../base/text.ts';
import { type Counts, factsOf, type RunFacts } from '../../metrics/samples.ts';
import type { Sent } from '../../metrics/send/sender.ts';
import { lossLine } from '../../metrics/send/words.ts';
import type { LiveFigures } from '../run/live-figures.ts';
import type { RunFile } from '../run/run-file.ts';
import type { FromPush, PushThreadData, ToPush } from './messages.ts';
import type { PushSettings } from './settings.ts';

/** What the end of a run waits for a server at most. */
const FINISH_MS = 3000;
/** A thread that does not even answer. */
const GIVE_UP_MS = FINISH_MS + 1000;

/** The pushing thread of a recording as the main thread sees it. */
export class PushWatch {
  /** The writing thread puts its windows in here. */
  readonly inlet: MessagePort;
  readonly settings: PushSettings;
  readonly #outlet: MessagePort;
  readonly #runFile: RunFile;
  readonly #say: (line: string) => void;
  #live: LiveFigures | null = null;
  #worker: Worker | null = null;
  #markFinished: (sent: Sent | null) => void = () => {};

  constructor(settings: PushSettings, runFile: RunFile, say: (line: string) => void) {
    this.settings = settings;
    this.#runFile = runFile;
    this.#say = say;
    // Kept, so that the finished recording goes by the same name (highwater push).
    const { HIGHWATER_JOB: job } = process.env;
    if (job) runFile.run.labels.jobName = job;
    const { port1, port2 } = new MessageChannel();
    this.inlet = port1;
    this.#outlet = port2;
  }

  /** Once sampling has begun, which it must not delay. */
  start(live: LiveFigures): void {
    this.#live = live;
    const workerData: PushThreadData = {
      settings: this.settings,
      facts: this.#facts(),
      windows: this.#outlet,
    };
    this.#worker = new Worker(new URL('./push-thread.js', import.meta.url), {
      workerData,
      transferList: [this.#outlet],
      name: 'push-thread',
      env: {}, // what it needs it has been given
    });
    this.#worker.on('message', (message: FromPush) => this.#onMessage(message));
    this.#worker.on('error', (error) => {
      this.#runFile.warn(`metrics are not sent any more: ${error.message}`);
      this.#worker = null;
      this.#markFinished(null);
    });
    this.#worker.unref();
  }

  /** The last windows are sent, or what was lost is said; takes a few seconds at most. */
  async finish(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    let timeout: NodeJS.Timeout | undefined;
    const finished = new Promise<Sent | null>((resolve) => {
      this.#markFinished = resolve;
      timeout = setTimeout(() => resolve(null), GIVE_UP_MS);
    });
    this.#post({
      type: 'finish',
      facts: this.#facts(),
      counts: this.#counts(),
      withinMs: FINISH_MS,
    });
    const sent = await finished;
    clearTimeout(timeout);
    await worker.terminate();
    const { target } = this.settings;
    const loss = sent && target && lossLine(target.shown, sent);
    if (!loss) return;
    this.#runFile.warn(loss);
    this.#runFile.save();
  }

  #onMessage(message: FromPush): void {
    switch (message.type) {
      case 'facts?':
        this.#post({ type: 'facts', facts: this.#facts(), counts: this.#counts() });
        return;
      case 'exposed':
        this.#say(`highwater: metrics at ${message.url}`);
        return;
      case 'problem':
        this.#say(`highwater: ${printable(withoutSecrets(message.text))}`);
        return;
      case 'warning':
        this.#runFile.warn(message.text);
        return;
      case 'finished':
        this.#markFinished(message.sent);
        return;
    }
  }

  #post(message: ToPush): void {
    this.#worker?.postMessage(message);
  }

  #facts(): RunFacts {
    return factsOf(this.#runFile.run);
  }

  #counts(): Counts {
    const live = this.#live!;
    return { samples: live.get('ticks'), samplesMissed: live.get('missed') };
  }
}
