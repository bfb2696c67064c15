import {
  firstLook,
  type OpenedInput,
  type OpenInputs,
  type OpenRun,
  openRun,
} from '../answers/opened.ts';
import type { ReplayThread } from '../answers/replays/messages.ts';
import { resourcesOf } from '../answers/resources/index.ts';
import { describeError, UserError } from '../base/errors.ts';
import { VERSION } from '../base/version.ts';
import type { InputInfo, InputProgress, InputsInfo } from '../model/inputs-info.ts';
import { runNames } from '../open/run-names.ts';
import { localFile } from './local-file.ts';
import { openFile } from './open-file.ts';

interface Slot {
  readonly file: File;
  status: InputInfo['status'];
  error: string | null;
  progress: InputProgress | null;
  opened: OpenedInput | null;
  run: OpenRun | null;
}

/** The files that were dropped on the page, opened one after the other. */
export class OpenedFiles implements OpenInputs {
  readonly sweep = undefined;
  readonly #changed: (info: InputsInfo) => void;
  readonly #newReplayThread: () => ReplayThread;
  #slots: Slot[] = [];

  constructor(changed: (info: InputsInfo) => void, newReplayThread: () => ReplayThread) {
    this.#changed = changed;
    this.#newReplayThread = newReplayThread;
  }

  get inputs(): string[] {
    return this.#slots.map(({ file }) => file.name);
  }

  get runs(): OpenRun[] {
    return this.#slots.flatMap(({ run }) => run ?? []);
  }

  get info(): InputsInfo {
    return {
      version: VERSION,
      resources: resourcesOf(this, 'job'),
      runs: this.#slots.map((slot, i) => this.#entry(slot, String(i))),
      live: false,
      leftOut: null,
    };
  }

  progress(progress: InputProgress): void {
    const busy = this.#slots.find(({ status }) => status === 'opening');
    if (busy) this.#tell(busy, { progress });
  }

  replayThread(): ReplayThread {
    return this.#newReplayThread();
  }

  /** In the place of those that were open. */
  async open(files: readonly File[]): Promise<void> {
    this.#slots = files.map((file) => ({
      ...{ file, status: 'waiting', error: null, progress: null, opened: null, run: null },
    }));
    const slots = this.#slots;
    this.#changed(this.info);
    for (const slot of slots) {
      await this.#open(slot);
      // Questions about those that are open already come in between.
      await new Promise((next) => setTimeout(next));
      if (slots !== this.#slots) return;
    }
  }

  async #open(slot: Slot): Promise<void> {
    this.#tell(slot, {
      status: 'opening',
      progress: { what: 'reading', done: 0, total: slot.file.size },
    });
    try {
      slot.opened = await openFile(localFile(slot.file), (progress) =>
        this.#tell(slot, { progress }),
      );
      this.#name();
      this.#tell(slot, { status: 'open', progress: null });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const hint = error.hint ? ` (${error.hint})` : '';
      const text = `${describeError(error)}${hint}`;
      this.#tell(slot, { status: 'failed', error: text, progress: null });
    }
  }

  /** Names depend on each other, so that all are made anew whenever one more is known. */
  #name(): void {
    const open = this.#slots.flatMap((slot) =>
      slot.opened ? [{ slot, opened: slot.opened, path: slot.file.name }] : [],
    );
    const names = runNames(
      open.map(({ path, opened: { recording } }) => ({ path, recording })),
      open.map(({ path, slot }) => `${path} ${this.#slots.indexOf(slot) + 1}`),
    );
    open.forEach(({ slot, opened, path }, i) => {
      if (slot.run?.name === names[i]) return;
      slot.run = openRun(String(this.#slots.indexOf(slot)), names[i]!, path, opened);
    });
  }

  #tell(slot: Slot, news: Partial<Slot>): void {
    Object.assign(slot, news);
    if (this.#slots.includes(slot)) this.#changed(this.info);
  }

  #entry({ file, status, error, progress, opened, run }: Slot, id: string): InputInfo {
    return {
      ...{ id, name: run?.name ?? file.name, path: file.name, status, error, progress },
      resources: run ? resourcesOf(this, 'run', run) : [],
      live: false,
      ...(opened ? firstLook(opened.recording) : { stopsAt: null, died: false, outlier: null }),
      revision: run ? 1 : 0,
    };
  }
}
