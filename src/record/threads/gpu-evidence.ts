import { existsSync } from 'node:fs';
import type { GpuBackend } from '../../sources/gpu/backend.ts';
import { readText } from '../../sources/proc.ts';
import { THIS_MACHINE } from '../../sources/source.ts';
import type { RunFile } from '../run/run-file.ts';

/** When to look for open device files: soon, then ever more seldom. */
const FIRST_LOOK_MS = 300;
const LONGEST_PAUSE_MS = 60_000;

/** Collects what tells which cards the workload uses, and puts it into run.json. */
export class GpuEvidence {
  readonly #runFile: Pick<RunFile, 'run' | 'save'>;
  readonly #members = new Set<number>();
  readonly #holders = new Set<number>();
  /** The driver named one of ours; it named one that this view of the machine does not have. */
  #matched = false;
  #unseen = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(runFile: Pick<RunFile, 'run' | 'save'>) {
    this.#runFile = runFile;
  }

  addMember(pid: number): void {
    this.#members.add(pid);
    if (this.#holders.has(pid)) this.#judge();
  }

  removeMember(pid: number): void {
    this.#members.delete(pid);
  }

  /** A process id that the driver named for the first time. */
  addHolder(pid: number): void {
    this.#holders.add(pid);
    if (!existsSync(`${THIS_MACHINE.proc}/${pid}`)) this.#unseen = true;
    this.#judge();
  }

  start(backend: GpuBackend): void {
    this.#lookLater(backend, FIRST_LOOK_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** The driver may number processes as another view of the machine does: then none is ours. */
  #judge(): void {
    const { gpu } = this.#runFile.run;
    this.#matched ||= [...this.#holders].some((pid) => this.#members.has(pid));
    if (gpu) gpu.processIds = this.#unseen && !this.#matched ? 'foreign' : 'ours';
  }

  #lookLater(backend: GpuBackend, pauseMs: number): void {
    this.#timer = setTimeout(() => {
      if (this.#matched) return;
      this.#lookForDeviceFiles(backend);
      this.#lookLater(backend, Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
    }, pauseMs);
    this.#timer.unref();
  }

  /** Where the driver names none of ours, their open device files tell which cards they may use. */
  #lookForDeviceFiles(backend: GpuBackend): void {
    const { gpu, gpus } = this.#runFile.run;
    if (!gpu) return;
    const known = gpu.opened;
    const looks = [...this.#members].flatMap((pid) => {
      const held = backend.heldOpen(THIS_MACHINE, pid, gpus);
      return held ? [held] : [];
    });
    if (looks.length === 0) return;
    gpu.opened = [...new Set([...(known ?? []), ...looks.flat()])].sort((a, b) => a - b);
    if (known?.length !== gpu.opened.length) this.#runFile.save();
  }
}

/** What the workload was started with: our own environment, or that of the process that is attached to. */
export function startEnvironment(pid: number | null): Readonly<Record<string, string | undefined>> {
  if (pid === null) return process.env;
  const text = readText(`${THIS_MACHINE.proc}/${pid}/environ`) ?? '';
  const pairs = text.split('\0').map((line): [string, string] => {
    const at = Math.max(0, line.indexOf('='));
    return [line.slice(0, at), line.slice(at + 1)];
  });
  return Object.fromEntries(pairs);
}
