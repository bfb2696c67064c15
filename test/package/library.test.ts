import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { saveRecording } from '../../src/model/disk/save.ts';
import { newManifest } from '../../src/sweep/manifest.ts';
import { writeManifest } from '../../src/sweep/manifest-file.ts';
import { plannedRuns } from '../../src/sweep/plan.ts';
import { drawRecording } from '../analyses/drawn.ts';
import { cleanEnv, place } from '../support/recorder.ts';

const PACKAGE = pathToFileURL(resolve('dist/index.js')).href;

/** What an ordinary program does with the package, as JSON; it must end by itself, and print nothing else. */
async function program<T>(body: string, meanwhile?: (pid: number) => void): Promise<T> {
  const file = place('program.mjs');
  const text = `import { open, record, UserError } from ${JSON.stringify(PACKAGE)};
const QUICK = { beforeSeconds: 0, afterSeconds: 0, gpu: 'off' };
const refused = (made) => made.then(() => 'not refused', (error) => error instanceof UserError ? error.message : String(error));
const result = await (async () => {${body}})();
process.stdout.write(JSON.stringify(result));`;
  writeFileSync(file, text);
  const child = spawn(process.execPath, [file], { env: cleanEnv(), cwd: join(file, '..') });
  const [out, err]: Buffer[][] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out!.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    err!.push(chunk);
    if (chunk.includes('ready')) meanwhile?.(child.pid!);
  });
  const [code] = await once(child, 'close');
  const printed = String(Buffer.concat(out!));
  expect(code, String(Buffer.concat(err!))).toBe(0);
  expect(String(Buffer.concat(err!)).replace('ready', '')).toBe('');
  return JSON.parse(printed) as T;
}

describe.concurrent('record from a program', () => {
  it('tells how the command ended, prints nothing, and leaves the process as it was', async () => {
    const found = await program<Record<string, unknown>>(`
      const listeners = () => process.eventNames().map((name) => [String(name), process.listenerCount(name)]);
      const streams = () => [process.stdout, process.stderr].map((stream) => stream.listenerCount('error'));
      const before = JSON.stringify([listeners(), streams()]);
      const out = ${JSON.stringify(place())};
      const run = await record(['sh', '-c', 'echo iteration 1; echo oh >&2; exit 3'], { ...QUICK, out, name: 'mine' });
      const heard = [];
      const output = (chunk, stream) => heard.push(stream + ': ' + chunk);
      await record(['sh', '-c', 'echo iteration 1; cat'], { ...QUICK, out, force: true, output });
      await record(['true'], { ...QUICK, out: out + '2', output: 'inherit' });
      const { type, recording, report } = await run.open();
      return {
        same: JSON.stringify([listeners(), streams()]) === before,
        exitCode: run.exitCode, incomplete: run.incomplete, isOut: run.path === out,
        type, heard, report: report().type, subject: recording.run.subject,
        iterations: recording.table('marks').rows,
      };`);
    expect(found).toEqual({
      same: true,
      exitCode: 3,
      incomplete: null,
      isOut: true,
      type: 'recording',
      heard: ['stdout: iteration 1\n'],
      report: 'report',
      subject: 'command',
      iterations: 3,
    });
  });

  it('hands a signal on to the command, and the program goes on', async () => {
    const found = await program<{ exitCode: number; own: number }>(
      `let own = 0;
      process.on('SIGTERM', () => own++);
      const output = (chunk) => process.stderr.write(chunk);
      const { exitCode } = await record(['sh', '-c', 'printf ready; exec sleep 60'], { ...QUICK, out: ${JSON.stringify(place())}, output });
      return { exitCode, own, left: process.listenerCount('SIGTERM') };`,
      (pid) => process.kill(pid, 'SIGTERM'),
    );
    expect(found).toEqual({ exitCode: 128 + 15, own: 1, left: 1 });
  });

  it('refuses what cannot be meant with a UserError, and starts nothing', async () => {
    const found = await program<Record<string, string>>(`
      const out = ${JSON.stringify(place())};
      const fails = (command, options) => refused(record(command, { ...QUICK, out, ...options }));
      const all = {
        empty: await fails([]),
        text: await fails('sleep 1'),
        missing: await fails(['no-such-program-here']),
        rate: await fails(['true'], { rateHz: 0 }),
        limit: await fails(['true'], { memoryLimit: '1GiB' }),
        name: await fails(['true'], { name: '../x' }),
        mark: await fails(['true'], { marks: ['(?<colour>.)'] }),
        agent: await fails(['true'], { agent: 'off', layers: true }),
      };
      return { ...all, nothing: await refused(open(out)) };`);
    expect(found).toEqual({
      empty: 'there is no command to record',
      text: 'the command is not a list of words',
      missing: 'command not found: no-such-program-here',
      rate: 'rateHz cannot be 0',
      limit: 'memoryLimit cannot be 1GiB',
      name: "'../x' cannot be a name",
      mark: "the pattern '(?<colour>.)' has a group 'colour' that means nothing",
      agent: "layers, gpuLimit and sizes need the agent: leave agent: 'off' out",
      nothing: expect.stringMatching(/^there is no file or folder /),
    });
  });
});

