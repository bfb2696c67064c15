import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { iterationRows } from '../../src/model/iterations.ts';
import type { Recording } from '../../src/model/recording.ts';
import { series, seriesNames } from '../../src/model/series.ts';
import { needs, python } from '../support/programs.ts';
import { highwater, open, place } from '../support/recorder.ts';
import { torchPython, whereTorch } from '../support/torch.ts';

const TORCH = torchPython();
const FAKE = resolve('test/fixtures/agent/torch');

let lastOut = '';

async function train(
  script: string,
  { interpreter = python(), path = FAKE, flags = [] as string[], env = {} } = {},
) {
  const file = place('train.py');
  writeFileSync(file, script);
  const out = place();
  lastOut = out;
  const command = ['record', '-q', '--before', '0', '--after', '0', ...flags, '-o', out, '--'];
  const { code, stdout, stderr } = await highwater([...command, interpreter, file], {
    env: { PYTHONPATH: path, ...env },
  });
  const recording = open(out);
  const table = recording.table('marks');
  const marks = Array.from(table.u32('kind'), (kind, row) => ({
    kind: recording.text(kind),
    name: recording.text(table.u32('name')[row]!),
    iteration: table.f64('iteration')[row]!,
    pid: table.f64('pid')[row]!,
  })).filter(({ kind }) => kind !== 'start' && kind !== 'end');
  return { code, stdout: String(stdout), stderr, recording, marks };
}

/** The values of a counter that the program's agent told. */
function counter(recording: Recording, name: string): number[] {
  const table = recording.table('counters');
  const values = table.f64('value');
  return Array.from(table.u32('name')).flatMap((text, row) =>
    recording.text(text) === name ? [values[row]!] : [],
  );
}

const LOOP = `
import torch, time
from torch.optim.optimizer import Optimizer
one, other = Optimizer(), Optimizer()
def step():
    time.sleep(0.05)
    torch.autograd.backward(())
    one.step(); other.step()
`;

