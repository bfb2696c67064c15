import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { series } from '../../src/model/series.ts';
import { type CliOptions, highwater, open, place, start } from '../support/recorder.ts';
import type { Received } from './support/decoded.ts';
import { answer, refuse2, startReceiver } from './support/receiver.ts';

/** Holds 60 MB for a moment that no question at each second would see. */
const SPIKY = `
import time
for _ in range(3):
    held = bytearray(60_000_000); time.sleep(0.15); del held; time.sleep(1)
`;
const PYTHON = ['python3', '-c', SPIKY];
const FLAGS = ['--agent', 'off', '--before', '0.2', '--after', '0.2', '--push-every', '1s'];
const record = (argv: readonly string[], options?: CliOptions) =>
  highwater(['record', ...argv], options);
const largest = (taken: readonly Received[], name: string) =>
  Math.max(...taken.filter((one) => one.name === name).map(({ value }) => value));
const peak = (values: Float64Array) => values.reduce((most, value) => Math.max(most, value), 0);

describe('record --push', () => {
  it('sends windows whose largest peak is that of the recording, exactly', async () => {
    const receiver = await startReceiver();
    const folder = place();
    const run = await record(['-o', folder, '--push', receiver.url, ...FLAGS, '--', ...PYTHON]);
    expect(run.code).toBe(0);
    const recording = open(folder);
    for (const [name, metric] of [
      ['tree.rss', 'tree_rss'],
      ['tree.pss', 'tree_pss'],
      ['tree.held', 'tree_held'],
      ['host.used', 'host_used'],
    ]) {
      const { values } = series(recording, name!)!;
      expect(largest(receiver.taken, `highwater_${metric}_window_peak_bytes`), name).toBe(
        peak(values),
      );
    }
    const last = receiver.taken.filter(({ name }) => name === 'highwater_tree_rss_bytes').at(-1)!;
    const rss = series(recording, 'tree.rss')!;
    expect(last.value).toBe(rss.values.at(-1));
    expect(last.labels).toEqual({
      job: recording.run.name,
      host: recording.run.host.name,
      run: recording.run.id,
    });
    // One every second, and the workload was held for a moment of each.
    const windows = receiver.taken.filter(
      ({ name }) => name === 'highwater_tree_rss_window_peak_bytes',
    );
    expect(windows.length).toBeGreaterThanOrEqual(3);
    expect(new Set(windows.map(({ timeMs }) => timeMs)).size).toBe(windows.length);
    expect(recording.run.warnings.filter((text) => /metrics/.test(text))).toEqual([]);
  });

  it('has the labels of the launcher', async () => {
    const receiver = await startReceiver();
    const env = { RANK: '3', WORLD_SIZE: '8', TORCHELASTIC_RUN_ID: 'job-7' };
    const argv = ['-o', place(), '--push', receiver.url, ...FLAGS, '--', 'sleep', '0.3'];
    await record(argv, { env });
    const labels = receiver.taken.map((one) => one.labels);
    for (const one of labels) expect(one).toMatchObject({ job: 'job-7', rank: '3' });
    const [info] = receiver.taken.filter(({ name }) => name === 'highwater_run_info');
    expect(info!.labels).toMatchObject({ launcher: 'torchrun', world_size: '8', name: 'sleep' });
  });

  it('has what Slurm was asked for, and its job where no launcher has another', async () => {
    const receiver = await startReceiver();
    const env = { SLURM_JOB_ID: '77', SLURM_MEM_PER_NODE: '2048' };
    await record(['-o', place(), '--push', receiver.url, ...FLAGS, '--', 'sleep', '0.3'], { env });
    const asked = receiver.taken.filter(({ name }) => name === 'highwater_memory_requested_bytes');
    expect(asked[0]).toMatchObject({ value: 2 ** 31, labels: { job: '77' } });
    await record(['-o', place(), '--push', receiver.url, ...FLAGS, '--', 'sleep', '0.3'], {
      env: { ...env, HIGHWATER_JOB: 'nightly' },
    });
    expect(receiver.taken.at(-1)!.labels.job).toBe('nightly');
  });

  it('tells no secret to workload, recording or output', async () => {
    const [token, receiver] = ['tok-Zq81vN0pRs77xYw3', await startReceiver()];
    const folder = place();
    const env = { HIGHWATER_PUSH: receiver.url, HIGHWATER_PUSH_TOKEN: token };
    // What the workload can see of itself, and what anybody sees of the recorder.
    const look = `cat /proc/self/environ /proc/$$/environ /proc/$$/cmdline /proc/$PPID/cmdline; env | grep ^HIGHWATER; ps axww -o args`;
    const run = await record(['-o', folder, ...FLAGS, '--', 'sh', '-c', look], { env });
    expect(receiver.requests.at(-1)!.headers.authorization).toBe(`Bearer ${token}`);
    expect(receiver.taken.length).toBeGreaterThan(0);
    expect(run.stdout.toString('latin1')).not.toContain(token);
    expect(run.stdout.toString('latin1')).not.toMatch(/^HIGHWATER_PUSH/m);
    expect(run.stderr).not.toContain(token);
    const found = execFileSync('sh', ['-c', `grep -rlaF "$0" "$1" || true`, token, folder]);
    expect(found.toString()).toBe('');
  });

  it('goes on without a server, and says in one line what it did not send', async () => {
    const receiver = await startReceiver(answer(500, {}, 'no room'));
    const folder = place();
    const run = await record([
      '-o',
      folder,
      '--push',
      receiver.url,
      ...FLAGS,
      '--',
      'sh',
      '-c',
      'exit 7',
    ]);
    expect(run.code).toBe(7);
    // The summary names the first of a recording's warnings besides.
    const lines = run.stderr.split('\n').filter((line) => /^highwater: .*did not reach/.test(line));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^highwater: \d+ of \d+ values did not reach 127\.0\.0\.1:\d+\/api\/v1\/write: \d+ not sent when the run ended; HTTP 500: no room$/,
    );
    expect(open(folder).run.warnings.join()).toMatch(/did not reach/);
    expect(open(folder).run.endedAt).not.toBeNull();
  });

  it('does not let the workload wait for a server that never answers', async () => {
    const receiver = await startReceiver(() => new Promise<boolean>(() => {}));
    const folder = place();
    const stamps = place('stamps');
    const look = `date +%s%N > ${stamps}; sleep 1; date +%s%N >> ${stamps}`;
    const argv = ['-o', folder, '--push', receiver.url, ...FLAGS, '--', 'sh', '-c', look];
    const { code } = await record(argv);
    expect(code).toBe(0);
    const { run } = open(folder);
    const [, end] = readFileSync(stamps, 'utf8')
      .trim()
      .split('\n')
      .map((ns) => Number(ns) / 1e6);
    // The recording ends with the workload and its shelf, not with the server.
    expect(Date.parse(run.endedAt!) - end!).toBeLessThan(2500);
    expect(run.warnings.join()).toMatch(/did not reach/);
  });

  it('takes up where it was when the server comes back', async () => {
    const receiver = await startReceiver(answer(503));
    const folder = place();
    const { finished } = start([
      ...['record', '-o', folder, '--push', receiver.url, ...FLAGS, '--', 'sleep', '6'],
    ]);
    await expect.poll(() => receiver.requests.length).toBeGreaterThanOrEqual(2);
    receiver.behave(refuse2);
    const run = await finished;
    expect(run.stderr).toMatch(/metrics do not reach .*HTTP 503; they are kept and tried again/);
    expect(run.stderr).not.toMatch(/did not reach/);
    const { values } = series(open(folder), 'host.used')!;
    expect(largest(receiver.taken, 'highwater_host_used_window_peak_bytes')).toBe(peak(values));
  });

  it.each([
    [['--push', 'host:9090'], /cannot be pushed to 'host:9090'/],
    [['--push', 'https://me:hunter2@host/write'], /HIGHWATER_PUSH_PASSWORD_FILE/],
    [['--push-every', '0.1'], /no length of a window/],
    [['--expose', 'there'], /no place to be asked at/],
    [['--textfile', 'a.txt'], /end in \.prom/],
  ])('refuses %j', async (flags, message) => {
    const run = await record([...flags, '--', 'true']);
    expect(run.code).not.toBe(0);
    expect(run.stderr).toMatch(message);
    expect(run.stderr).not.toContain('hunter2');
  });
});

