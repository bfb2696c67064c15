import { setImmediate as nextTurn } from 'node:timers/promises';
import { embeddedQuestions, questionText } from '../answers/embedded-questions.ts';
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
import { growsNow } from '../open/growing.ts';
import { locate } from '../open/locate.ts';
import { namesOf } from '../open/runs.ts';
import { FollowedInput } from './followed-input.ts';
import { mayGrow, signatureOf } from './growth.ts';
import { inputPaths, openViewInput } from './open-inputs.ts';
import { isLargeJob } from './open-job.ts';
import { lazySweep } from './open-sweep.ts';
import type { QueryThreadData } from './query-messages.ts';
import { recordingsHere } from './recordings-here.ts';
import { NodeReplayThread } from './replay-client.ts';

/** One input on its way: what the page knows of it, and what was opened. */
interface Slot {
  readonly path: string;
  name: string;
  status: InputInfo['status'];
  error: string | null;
  progress: InputProgress | null;
  revision: number;
  opened: OpenedInput | null;
  run: OpenRun | null;
  /** Of the files when they were read last; null where they do not grow. */
  signature: string | null;
  /** While somebody writes it. */
  followed: FollowedInput | null;
  growing: boolean;
  stopsAt: number | null;
  died: boolean;
  outlier: number | null;
}

/** All inputs of one page: opens them one after the other, and again while they grow. */
export class ViewInputs implements OpenInputs {
  readonly inputs: readonly string[];
  readonly sweep: OpenInputs['sweep'];
  readonly #changed: (info: InputsInfo) => void;
  readonly #skipped: ReadonlyMap<string, string | null>;
  readonly here: OpenInputs['here'];
  #slots: Slot[] = [];
  #leaves = false;

  /** `skipped`: paths that are left out, and why; null: the reader did not want to wait for them. */
  constructor(
    inputs: readonly string[],
    changed: (info: InputsInfo) => void,
    { skipped = [], lists = false }: Partial<Pick<QueryThreadData, 'skipped' | 'lists'>> = {},
  ) {
    this.inputs = inputs;
    this.sweep = lazySweep(inputs);
    this.here = lists ? recordingsHere : undefined;
    this.#changed = changed;
    this.#skipped = new Map(skipped);
  }

  get runs(): OpenRun[] {
    return this.#slots.flatMap(({ run }) => (run ? [run] : []));
  }

