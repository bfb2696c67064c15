import { chosenRun, firstPage } from '../model/first-page.ts';
import type { InputInfo, InputsInfo } from '../model/inputs-info.ts';
import type { EncodedAnswer } from '../model/questions.ts';

/** The report that a page asks for first, as it was answered. */
export interface FirstAnswer {
  readonly run: string;
  readonly bytes: Uint8Array;
}

/** A page with more in it would be painted later, not earlier. */
const LARGEST_BYTES = 512 << 10;

/** Keeps the report of the run that a page opens with, so that it can be sent with its headline. */
export class FirstAnswers {
  readonly #ask: (path: string) => Promise<EncodedAnswer>;
  #kept: (FirstAnswer & { readonly revision: number }) | null = null;
  #asked = '';

  constructor(ask: (path: string) => Promise<EncodedAnswer>) {
    this.#ask = ask;
  }

  /** Asks for it before a page does, but where it takes long: a page may be about something else then. */
  prepare(info: InputsInfo): void {
    const run = opensWith(info);
    if (!run || run.resources.includes('trace')) return;
    const path = reportOf(run);
    const question = `${path} ${run.revision}`;
    if (question === this.#asked) return;
    this.#asked = question;
    this.#ask(path).then(
      ({ bytes }) => this.#keep(run, bytes),
      () => {}, // the page asks again, and is told what is wrong
    );
  }

  /** What a page was answered, asked while `info` was true. */
  heard(info: InputsInfo, path: string, { bytes }: EncodedAnswer): void {
    const run = opensWith(info);
    if (run && path === reportOf(run)) this.#keep(run, bytes);
  }

  /** null: not known, or older than what is. */
  of(info: InputsInfo): FirstAnswer | null {
    const run = opensWith(info);
    const kept = this.#kept;
    return run && kept?.run === run.id && kept.revision === run.revision ? kept : null;
  }

  #keep({ id, revision }: InputInfo, bytes: Uint8Array): void {
    if (bytes.length <= LARGEST_BYTES) this.#kept = { run: id, revision, bytes };
  }
}

/** The run whose report these inputs open with; null: they open with something else, or with what changes from one moment to the next. */
function opensWith(info: InputsInfo): InputInfo | null {
  const run = chosenRun(info, undefined);
  if (!run?.resources.includes('report') || firstPage(info, run) !== 'overview') return null;
  const changes = info.live || info.lastCall || info.resources.includes('recordings');
  return changes ? null : run;
}

const reportOf = ({ id }: InputInfo) => `run/${id}/report`;