describe('record --expose and --textfile', () => {
  it('show the newest values while it runs', async () => {
    const file = place('node.prom');
    const { child, finished } = start([
      ...[
        'record',
        '-o',
        place(),
        '--expose',
        ':0',
        '--textfile',
        file,
        ...FLAGS,
        '--',
        'sleep',
        '30',
      ],
    ]);
    let said = '';
    child.stderr!.on('data', (text: Buffer) => {
      said += text.toString();
    });
    await expect.poll(() => said).toMatch(/metrics at http:\/\/127\.0\.0\.1:\d+\/metrics/);
    const url = /http:\S+/.exec(said)![0];
    const scrape = async () => (await fetch(url)).text();
    await expect.poll(scrape).toMatch(/^highwater_tree_rss_window_peak_bytes\{.*\} \d+$/m);
    expect(readFileSync(file, 'utf8')).toMatch(/^highwater_host_used_bytes\{.*\} \d+$/m);
    expect((await fetch(url.replace('/metrics', '/other'))).status).toBe(404);
    child.kill('SIGINT');
    await finished;
    expect(existsSync(file)).toBe(false);
    await expect(fetch(url)).rejects.toThrow();
  });

  it('go without where the port is taken, and say so', async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const run = await record(['-o', place(), '--expose', `:${port}`, ...FLAGS, '--', 'true']);
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(new RegExp(`metrics cannot be asked for at port ${port}`));
  });

  it('of a bad HIGHWATER_PUSH is said, and the run goes on', async () => {
    const run = await record(['-o', place(), ...FLAGS, '--', 'true'], {
      env: { HIGHWATER_PUSH: 'nonsense' },
    });
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/cannot be pushed to 'nonsense'; recorded without pushing/);
  });
});
