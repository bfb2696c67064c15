import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MAX_BYTES, type Stretch, type Tally } from './worker.ts';

/** A mutant may not take longer: the inputs are a few KiB. */
const MAX_MS = 10_000;
const LOOK_MS = 200;
/** Files there cost no disk. */
const MEMORY = '/dev/shm';

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url));

/** Runs stretches of mutants in a process of its own; one that hangs or takes all memory costs a new one. */
export class FuzzRunner {
  #child: ChildProcess | null = null;
  readonly #folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'highwater-fuzz-'));

  /** The whole stretch; mutants that had to be ended are among its failures. */
  async run(stretch: Stretch): Promise<Tally> {
    let all: Tally | null = null;
    for (let { from } = stretch; from < stretch.to; ) {
      const part = await this.#watched({ ...stretch, from });
      all = all ? added(all, part) : part;
      from = part.next;
      if (from < stretch.to) this.#end();
    }
    return all!;
  }

  close(): void {
    this.#end();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }

  async #watched(stretch: Stretch): Promise<Tally> {
    this.#child ??= await startWorker(this.#folder, this.#progress);
    const child = this.#child;
    const outcome = await new Promise<Tally | string>((done) => {
      let [at, since] = [-1, performance.now()];
      const look = setInterval(() => {
        const now = this.#at();
        if (now !== at) [at, since] = [now, performance.now()];
        const ms = performance.now() - since;
        if (ms > MAX_MS) finish(`no answer within ${MAX_MS} ms`);
        const bytes = residentBytes(child.pid!);
        if (bytes > MAX_BYTES) finish(`the process grew to ${bytes} bytes`);
      }, LOOK_MS);
      const onMessage = (tally: unknown) => finish(tally as Tally);
      const onExit = (code: number | null) => finish(`the process died (${code})`);
      const finish = (result: Tally | string) => {
        clearInterval(look);
        child.off('message', onMessage).off('exit', onExit);
        done(result);
      };
      child.on('message', onMessage).on('exit', onExit);
      child.send(stretch);
    });
    if (typeof outcome !== 'string') return outcome;
    this.#end();
    // What came before in this stretch is known to have ended, and not how; only the cases are counted.
    const { target, seed, from } = stretch;
    const number = Math.max(from, this.#at());
    const failures = [{ target, seed, number, what: outcome }];
    const slowest = { ms: MAX_MS, number };
    const cases = number + 1 - from;
    return { cases, read: 0, summed: 0, behind: 0, slowest, failures, next: number + 1 };
  }

  get #progress(): string {
    return join(this.#folder, 'at');
  }

  /** The mutant that the worker is at. */
  #at(): number {
    const bytes = readFileSync(this.#progress);
    return bytes.length < 8 ? -1 : bytes.readDoubleLE(0);
  }
}

/** What it writes lies in `folder`, as it may be ended before it can clean up. */
async function startWorker(folder: string, progress: string): Promise<ChildProcess> {
  const child = fork(WORKER, [progress], {
    execArgv: ['--import', import.meta.resolve('tsx'), '--max-old-space-size=768'],
    env: { ...process.env, TMPDIR: folder },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

function residentBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Two stretches as one. */
export function added(a: Tally, b: Tally): Tally {
  return {
    cases: a.cases + b.cases,
    read: a.read + b.read,
    summed: a.summed + b.summed,
    behind: a.behind + b.behind,
    slowest: a.slowest.ms >= b.slowest.ms ? a.slowest : b.slowest,
    failures: [...a.failures, ...b.failures],
    next: b.next,
  };
}