describe('a training that has no line of ours', () => {
  needs('python3')('tells its steps, phases and counters', async () => {
    const { code, recording, marks } = await train(`${LOOP}\nfor _ in range(8): step()\n`);
    expect(code).toBe(0);
    const steps = marks.filter(({ kind }) => kind === 'step');
    // Of two optimizers the first one's steps are counted.
    expect(steps.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(steps.every(({ pid }) => pid === recording.run.rootPid)).toBe(true);
    expect(iterationRows(recording)).toHaveLength(8);
    const phases = marks.filter(({ kind }) => kind === 'phase');
    expect(phases.slice(0, 4).map(({ name }) => name)).toEqual([
      'backward',
      '/backward',
      'optimizer',
      '/optimizer',
    ]);
    const names = seriesNames(recording);
    expect(names).toContain('torch1.allocated');
    expect(names).not.toContain('torch0.allocated'); // a card that is not used
    expect(series(recording, 'torch1.reserved')!.values[0]).toBe(1000);
    expect(recording.run.sources).toContainEqual({ id: 'agent', ok: true, detail: 'in 1 process' });
  });

  needs('python3')('tells what torch pinned on the host, by whatever names torch has', async () => {
    const told = async (PINNED: string) => {
      const { code, recording } = await train(`${LOOP}\nfor _ in range(3): step()\n`, {
        env: { PINNED },
      });
      expect(code).toBe(0);
      expect(counter(recording, 'torch1.allocated')[0]).toBe(700);
      return ['allocated', 'reserved', 'peak'].map(
        (what) => counter(recording, `pinned.${what}`)[0] ?? null,
      );
    };
    expect(await told('active')).toEqual([600, 1024, 800]);
    expect(await told('reserved')).toEqual([600, 1024, 800]);
    expect(await told('unheard of')).toEqual([null, null, null]);
  });

  needs('python3')('may fail in its backward pass as it always did', async () => {
    const { code, stderr, marks } = await train(
      `${LOOP}\nprint(torch.autograd.backward.__doc__, torch.autograd.backward.__qualname__)\n` +
        'torch.autograd.backward((), fail=True)\n',
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/RuntimeError: out of luck\n$/);
    expect(marks.map(({ name }) => name)).toEqual(['backward', '/backward']);
  });

  needs('python3')('is heard in each process that it forks or spawns', async () => {
    const { recording, marks } = await train(
      `${LOOP}\nimport multiprocessing, os\n` +
        'def work():\n    for _ in range(3): step()\n' +
        'if __name__ == "__main__":\n    step()\n' +
        '    for how in "fork", "spawn":\n' +
        '        child = multiprocessing.get_context(how).Process(target=work)\n' +
        '        child.start(); child.join()\n' +
        '    step()\n',
    );
    const steps = marks.filter(({ kind }) => kind === 'step');
    const pids = [...new Set(steps.map(({ pid }) => pid))];
    const numbersOf = (pid: number) =>
      steps.filter((mark) => mark.pid === pid).map(({ iteration }) => iteration);
    expect(pids.map(numbersOf)).toEqual([
      [1, 2],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(iterationRows(recording)).toHaveLength(2);
  });

  needs('python3')('keeps to the iterations that it names itself', async () => {
    const { recording, marks } = await train(
      `${LOOP}\nfor n in range(4):\n    step()\n    print("iteration", n * 10, "loss 0.5", flush=True)\n`,
    );
    expect(marks.filter(({ kind }) => kind === 'step')).toHaveLength(4);
    const numbers = recording.table('marks').f64('iteration');
    expect(iterationRows(recording).map((row) => numbers[row])).toEqual([0, 10, 20, 30]);
  });

  needs('python3')(
    'is left alone with --agent off, and told that -I leaves the agent out',
    async () => {
      const off = await train(`${LOOP}\nstep()\nimport os; print(os.environ["PYTHONPATH"])\n`, {
        flags: ['--agent', 'off'],
      });
      expect(off.stdout).toBe(`${FAKE}\n`);
      expect(off.marks).toEqual([]);
      expect(off.recording.run.sources.find(({ id }) => id === 'agent')).toMatchObject({
        ok: false,
      });
    },
  );

  needs('python3')('ends after so many steps where that is asked for', async () => {
    const { recording } = await train(`${LOOP}\nfor _ in range(500): step()\n`, {
      flags: ['--stop-after', '3'],
    });
    expect(recording.run.exit?.endedBy).toMatch(/^--stop-after 3/);
  });
});

describe('a CUDA out-of-memory error', () => {
  needs('python3')(
    'leaves at most three snapshots, of which the report tells the first',
    async () => {
      const { code, recording, stdout } = await train(
        `${LOOP}\nstep()\nfor _ in range(5): torch._C.run_out()\nprint(torch.cuda.memory.history)\n`,
        { env: { REAL_SNAPSHOT: resolve('test/fixtures/snapshots/oom_batch.pickle.gz') } },
      );
      expect(code).toBe(0);
      expect(stdout).toContain("'max_entries': 100000");
      expect(stdout).toContain("'context': 'alloc'");
      const pid = recording.run.rootPid!;
      expect(recording.run.snapshots?.map(({ file }) => file)).toEqual(
        [1, 2, 3].map((n) => `oom-${pid}-${n}.pickle`),
      );
      expect(recording.run.snapshots?.[0]).toMatchObject({ asked: 2 ** 31, free: 2 ** 20, pid });
      const told = await highwater(['report', lastOut, '--json']);
      const { devices, warnings } = JSON.parse(String(told.stdout)) as Report;
      expect(devices[0]?.oom).toBeTruthy();
      expect(warnings.filter((text) => text.startsWith('further snapshots'))).toHaveLength(1);
    },
  );

  needs('python3')('did not come: then what held the peak is told at the end', async () => {
    const { code, recording } = await train(`${LOOP}\nstep()\n`, {
      env: {
        REAL_SNAPSHOT: resolve('test/fixtures/snapshots/oom_batch.pickle.gz'),
        REAL_PEAK: String(5 * 2 ** 30),
      },
    });
    expect(code).toBe(0);
    const pid = recording.run.rootPid!;
    expect(recording.run.snapshots).toMatchObject([
      { file: `peak-${pid}.pickle`, why: 'peak', device: 0, asked: null, pid },
    ]);
    expect(counter(recording, 'torch0.peak').at(-1)).toBe(5 * 2 ** 30);
    const told = await highwater(['report', lastOut, '--json']);
    const { devices } = JSON.parse(String(told.stdout)) as Report;
    expect(devices[0]?.topStacks.length).toBeGreaterThan(0);
  });

  needs('python3')('knows who made each allocation where that is asked for', async () => {
    const { stdout } = await train(`${LOOP}\nstep()\nprint(torch.cuda.memory.history)\n`, {
      flags: ['--agent', 'stacks'],
    });
    expect(stdout).toContain("'context': 'alloc'");
  });
});

const REAL = `
import torch, hashlib
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.Dropout(0.1), torch.nn.Linear(64, 4))
adam = torch.optim.Adam(model.parameters())
schedule = torch.optim.lr_scheduler.StepLR(adam, 3)
for _ in range(10):
    adam.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(torch.randn(8, 32)), torch.randint(0, 4, (8,)))
    loss.backward()
    adam.step()
    schedule.step()
state = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print(loss.item().hex(), hashlib.sha256(state).hexdigest())
`;

/** A whole step under torch.compile: our hooks are in the code that it traces. */
const COMPILED = `
import torch, logging
logging.disable(logging.WARNING)
torch.manual_seed(0)
model = torch.nn.Linear(4, 4)
sgd = torch.optim.SGD(model.parameters(), lr=0.1)
graphs = []
def backend(graph, inputs):
    graphs.append(sorted(getattr(node.target, "__name__", node.name) for node in graph.graph.nodes))
    return graph.forward
@torch.compile(backend=backend)
def step(x):
    loss = model(x).sum()
    loss.backward()
    sgd.step()
    sgd.zero_grad()
    return loss
for _ in range(4):
    loss = step(torch.randn(2, 4))
print(len(graphs), "graphs,", graphs, loss.item().hex())
`;

describe('real torch', () => {
  // Both in one program: torch takes seconds to start.
  whereTorch()(
    'learns the same to the last bit, and is compiled into the same graphs',
    async () => {
      const alone = spawnSync(TORCH!, ['-c', REAL + COMPILED], { encoding: 'utf8' });
      const watched = await train(REAL + COMPILED, { interpreter: TORCH!, path: '' });
      expect(alone.stdout).toMatch(/^\S+ \w{64}\n\d+ graphs, /);
      expect({ code: watched.code, stderr: watched.stderr }).toEqual({
        code: 0,
        stderr: alone.stderr,
      });
      expect(watched.stdout).toBe(alone.stdout);
      // Steps closer than 5 ms are told thinned, but the last one always; two optimizers took 14.
      expect(watched.marks.findLast(({ kind }) => kind === 'step')?.iteration).toBe(10);
    },
    180_000,
  );
});
