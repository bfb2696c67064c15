import { describeError, errnoCode, UserError } from '../../base/errors.ts';
import { withoutSecrets } from '../../base/secrets/index.ts';
import { printable } from '../../base/text.ts';
import { SECOND_NS } from '../../base/time.ts';
import { writeRun } from '../../model/disk/save.ts';
import { freeReserve, noteStop, removeStop, reserveStop } from '../../model/disk/stop-file.ts';
import type { RunInfo } from '../../model/run.ts';
import type { ClockOrigin } from '../threads/messages.ts';
import type { ThreadsEnd } from '../threads/threads.ts';

/** run.json while it grows: kept on disk, with every warning also told to the user. */
export class RunFile {
  readonly run: RunInfo;
  readonly folder: string;
  readonly #origin: ClockOrigin;
  readonly #say: (line: string) => void;
  /** Why the recording ends before the workload does, if it does. */
  failure: string | null = null;
  #begun = false;

  constructor(folder: string, run: RunInfo, origin: ClockOrigin, say: (line: string) => void) {
    this.folder = folder;
    this.run = run;
    this.#origin = origin;
    this.#say = say;
  }

  /** Before anything is started: where nothing can be written there is nothing to record. */
  create(): void {
    try {
      writeRun(this.folder, this.run);
      reserveStop(this.folder);
    } catch (error) {
      throw new UserError(`cannot write ${this.folder}: ${describeError(error)}`, {
        hint: 'choose another place with -o',
        exitCode: 125,
        cause: error,
      });
    }
  }

  /** A full disk must not harm the workload: what cannot be written is said. */
  save(): void {
    try {
      this.#write();
    } catch (error) {
      this.fail(describeError(error), errnoCode(error) ?? null);
    }
  }

  #write(): void {
    try {
      writeRun(this.folder, this.run);
    } catch {
      freeReserve(this.folder);
      writeRun(this.folder, this.run);
    }
  }

  /** What is known of a run only once all threads have ended. */
  close(end: ThreadsEnd, pssDenied: number): void {
    const { run } = this;
    run.foldedSeconds = end.foldedSeconds;
    if (end.stopped) {
      const { user, system } = process.cpuUsage();
      run.sampling = { ...end.stopped.sampling, recorderCpuSeconds: (user + system) / 1e6 };
      if (end.stopped.lostRows > 0) run.lostRows = end.stopped.lostRows;
    }
    if (pssDenied > 0) {
      run.warnings.push(
        `${pssDenied} processes belong to somebody else: their proportional size is unknown`,
      );
    }
    run.endedAt = new Date().toISOString();
    try {
      this.#write();
      removeStop(this.folder);
    } catch (error) {
      this.fail(describeError(error), errnoCode(error) ?? null);
    }
  }

  /** An agent's own words may be among them: neither its secrets nor its escapes are passed on. */
  warn(said: string): void {
    const text = printable(withoutSecrets(said));
    this.run.warnings.push(text);
    this.#say(`highwater: ${text}`);
  }

  /** Nothing more can be written; said once, and noted where that is still possible. */
  fail(text: string, code: string | null): void {
    if (this.failure) return;
    this.failure = text;
    const [seconds, ns] = process.hrtime([...this.#origin]);
    this.run.stopped = { ns: seconds * SECOND_NS + ns, why: text, code };
    noteStop(this.folder, this.run.stopped);
    if (this.#begun) this.#sayStop();
  }

  /** The workload runs: whatever ended the recording before is said now, and was not worth a line if nothing runs. */
  begin(): void {
    this.#begun = true;
    if (this.failure) this.#sayStop();
  }

  #sayStop(): void {
    this.#say(
      `highwater: the recording in ${this.folder} stops here: ${this.failure}; the workload goes on`,
    );
  }
}
