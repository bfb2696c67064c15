import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../../base/errors.ts';
import { injectionFolder } from '../../../record/agents/injection.ts';
import { answersTo, askAgent } from '../../../sources/agent/ask.ts';
import { tell } from '../../output/terminal.ts';

const PATIENCE_MS = 600_000;
const LOOK_MS = 50;

interface Answer {
  readonly file?: unknown;
  readonly objects?: number;
  readonly pauseMs?: number;
}

/** The agent in a Python program under `record` writes its heap into a file, or Python 3.14 does without one. */
export async function takePythonHeap(pid: number, file: string): Promise<void> {
  const answer = (
    (await answersTo(pid, 'heap'))
      ? await askAgent(pid, 'heap', { file }, PATIENCE_MS)
      : await takeRemotely(pid, file, PATIENCE_MS)
  ) as Answer | null;
  if (answer?.file === file) {
    const { objects = 0, pauseMs = 0 } = answer;
    const pause = `the program stood still for ${pauseMs.toFixed(0)} ms`;
    tell(`${objects.toLocaleString('en-US')} objects written to ${file}; ${pause}\n`);
    return;
  }
  throw new UserError(`process ${pid} did not write its heap to ${file}`);
}

/**
 * Python 3.14 and newer run a script on request (`sys.remote_exec`), with or without an agent. The
 * target's own interpreter asks, as both must be of one version; it is asked first whether it can.
 * `run`: runs lines of Python with an interpreter; what they print, null where they fail.
 */
export async function takeRemotely(
  pid: number,
  file: string,
  patienceMs: number,
  run = python,
): Promise<unknown> {
  const program = `/proc/${pid}/exe`;
  const can = run(program, 'import sys; print(hasattr(sys, "remote_exec"))');
  if (can !== 'True') {
    throw new UserError(`process ${pid} has no agent, and its Python takes no requests`, {
      hint: 'start it with: highwater record --heap 3 -- … (Python 3.14 and newer can be asked without)',
    });
  }
  const inject = injectionFolder();
  if (inject === null)
    throw new UserError('the Python part of Highwater is not where it should be');
  const folder = mkdtempSync(join(tmpdir(), 'highwater-heap-'));
  try {
    const [script, reply] = [join(folder, 'take.py'), join(folder, 'reply.json')];
    writeFileSync(script, scriptOf(dirname(inject), file, reply));
    const said = run(program, `import sys; sys.remote_exec(${pid}, ${JSON.stringify(script)})`);
    if (said === null) {
      throw new UserError(`process ${pid} cannot be asked`, {
        hint: 'that needs the right to trace it: the same user, and kernel.yama.ptrace_scope 0, or root',
      });
    }
    for (const end = Date.now() + patienceMs; !existsSync(reply); await sleep(LOOK_MS)) {
      if (!existsSync(`/proc/${pid}`)) throw new UserError(`process ${pid} has ended`);
      if (Date.now() > end) throw new UserError(`process ${pid} did not answer`);
    }
    const answer = JSON.parse(readFileSync(reply, 'utf8')) as { error?: string };
    if (answer.error) throw new UserError(`process ${pid} did not answer: ${answer.error}`);
    return answer;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function python(program: string, code: string): string | null {
  const env = { ...process.env, PYTHONPATH: '', HIGHWATER_SOCKET: '', HIGHWATER_OUT: '' };
  const { status, stdout } = spawnSync(program, ['-I', '-c', code], { encoding: 'utf8', env });
  return status === 0 ? stdout.trim() : null;
}

/** Takes our own copy of the agent, waits for the file in a thread, and leaves no name behind. */
function scriptOf(folder: string, file: string, reply: string): string {
  const [where, to, answer] = [folder, file, reply].map((text) => JSON.stringify(text));
  return `def _highwater():
    import _thread, json, os, sys, types
    from importlib import import_module
    def tell(what):
        with open(${answer} + ".tmp", "w") as out:
            json.dump(what, out)
        os.replace(${answer} + ".tmp", ${answer})
    def wait(taken):
        try:
            tell(taken.wait())
        except Exception as error:
            tell({"error": str(error)})
    try:
        if "_highwater" not in sys.modules:
            ours = types.ModuleType("_highwater")
            ours.__path__ = [${where}]
            sys.modules["_highwater"] = ours
        taken = import_module("_highwater._heap.take").take(${to})
        _thread.start_new_thread(wait, (taken,))
    except Exception as error:
        tell({"error": "%s: %s" % (type(error).__name__, error)})
_highwater()
del _highwater
`;
}
