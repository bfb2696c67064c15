import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { series, seriesNames } from '../../src/model/series.ts';
import { openInput } from '../../src/open/open.ts';
import { shardOf } from '../../src/store/clickhouse/push.ts';
import { STORE_TABLE_NAMES } from '../../src/store/schema.ts';
import { KNOWN, REAL, writeKnownRuns } from '../store/known-runs.ts';
import { exactSum } from '../store/stored.ts';
import { tempFolder } from '../support/files.ts';
import { highwater } from '../support/recorder.ts';
import { faultyProxy } from './faulty-proxy.ts';
import { type ClickHouseServer, startClickHouse } from './servers/chdb.ts';
import { lackOf } from './servers/folder.ts';
import { whereFleet } from './servers/server.ts';

const LEAK = resolve('test/fixtures/docs/leak.hwz');
const LOGITS = resolve('test/fixtures/gpu-gauntlet/logits.hwz');
const itFleet = whereFleet('python');

let server: ClickHouseServer;
beforeAll(async () => {
  if (lackOf('python') === null) server = await startClickHouse();
});

const push = (inputs: readonly string[], url: string, env: NodeJS.ProcessEnv = {}) =>
  highwater(['push', ...inputs, url], { env });

const address = (port: number, database: string) => `clickhouse://127.0.0.1:${port}/${database}`;

/** How many rows each table has, of one run or of all; keys that are there twice are counted twice. */
async function counts(database: string, from = server): Promise<Record<string, number>> {
  const each = STORE_TABLE_NAMES.map(
    (name) => `SELECT '${name}' AS name, count() AS rows FROM ${database}.${name}`,
  );
  const rows = await from.ask<{ name: string; rows: number | string }>(each.join(' UNION ALL '));
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, Number(count)]));
}

/** The statements of docs/fleet.md that need no other server are run; those that name a cluster can only be read. */
describe('statements of the document', () => {
  const text = readFileSync(resolve('docs/fleet.md'), 'utf8');
  const stated = [...text.matchAll(/^ {4}((?:ALTER|CREATE) TABLE [^;]*;)$/gm)].map(([, of]) => of!);

  itFleet('are those of ClickHouse', async () => {
    expect((await push([LEAK], address(server.port, 'highwater'))).code).toBe(0);
    const run = stated.filter((one) => one.startsWith('ALTER TABLE highwater.'));
    expect(run).toHaveLength(2);
    for (const one of run) await server.ask(one);
    const [table] = await server.ask<{ made: string }>(
      "SELECT create_table_query AS made FROM system.tables WHERE database = 'highwater' AND name = 'series'",
    );
    expect(table!.made).toContain('TTL toDateTime(started) + toIntervalMonth(3)');
    const read = stated.filter((one) => one.includes('Distributed('));
    expect(read).toHaveLength(1);
    const [first] = await server.ask<{ explain: string }>(`EXPLAIN AST ${read[0]!.slice(0, -1)}`);
    expect(first!.explain).toMatch(/^CreateQuery highwater_all series/);
  });
});

