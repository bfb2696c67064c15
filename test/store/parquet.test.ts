import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { saveRecording } from '../../src/model/disk/save.ts';
import { series, seriesNames } from '../../src/model/series.ts';
import { openInput } from '../../src/open/open.ts';
import { isNullable, STORE_TABLE_NAMES, storeTable } from '../../src/store/schema.ts';
import { tempFolder } from '../support/files.ts';
import { inOneProcess } from '../support/one-process.ts';
import { place, SCRATCH } from '../support/recorder.ts';
import { addRow } from '../support/rows.ts';
import { writeKnownRuns } from './known-runs.ts';
import { exactSum, filesOf, metadataOf, rowsIn } from './stored.ts';

const fixture = (name: string) => resolve('test/fixtures', name);
const LEAK = fixture('docs/leak.hwz');
const KILLED = fixture('docs/killed.hwz');
const LOGITS = fixture('gpu-gauntlet/logits.hwz');
const LEAK_RUN = '579415bfa8dd75fa';

const exported = async (folder: string, ...inputs: string[]) =>
  inOneProcess(['export', ...inputs, '--to', 'parquet', '-o', folder], SCRATCH);

describe('export --to parquet', () => {
  const store = place('store');
  beforeAll(async () => {
    const { code, stdout, stderr } = await exported(store, LEAK, KILLED, LOGITS);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${store}\n` });
    expect(stderr).toMatch(
      /^3 runs, \d+ rows in [\d.]+ KiB; to ask it: cd .*store && duckdb -init views\.sql\n$/,
    );
  });

  it('has every sample of every series, to the byte', async () => {
    const recording = await openInput(LEAK);
    const rows = (await rowsIn(store, 'series')).filter(({ run }) => run === LEAK_RUN);
    expect([...new Set(rows.map((row) => row.series))]).toEqual(seriesNames(recording));
    const started = Date.parse(recording.run.startedAt);
    for (const name of seriesNames(recording)) {
      const { times, values } = series(recording, name)!;
      const stored = rows.filter((row) => row.series === name);
      expect(stored).toHaveLength(times.length);
      expect(stored.reduce((sum, { bytes }) => sum + (bytes as bigint), 0n)).toBe(exactSum(values));
      const last = (stored.at(-1)!.time as Date).getTime() - started;
      // This reader's dates are whole milliseconds.
      expect(last).toBe(Math.floor(Math.round(times.at(-1)! / 1000) / 1000));
    }
  });

  it('says of each run what the report says', async () => {
    const [report] = [
      JSON.parse((await inOneProcess(['report', KILLED, '--json'], SCRATCH)).stdout),
    ];
    const runs = await rowsIn(store, 'runs');
    const killed = runs.find(({ run }) => run === report.recording.id)!;
    expect(killed).toMatchObject({
      name: report.recording.name,
      peak_bytes: BigInt(report.headline.bytes),
      peak_series: report.headline.series,
      ending: 'killed',
      exit_signal: 'SIGKILL',
      oom_killed: report.recording.exit.oomKilled,
      started: new Date(report.recording.startedAt),
      complete: true,
      store_version: 2n,
    });
    const own = (await openInput(LEAK)).table('host').f64('recorder_anon');
    expect(own.length).toBeGreaterThan(400);
    expect(runs.find(({ run }) => run === LEAK_RUN)).toMatchObject({
      recorder_bytes: BigInt(own.reduce((most, bytes) => Math.max(most, bytes || 0), 0)),
    });
    const verdicts = await rowsIn(store, 'verdicts');
    expect(verdicts.find(({ run }) => run === report.recording.id)).toMatchObject({
      cause: report.verdict.cause.code,
      certainty: report.verdict.certainty,
      out_of_memory: true,
    });
    expect(verdicts.find(({ run }) => run === LEAK_RUN)).toMatchObject({
      leak: 'leak',
      leak_kind: 'tensors',
      leak_where: '__main__.losses',
      leak_bytes_per_iteration: expect.closeTo(165974, 0),
    });
  });

  it("has what was live at a trace's peak: stacks and categories sum up to it", async () => {
    const report = JSON.parse((await inOneProcess(['report', LOGITS, '--json'], SCRATCH)).stdout);
    for (const table of ['peak_stacks', 'peak_categories'] as const) {
      const rows = await rowsIn(store, table);
      const sum = rows.reduce((all, { bytes }) => all + (bytes as bigint), 0n);
      expect(sum).toBe(BigInt(report.devices[0].peakRequestedBytes));
    }
    expect((await rowsIn(store, 'peak_stacks'))[0]).toMatchObject({
      device: '0',
      number: 0n,
      place: report.devices[0].topStacks[0].where,
    });
    expect(await rowsIn(store, 'cards')).toEqual([
      expect.objectContaining({ gpu: 0n, name: 'NVIDIA H200', used_by_run: true }),
    ]);
  });

  it('has the types of the list in its files, compressed', async () => {
    for (const name of STORE_TABLE_NAMES) {
      const table = storeTable(name);
      const path = filesOf(store, name)[0] ?? join(store, name, 'month=1970-01/empty.parquet');
      const { schema, row_groups } = await metadataOf(path);
      const types = {
        text: 'BYTE_ARRAY',
        int: 'INT64',
        time: 'INT64',
        float: 'DOUBLE',
        bool: 'BOOLEAN',
      };
      expect(
        schema.slice(1).map((column) => [column.name, column.type, column.repetition_type]),
      ).toEqual(
        table.columns.map((column) => [
          column.name,
          types[column.type],
          isNullable(table, column) ? 'OPTIONAL' : 'REQUIRED',
        ]),
      );
      for (const { columns } of row_groups) {
        for (const { meta_data } of columns) expect(meta_data!.codec).toBe('SNAPPY');
      }
    }
    const size = statSync(filesOf(store, 'series')[0]!).size;
    const rows = (await metadataOf(filesOf(store, 'series')[0]!)).num_rows;
    // 16 bytes a row without ids and names.
    expect(size / Number(rows)).toBeLessThan(16);
  });

  it('has a run once, however often and from whichever copy it is written', async () => {
    const folder = join(tempFolder(), 'twice');
    const copy = join(tempFolder(), 'copy.hwz');
    cpSync(LEAK, copy);
    for (const input of [LEAK, copy]) expect((await exported(folder, input)).code).toBe(0);
    for (const name of STORE_TABLE_NAMES) {
      expect(filesOf(folder, name).length).toBeLessThanOrEqual(1);
    }
    expect(readFileSync(filesOf(folder, 'series')[0]!)).toEqual(
      readFileSync(filesOf(store, 'series').find((path) => path.includes(LEAK_RUN))!),
    );
    expect(
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.part'),
      ),
    ).toEqual([]);
  });
});

/** A rank of a job as `record` under a launcher leaves it. */
function rankRecording(
  path: string,
  rank: number,
  argv: readonly string[] = ['python', 'train.py'],
) {
  const builder = new RecordingBuilder({
    id: `00000000000000a${rank}`,
    name: 'train',
    argv: [...argv],
    subject: 'command',
    startedAt: '2026-11-18T10:00:00.000Z',
    host: {
      name: `node${rank}`,
      platform: 'linux',
      kernel: '6',
      arch: 'x64',
      cpus: 8,
      memoryBytes: 64 * 2 ** 30,
    },
    cgroup: { version: 2, own: true, limitBytes: 8 * 2 ** 30 },
    labels: {
      launcher: 'slurm',
      job: '4711',
      rank: String(rank),
      worldSize: '2',
      commit: 'c0ffee',
    },
  });
  for (let i = 0; i < 20; i++) {
    const rss = (rank + 1) * 2 ** 30 + i;
    addRow(builder, 'process', { time: i * 1e8, pid: 100, rss, pss: rss, pss_estimated: 0 });
    addRow(builder, 'cgroup', { time: i * 1e8, current: rss, peak: rss + 4096, oom_kills: 0 });
  }
  mkdirSync(path, { recursive: true });
  saveRecording(builder.build(), path);
}

describe('what goes in', () => {
  it('a job is its ranks, each a run with what it asked for', async () => {
    const job = join(tempFolder(), 'train-job-4711');
    for (const rank of [0, 1]) rankRecording(join(job, `rank${rank}.hw`), rank);
    const folder = join(tempFolder(), 'store');
    // The folder of runs that the job lies in: found below it.
    expect((await exported(folder, join(job, '..'))).code).toBe(0);
    const runs = await rowsIn(folder, 'runs');
    expect(runs).toEqual(
      [0, 1].map((rank) =>
        expect.objectContaining({
          run: `00000000000000a${rank}`,
          job: '4711',
          rank: BigInt(rank),
          world_size: 2n,
          host: `node${rank}`,
          git_commit: 'c0ffee',
          asked_bytes: BigInt(8 * 2 ** 30),
          asked_of: 'control group',
          cgroup_peak_bytes: BigInt((rank + 1) * 2 ** 30 + 19 + 4096),
          ended: null,
          complete: false,
          ending: 'cut-off',
        }),
      ),
    );
    expect(await rowsIn(folder, 'ranks')).toEqual(
      [0, 1].map((rank) =>
        expect.objectContaining({ job: '4711', rank: BigInt(rank), host: `node${rank}` }),
      ),
    );
    expect((await rowsIn(folder, 'labels')).filter(({ key }) => key === 'launcher')).toHaveLength(
      2,
    );
  });

  it('what was asked of Slurm goes before the limit of its control group', async () => {
    const folder = join(tempFolder(), 'store');
    const known = tempFolder();
    writeKnownRuns(known);
    expect((await exported(folder, known)).code).toBe(0);
    const asked = (await rowsIn(folder, 'runs')).map((row) => [
      row.job,
      row.asked_of,
      row.asked_bytes,
    ]);
    expect(asked).toContainEqual(['4711', 'slurm', BigInt(80 * 2 ** 30)]);
    expect(asked).toContainEqual(['4712', 'control group', BigInt(80 * 2 ** 30)]);
    expect(asked).toContainEqual(['', '', null]);
  });

  it('a recording that died in the middle: what there is of it', async () => {
    const path = join(tempFolder(), 'died.hw');
    rankRecording(path, 0);
    const table = join(path, 'process.arrow');
    truncateSync(table, statSync(table).size - 40);
    const folder = join(tempFolder(), 'store');
    expect((await exported(folder, path)).code).toBe(0);
    expect(await rowsIn(folder, 'runs')).toEqual([expect.objectContaining({ complete: false })]);
    expect((await rowsIn(folder, 'series')).some((row) => row.series === 'cgroup.current')).toBe(
      true,
    );
  });

  it("an imported file is a run by what is in it, not by its file's name", async () => {
    const home = tempFolder();
    const csv = (name: string, used: number) => {
      mkdirSync(join(home, name));
      writeFileSync(join(home, name, 'mem.csv'), `seconds,mem_used\n0,${used}\n1,${used + 1}\n`);
      return join(home, name, 'mem.csv');
    };
    const folder = join(home, 'store');
    const [a, b, again] = [csv('a', 100), csv('b', 200), csv('c', 100)];
    expect((await exported(folder, a, b, again)).code).toBe(0);
    const runs = await rowsIn(folder, 'runs');
    expect(runs).toHaveLength(2);
    for (const { run } of runs) expect(run).toMatch(/^[0-9a-f]{16}$/);
  });

  it('no secret goes along', async () => {
    const path = join(tempFolder(), 'secret.hw');
    rankRecording(path, 0, [
      'python',
      'train.py',
      '--api-key',
      'sk-proj-3fA9dKq81LmZx7Tb',
      '--lr=0.1',
    ]);
    const folder = join(tempFolder(), 'store');
    expect((await exported(folder, path)).code).toBe(0);
    const [run] = await rowsIn(folder, 'runs');
    expect(run!.command).toContain('--lr=0.1');
    expect(run!.command).toContain('***');
    expect(JSON.stringify(run, (_, value) => String(value))).not.toContain('3fA9dKq81LmZx7Tb');
  });
});

describe('what is refused', () => {
  it('says what to do, and leaves nothing behind', async () => {
    const cwd = tempFolder();
    const cases: [string[], RegExp][] = [
      [[LEAK], /parquet is a folder of files.*-o FOLDER/],
      [[LEAK, '-o', '-'], /parquet is a folder of files/],
      [[LEAK, '-o', 'x', '--table', 'host'], /--table cannot choose/],
      [[LEAK, '-o', 'x', '--at', '3'], /--at cannot choose/],
      [['nothing.hw', '-o', 'x'], /nothing\.hw/],
    ];
    for (const [argv, says] of cases) {
      const { code, stderr } = await inOneProcess(['export', '--to', 'parquet', ...argv], cwd);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(says) });
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
    expect(existsSync(join(cwd, 'x'))).toBe(false);
  });

  it('several recordings into one file of another format', async () => {
    const { code, stderr } = await inOneProcess(
      ['export', LEAK, KILLED, '--to', 'csv'],
      tempFolder(),
    );
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'highwater: 2 recordings: one at a time (only parquet takes several)\n',
    });
  });

  it('one that cannot be read does not stop the others, and is said', async () => {
    const home = tempFolder();
    writeFileSync(join(home, 'broken.hwz'), 'no zip');
    const folder = join(home, 'store');
    const { code, stderr } = await exported(folder, join(home, 'broken.hwz'), LEAK);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/skipped: .*broken\.hwz/),
    });
    expect(await rowsIn(folder, 'runs')).toHaveLength(1);
  });
});