  get info(): InputsInfo {
    const runs = this.#slots.map((slot, i) => this.#entry(slot, String(i)));
    return {
      version: VERSION,
      resources: resourcesOf(this, 'job'),
      runs,
      live: this.#slots.some(({ growing }) => growing),
      leftOut: null,
      ...(this.#leaves && { lastCall: this.#lastCall() }),
    };
  }

  progress(progress: InputProgress): void {
    const busy = this.#slots.find(({ status }) => status === 'opening');
    if (busy) this.#tell(busy, { progress });
  }

  replayThread(): ReplayThread {
    return new NodeReplayThread();
  }

  async open(): Promise<void> {
    const paths = await inputPaths(this.inputs);
    this.#slots = paths.map((path) => newSlot(path, this.#skipped.get(path)));
    this.#changed(this.info);
    for (const slot of this.#slots) {
      if (slot.status === 'waiting') await this.#openSlot(slot);
      // Questions about those that are open already come in between.
      await nextTurn();
    }
  }

  /** One more, which was found or dropped later; its run, or that of the first where it holds several. */
  async add(input: string): Promise<string> {
    const paths = await inputPaths([input]);
    for (const path of paths) {
      if (this.#slots.some((slot) => slot.path === path)) continue;
      const slot = newSlot(path, undefined);
      this.#slots.push(slot);
      await this.#openSlot(slot);
    }
    return String(this.#slots.findIndex(({ path }) => path === paths[0]));
  }

  /** Whoever looks is told what to fetch before nobody answers any more. */
  leave(): void {
    this.#leaves = true;
    this.#changed(this.info);
  }

  #lastCall(): string[] {
    return embeddedQuestions(this).flatMap(({ path, queries }) =>
      queries.map((query) => questionText(path, query)),
    );
  }

  /** Reads what grew. */
  async refresh(): Promise<void> {
    for (const slot of this.#slots) {
      if (slot.signature === null) continue;
      const now = signatureOf(slot.path);
      if (now === slot.signature) {
        if (slot.growing && !growsNow(slot.path)) await this.#openSlot(slot);
        continue;
      }
      await this.#openSlot(slot);
    }
  }

  /** Whether a recorder may still be writing any of them. */
  get mayGrow(): boolean {
    return this.#slots.some(({ signature }) => signature !== null);
  }

  async #openSlot(slot: Slot): Promise<void> {
    const again = slot.run !== null;
    if (!again)
      this.#tell(slot, { status: 'opening', progress: { what: 'reading', done: 0, total: null } });
    const signature = signatureOf(slot.path);
    try {
      slot.opened = await this.#read(slot, (progress) => {
        if (!again) this.#tell(slot, { progress });
      });
      const unfinished = mayGrow(slot.opened.recording);
      const growing = unfinished && growsNow(slot.path);
      slot.signature = unfinished ? signature : null;
      if (growing) slot.opened = undamaged(slot.opened);
      this.#name();
      this.#tell(slot, {
        status: 'open',
        error: null,
        progress: null,
        growing,
        ...firstLook(slot.opened.recording, growing),
        revision: slot.revision + 1,
      });
    } catch (error) {
      // While it is written, one look may come at a bad moment: the next one will do.
      if (again) return;
      if (!(error instanceof UserError)) throw error;
      const hint = error.hint ? ` (${error.hint})` : '';
      this.#tell(slot, {
        status: 'failed',
        error: `${describeError(error)}${hint}`,
        progress: null,
      });
    }
  }

  /** Of one that is written only what is new; once it has ended, all of it: what is damaged is known then. */
  async #read(slot: Slot, progress: (progress: InputProgress) => void): Promise<OpenedInput> {
    if (isLargeJob(slot.path)) return openViewInput(slot.path, progress);
    const location = locate(slot.path);
    if (location.kind === 'folder') {
      slot.followed ??= new FollowedInput(location);
      const opened = await slot.followed.open();
      if (opened) return opened;
      slot.followed = null;
    }
    return openViewInput(slot.path, progress);
  }

  /** Names depend on each other, so that all are made anew whenever one more is known. */
  #name(): void {
    const open = this.#slots.flatMap((slot) =>
      slot.opened ? [{ slot, opened: slot.opened }] : [],
    );
    const names = namesOf(
      open.map(({ slot, opened }) => ({ path: slot.path, recording: opened.recording })),
    );
    open.forEach(({ slot, opened }, i) => {
      slot.name = names[i]!;
      const same = slot.run?.recording === opened.recording && slot.run.name === slot.name;
      if (!same)
        slot.run = openRun(String(this.#slots.indexOf(slot)), slot.name, slot.path, opened);
    });
  }

  #tell(slot: Slot, news: Partial<Slot>): void {
    Object.assign(slot, news);
    this.#changed(this.info);
  }

  #entry(slot: Slot, id: string): InputInfo {
    const { name, path, status, error, progress, revision, run, growing } = slot;
    const { stopsAt, died, outlier } = slot;
    const resources = run ? resourcesOf(this, 'run', run) : [];
    const ends = { live: growing, stopsAt, died, outlier };
    return { id, name, path, status, resources, error, progress, revision, ...ends };
  }
}

/** What is just being written looks like a cut end, which it is not. */
const undamaged = ({ recording, ...rest }: OpenedInput): OpenedInput => ({
  ...rest,
  recording: { ...recording, damage: [] },
});

/** `why` it is not opened: undefined where it is. */
function newSlot(path: string, why: string | null | undefined): Slot {
  return {
    path,
    name: path.split('/').at(-1) || path,
    status: why === undefined ? 'waiting' : why === null ? 'cancelled' : 'failed',
    error: why ?? null,
    progress: null,
    revision: 0,
    opened: null,
    run: null,
    signature: null,
    followed: null,
    growing: false,
    stopsAt: null,
    died: false,
    outlier: null,
  };
}
