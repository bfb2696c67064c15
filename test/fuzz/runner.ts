import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CaseRequest, CaseResult } from './child.ts';

/** A case may not take longer: the inputs are a few KiB. */
const MAX_MS = 2_000;
/** Nor make the process larger than this: nothing may be allocated because a header claims it. */
const MAX_RSS = 1024 ** 3;

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url));

/** Runs cases one after the other; a case that hangs or dies costs a new child. */
export class FuzzRunner {
  #child: ChildProcess | null = null;

  async run(request: CaseRequest): Promise<CaseResult> {
    this.#child ??= await startChild();
    const child = this.#child;
    const outcome = await new Promise<CaseResult | string>((done) => {
      const timer = setTimeout(() => finish(`no answer within ${MAX_MS} ms`), MAX_MS);
      const onMessage = (result: unknown) => finish(result as CaseResult);
      const onExit = (code: number | null) => finish(`the process died (${code})`);
      const finish = (result: CaseResult | string) => {
        clearTimeout(timer);
        child.off('message', onMessage).off('exit', onExit);
        done(result);
      };
      child.on('message', onMessage).on('exit', onExit);
      child.send(request);
    });
    if (typeof outcome === 'string') {
      this.close();
      return { ...request, failure: outcome, ms: MAX_MS, rssBytes: 0, label: '', bytes: null };
    }
    if (outcome.failure || outcome.rssBytes <= MAX_RSS) return outcome;
    this.close();
    return { ...outcome, failure: `the process grew to ${outcome.rssBytes} bytes` };
  }

  close(): void {
    this.#child?.kill('SIGKILL');
    this.#child = null;
  }
}

async function startChild(): Promise<ChildProcess> {
  const child = fork(CHILD, {
    execArgv: ['--import', import.meta.resolve('tsx'), '--max-old-space-size=512'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}