describe('push to ClickHouse', () => {
  itFleet('has every sample: the same sums, to the byte and the microsecond', async () => {
    expect(await push([LEAK, LOGITS], address(server.port, 'sums'))).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^2 runs, \d+ rows\n$/),
    });
    for (const path of [LEAK, LOGITS]) {
      const recording = await openInput(path);
      const rows = await server.ask<Record<string, string>>(
        `SELECT series, toString(sum(bytes)) AS total, count() AS samples,
          toString(min(toUnixTimestamp64Micro(time))) AS first, toString(max(toUnixTimestamp64Micro(time))) AS last
         FROM sums.series WHERE run = '${recording.run.id}' GROUP BY series`,
      );
      const started = BigInt(Date.parse(recording.run.startedAt)) * 1000n;
      const own = seriesNames(recording).map((name) => {
        const { times, values } = series(recording, name)!;
        const at = (ns: number) => String(started + BigInt(Math.round(ns / 1000)));
        return [name, String(exactSum(values)), at(times[0]!), at(times.at(-1)!)];
      });
      expect(rows.map((row) => [row.series, row.total, row.first, row.last]).sort()).toEqual(
        own.sort(),
      );
    }
    const [types] = await server.ask<Record<string, string>>(
      'SELECT toTypeName(time) AS time, toTypeName(bytes) AS bytes, toTypeName(series) AS series FROM sums.series LIMIT 1',
    );
    expect(types).toEqual({
      time: "DateTime64(6, 'UTC')",
      bytes: 'Nullable(Int64)',
      series: 'String',
    });
  });

  itFleet('has a run once, however often it is pushed', async () => {
    const url = address(server.port, 'twice');
    for (let i = 0; i < 2; i++) expect((await push(REAL, url)).code).toBe(0);
    const twice = await counts('twice');
    expect((await push(REAL, address(server.port, 'once'))).code).toBe(0);
    expect(twice).toEqual(await counts('once'));
    expect(twice.runs).toBe(3);
    // Also those that an engine may merge only later are not there twice.
    const [double] = await server.ask<{ rows: string }>(
      'SELECT count() AS rows FROM (SELECT run, series, time FROM twice.series GROUP BY run, series, time HAVING count() > 1)',
    );
    expect(Number(double!.rows)).toBe(0);
  });

  itFleet(
    'that broke off in the middle leaves no run, and the next one makes it whole',
    async () => {
      expect((await push([LOGITS], address(server.port, 'whole'))).code).toBe(0);
      const whole = await counts('whole');
      // After each of the inserts the way to the server breaks, for good.
      for (const survivors of [1, 5]) {
        let inserts = 0;
        const proxy = await faultyProxy(server.url, (statement) =>
          statement.startsWith('INSERT') && ++inserts > survivors ? 400 : null,
        );
        const database = `broken${survivors}`;
        const broken = await push([LOGITS], address(proxy.port, database));
        await proxy.close();
        expect(broken).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('made to say 400'),
        });
        const left = await counts(database);
        expect(left.series).toBe(whole.series);
        expect(left.runs).toBe(0);
        expect((await push([LOGITS], address(server.port, database))).code).toBe(0);
        expect(await counts(database)).toEqual(whole);
      }
    },
  );

  itFleet(
    'is tried again where a server is busy, gone, or its answer lost, and nothing doubles',
    async () => {
      expect((await push([LEAK], address(server.port, 'quiet'))).code).toBe(0);
      const faults = [503, 'cut', 'forget'] as const;
      for (const [i, fault] of faults.entries()) {
        let done = false;
        const proxy = await faultyProxy(server.url, (statement) => {
          // The largest insert: rows are there, and the client does not know.
          if (done || !statement.startsWith('INSERT INTO') || !statement.includes('.series'))
            return null;
          done = true;
          return fault;
        });
        const { code, stderr } = await push([LEAK], address(proxy.port, `tried${i}`));
        await proxy.close();
        expect({ code, stderr }).toMatchObject({
          code: 0,
          stderr: expect.stringContaining('tried again in 1 s'),
        });
        expect(await counts(`tried${i}`)).toEqual(await counts('quiet'));
      }
    },
  );

  itFleet('shares runs among servers, each run on one of them', async () => {
    const second = await startClickHouse();
    const folder = tempFolder();
    writeKnownRuns(folder);
    const url = `clickhouse://127.0.0.1:${server.port},127.0.0.1:${second.port}/shards`;
    expect((await push([folder], url)).code).toBe(0);
    for (const [shard, one] of [server, second].entries()) {
      const rows = await one.ask<{ run: string }>('SELECT run FROM shards.runs ORDER BY run');
      const own = KNOWN.map(({ id }) => id).filter((id) => shardOf(id, 2) === shard);
      expect(own.length).toBeGreaterThan(1);
      expect(rows.map(({ run }) => run)).toEqual(own.sort());
    }
    await second.stop();
  });

  itFleet('adds columns to tables that an earlier version made', async () => {
    await server.ask('CREATE DATABASE older').catch(() => {});
    await rawly(
      "CREATE TABLE older.runs (run String, started DateTime64(6, 'UTC'), name String) ENGINE = ReplacingMergeTree ORDER BY run",
    );
    await rawly("INSERT INTO older.runs VALUES ('x', '2026-01-01 00:00:00', 'old')");
    expect((await push([LEAK], address(server.port, 'older'))).code).toBe(0);
    expect(
      await server.ask(
        'SELECT name, peak_bytes IS NULL AS unknown FROM older.runs ORDER BY started',
      ),
    ).toEqual([
      { name: 'old', unknown: 1 },
      { name: 'train', unknown: 0 },
    ]);
  });

  itFleet('takes its password from a file or the environment, and shows it to nobody', async () => {
    const password = 'Tr0ub4dor-and-3-more';
    const own = await startClickHouse({ name: 'writer', password });
    const url = `clickhouse://writer@127.0.0.1:${own.port}/highwater`;
    const file = join(tempFolder(), 'password');
    writeFileSync(file, `${password}\n`);
    const ways = [{ HIGHWATER_PUSH_PASSWORD_FILE: file }, { HIGHWATER_PUSH_PASSWORD: password }];
    for (const env of ways) {
      const { code, stdout, stderr } = await push([LEAK], url, env);
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('1 run') });
      expect(`${stdout}${stderr}`).not.toContain(password);
    }
    expect(JSON.stringify(await own.ask('SELECT * FROM highwater.runs'))).not.toContain(password);
    expect(own.log()).not.toContain(password);
    const wrong = await push([LEAK], url, { HIGHWATER_PUSH_PASSWORD: 'other-One-4711' });
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Authentication failed'),
    });
    expect(wrong.stderr).not.toContain('other-One');
    expect(wrong.stderr.trim().split('\n')).toHaveLength(1);
    await own.stop();
  });
});

const rawly = (statement: string) =>
  fetch(server.url, { method: 'POST', body: statement }).then((answer) => {
    if (!answer.ok) throw new Error(`refused: ${statement}`);
  });

describe('a server that is not there', () => {
  it('is said in one line, with what to do', async () => {
    const proxy = await faultyProxy('http://127.0.0.1:9', () => 404);
    const { code, stderr } = await push([LEAK], address(proxy.port, 'none'));
    await proxy.close();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `highwater: cannot prepare the tables: http://127.0.0.1:${proxy.port}: made to say 404\n`,
    });
  });
});
