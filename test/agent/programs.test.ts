import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { folderFiles } from '../../src/model/disk/files.ts';
import { openRecording } from '../../src/model/disk/reader.ts';
import { needs } from '../support/programs.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Records a program and returns its marks as `kind name iteration`, with the pids they came from. */
function marksOf(command: string[], env: NodeJS.ProcessEnv = {}) {
  const out = join(folder, 'run.hw');
  const cli = [resolve('dist/cli.js'), 'record', '-q', '--before', '0', '--after', '0', '-o', out];
  const { status, stderr } = spawnSync(process.execPath, [...cli, '--', ...command], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  const recording = openRecording(folderFiles(out));
  const marks = recording.table('marks');
  const rows = Array.from({ length: marks.rows }, (_, row) => ({
    kind: recording.text(marks.u32('kind')[row]!),
    name: recording.text(marks.u32('name')[row]!),
    iteration: marks.f64('iteration')[row]!,
    pid: marks.f64('pid')[row]!,
    time: marks.f64('time')[row]!,
    timeFrom: marks.u8('time_from')[row]!,
  }));
  return { status, stderr, run: recording.run, rows };
}

describe('a program that carries an agent', () => {
  needs('python3')('in Python puts its marks on the clock of the samples', () => {
    const script = join(folder, 'train.py');
    writeFileSync(
      script,
      'import highwater, time\n' +
        'for i in range(5):\n' +
        '    with highwater.phase("forward"): time.sleep(0.03)\n' +
        '    highwater.iteration(i)\n',
    );
    const { status, run, rows } = marksOf(['python3', script], { PYTHONPATH: resolve('python') });
    expect(status).toBe(0);
    const iterations = rows.filter((mark) => mark.kind === 'iteration');
    expect(iterations.map((mark) => mark.iteration)).toEqual([0, 1, 2, 3, 4]);
    expect(new Set(iterations.map((mark) => mark.pid))).toEqual(new Set([run.rootPid]));
    const [start, end] = ['start', 'end'].map((kind) => rows.find((m) => m.kind === kind)!.time);
    for (const { time, timeFrom } of iterations) {
      expect(time).toBeGreaterThan(start!);
      expect(time).toBeLessThan(end!);
      expect(timeFrom).toBe(2);
    }
    const phases = rows.filter((mark) => mark.kind === 'phase').map((mark) => mark.name);
    expect(phases.slice(0, 2)).toEqual(['forward', '/forward']);
  });

  needs('python3')('goes on when the recorder is killed', () => {
    const script = join(folder, 'train.py');
    const done = join(folder, 'done');
    writeFileSync(
      script,
      'import highwater, os, signal, time\n' +
        'highwater.iteration(0)\n' +
        'time.sleep(0.2)\n' +
        'os.kill(os.getppid(), signal.SIGKILL)\n' +
        'for i in range(2000): highwater.iteration(i)\n' +
        'time.sleep(0.2)\n' +
        'highwater.iteration(1)\n' +
        `open(${JSON.stringify(done)}, "w").write("yes")\n`,
    );
    marksOf(['python3', script], { PYTHONPATH: resolve('python') });
    const wait = spawnSync('sh', [
      '-c',
      `for i in $(seq 100); do [ -s ${done} ] && exit 0; sleep 0.1; done; exit 1`,
    ]);
    expect(wait.status).toBe(0);
  });

  needs('node')('in Node imports it from the package', () => {
    const script = join(folder, 'train.mjs');
    writeFileSync(
      script,
      `import { epoch, iteration, mark, phase } from ${JSON.stringify(resolve('dist/index.js'))};\n` +
        'epoch(1); phase("load", () => 1);\n' +
        'await phase("wait", () => new Promise((r) => setTimeout(r, 20)));\n' +
        'for (let i = 0; i < 3; i++) iteration(i, { value: i / 2 });\n' +
        'try { phase("fail", () => { throw new Error("x"); }); } catch {}\n' +
        'mark("done");\n',
    );
    const { status, stderr, rows } = marksOf([process.execPath, script]);
    expect([status, stderr]).toEqual([0, '']);
    expect(rows.map(({ kind, name }) => `${kind} ${name}`.trim()).slice(1, -1)).toEqual([
      'epoch',
      'phase load',
      'phase /load',
      'phase wait',
      'phase /wait',
      'iteration',
      'iteration',
      'iteration',
      'phase fail',
      'phase /fail',
      'note done',
    ]);
  });

  needs('python3')('passes its own tests', () => {
    const tests = spawnSync('python3', ['-m', 'unittest', 'discover', '-s', 'python/tests'], {
      encoding: 'utf8',
    });
    // Those that train with torch skip where it is absent.
    expect(tests.stderr).toMatch(/^OK( \(skipped=\d+\))?$/m);
    expect(tests.status).toBe(0);
  });
});