describe.concurrent('open from a program', () => {
  const drawn = (name: string, labels: Record<string, string>, peak: number, folder: string) => {
    const recording = drawRecording({
      at: [0, 1, 2],
      host: { MemTotal: [900, 900, 900], MemAvailable: [500, 300, 490] },
      processes: [{ pid: 1, role: 'main', rss: [1, peak, 1], pss: [1, peak, 1] }],
      marks: ['start@0', 'end@2'],
    });
    Object.assign(recording.run, { id: name, name, labels, subject: 'command' });
    mkdirSync(folder, { recursive: true });
    saveRecording(recording, folder);
  };

  it('says whether a path is a recording, a job, a sweep or a heap', async () => {
    const [job, sweep, heap] = [place('job'), place('sweep'), place('kept.heapsnapshot')];
    for (const rank of ['0', '1']) {
      drawn(`r${rank}`, { job: 'j1', worldSize: '2', rank }, 40, join(job, `${rank}.hw`));
    }
    const plan = {
      name: 'x',
      command: ['x', '{k}'],
      env: [],
      params: [{ name: 'k', values: ['1', '2', '4'] }],
      repeat: 1,
      recordFlags: [],
    };
    const manifest = newManifest(plan, plannedRuns(plan), 1);
    for (const { recording, combination } of manifest.runs) {
      drawn(recording, {}, 100 * Number(combination.k), join(sweep, recording));
    }
    const runs = manifest.runs.map((run) => ({ ...run, state: 'done' as const, exitCode: 0 }));
    writeManifest(sweep, { ...manifest, runs });
    const log = place('memory_fft.txt');
    copyFileSync('test/fixtures/docs/train.hwz', `${log}.hwz`);
    writeFileSync(log, 'nothing that anybody knows\n');
    const found = await program<Record<string, unknown>>(`
      (await import('node:v8')).writeHeapSnapshot(${JSON.stringify(heap)});
      const [packed, job, sweep, heap] = await Promise.all(${JSON.stringify([`${log}.hwz`, job, sweep, heap])}.map((path) => open(path)));
      return {
        types: [packed, job, sweep, heap].map(({ type }) => type),
        report: packed.report().type,
        worldSize: job.recording.run.labels.worldSize,
        combinations: sweep.result.combinations.map(({ name }) => name),
        recordings: sweep.recordings.map(({ name }) => name),
        groups: sweep.fit({ limitBytes: 2 ** 30, at: { k: '3' } }).groups.length,
        objects: heap.heap.count > 1000,
        unknown: await refused(open(${JSON.stringify(log)})),
        other: await refused((async () => sweep.fit({ limitBytes: 1, at: { j: '3' } }))()),
      };`);
    expect(found).toEqual({
      types: ['recording', 'job', 'sweep', 'heap'],
      report: 'report',
      worldSize: '2',
      combinations: ['k=1', 'k=2', 'k=4'],
      recordings: ['k=1.hw', 'k=2.hw', 'k=4.hw'],
      groups: 1,
      objects: true,
      unknown: expect.stringMatching(/is of no format that Highwater knows$/),
      other: "--at: the runs have no parameter 'j'",
    });
  });
});
