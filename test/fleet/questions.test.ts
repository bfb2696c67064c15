import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect } from 'vitest';
import { series, seriesNames } from '../../src/model/series.ts';
import { openInput } from '../../src/open/open.ts';
import { STORE_TABLES } from '../../src/store/schema.ts';
import { REAL, writeKnownRuns } from '../store/known-runs.ts';
import { exactSum } from '../store/stored.ts';
import { highwater, place } from '../support/recorder.ts';
import { startClickHouse } from './servers/chdb.ts';
import { lackOf } from './servers/folder.ts';
import { fleetPython } from './servers/python.ts';
import { whereFleet } from './servers/server.ts';

type Row = Record<string, unknown>;

const itFleet = whereFleet('python');
const QUESTIONS = readdirSync('docs/questions')
  .filter((name) => /^\d\d-.*\.sql$/.test(name))
  .sort();
const sqlOf = (name: string) => readFileSync(join('docs/questions', name), 'utf8');

/** What is known of the runs of known-runs.ts without asking anybody; of the real ones by their reports. */
const ANSWERS: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  '01-asked-and-used.sql': [
    ['4711', 'node1', 80, 14.5],
    ['4711', 'node2', 80, 20],
  ],
  '02-since-which-commit.sql': [['nightly', '30ffee30ffee', '2026-11-06', 4, 6]],
  '03-leaks.sql': [['train', 'vm', 162, 5.4, 'tensors', '__main__.losses']],
  '04-top-rank.sql': [
    ['4711', 2, 'node2', 12, 7.8],
    ['4712', 1, 'node3', 79, 78.5],
  ],
  '05-oom-kills.sql': [
    ['node3', 1, 1, 79],
    ['vm', 1, 1, 0.7],
  ],
  '06-top-stacks.sql': [
    ['programs/logits.py:16 forward', 'activation', 1, 1048],
    ["autograd's thread (no Python frame)", 'temporary', 1, 1032],
    ['programs/logits.py:25 <module> (cross_entropy)', 'activation', 1, 1000],
    ['programs/logits.py:28 <module> (_init_group)', 'optimizer_state', 1, 253],
    ['programs/logits.py:20 <module> (<lambda>)', 'parameter', 1, 125],
  ],
  '07-cards.sql': [['NVIDIA H200', 1, 140.4, 9.4, 6.7, 1]],
  // Three seconds after the start against 121.
  '08-first-to-die.sql': [['4712', 1, 'node3', 'killed', 'SIGKILL', 118]],
  '09-memory-over-time.sql': [
    ['2026-11-02 08:00:00', 4, 34.5],
    ['2026-11-02 09:00:00', 2, 157],
    ['2026-11-03 08:00:00', 1, 4],
    ['2026-11-04 08:00:00', 1, 4.1],
    ['2026-11-05 08:00:00', 1, 4],
    ['2026-11-06 08:00:00', 1, 6],
    ['2026-11-07 08:00:00', 1, 6.1],
    ['2026-11-16 04:00:00', 2, 1.4],
    ['2026-11-17 19:00:00', 1, 0.9],
  ],
  '10-step-of-the-peak.sql': [
    ['nightly', '2026-11-03', 1, 3, 4],
    ['nightly', '2026-11-04', 1, 3, 4.1],
    ['nightly', '2026-11-05', 1, 3, 4],
    ['nightly', '2026-11-06', 1, 3, 6],
    ['nightly', '2026-11-07', 1, 3, 6.1],
    ['train', '2026-11-16', 120, 120, 0.75],
    ['train', '2026-11-16', 18, 18, 0.7],
    ['logits', '2026-11-17', 1, 2, 0.92],
  ],
};

const store = place('store');
const answers = new Map<string, { clickHouse: Row[]; duckDb: Row[] }>();

function inPython(script: string, input = ''): unknown {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return JSON.parse(execFileSync(fleetPython(), [path, store], { input, encoding: 'utf8' }));
}

beforeAll(async () => {
  if (lackOf('python') !== null) return;
  const known = place('known');
  writeKnownRuns(known);
  const inputs = [known, ...REAL];
  const exported = await highwater(['export', ...inputs, '--to', 'parquet', '-o', store]);
  expect(exported).toMatchObject({ code: 0 });
  const server = await startClickHouse();
  const url = `clickhouse://127.0.0.1:${server.port}/highwater`;
  expect(await highwater(['push', ...inputs, url])).toMatchObject({ code: 0 });
  const ofDuckDb = inPython(
    'servers/duckdb_ask.py',
    JSON.stringify(QUESTIONS.map(sqlOf)),
  ) as Row[][];
  await fetch(server.url, { method: 'POST', body: 'USE highwater' });
  for (const [i, name] of QUESTIONS.entries()) {
    const clickHouse = (await server.ask<Row>(sqlOf(name))).map(plain);
    answers.set(name, { clickHouse, duckDb: ofDuckDb[i]!.map(plain) });
  }
});

/** One engine's integers are another's texts, and its fractions of 0.1 another's. */
const plain = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => {
      const isFigure = typeof value === 'number' || /^-?\d+$/.test(String(value));
      if (!isFigure || TEXTS.has(key)) return [key, value];
      return [key, Math.round(Number(value) * 1e6) / 1e6];
    }),
  );
const TEXTS = new Set(['job', 'host', 'name', 'since']);

describe('questions that people ask', () => {
  itFleet('are ten', () => {
    expect(QUESTIONS).toEqual(Object.keys(ANSWERS));
  });

  for (const name of QUESTIONS) {
    itFleet(`${name}: both engines answer what is known`, () => {
      const { clickHouse, duckDb } = answers.get(name)!;
      expect(clickHouse.map((row) => Object.values(row))).toEqual(ANSWERS[name]);
      expect(duckDb).toEqual(clickHouse);
    });
  }

  itFleet('are shown with these answers', async () => {
    const parts = QUESTIONS.map((name) => questionText(name, answers.get(name)!.clickHouse));
    const page = `${INTRODUCTION}\n${parts.join('\n')}`;
    await expect(page).toMatchFileSnapshot(resolve('docs/questions.md'));
  });
});

const INTRODUCTION = `# Ten questions to a thousand runs

Each is a file in [questions](questions) that DuckDB (over the folder of \`export --to parquet\`) and ClickHouse (after \`push\`) both take as it is:

    cd store && duckdb -init views.sql < ../docs/questions/03-leaks.sql
    clickhouse-client --database highwater < docs/questions/03-leaks.sql

The [tables](fleet.md#tables) are those of a store. The answers below are those of both engines to three real recordings (\`leak\`, \`killed\`, \`logits\` of the tests) and eleven made ones of which every figure is known; a test compares them.
`;

function questionText(name: string, rows: readonly Row[]): string {
  const lines = sqlOf(name).trimEnd().split('\n');
  const said = lines.filter((line) => line.startsWith('-- ')).map((line) => line.slice(3));
  const [title, ...remarks] = said;
  const sql = lines.filter((line) => !line.startsWith('-- '));
  const head = Object.keys(rows[0] ?? {});
  const cells = (values: readonly unknown[]) =>
    `| ${values.map((value) => String(value).replaceAll('<', '\\<')).join(' | ')} |`;
  const table = [
    cells(head),
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => cells(Object.values(row))),
  ];
  return [
    `## ${title}`,
    '',
    ...(remarks.length > 0 ? [remarks.join(' '), ''] : []),
    '```sql',
    ...sql,
    '```',
    '',
    ...table,
    '',
  ].join('\n');
}

describe('the folder of Parquet files', () => {
  itFleet('has the right types and the same sums in pyarrow', async () => {
    const found = inPython('parquet_types.py') as Record<
      string,
      { rows: number; types: Record<string, string>; sums?: Record<string, unknown[]> }
    >;
    const types = {
      text: 'string',
      int: 'int64',
      float: 'double',
      bool: 'bool',
      time: 'timestamp[us, tz=UTC]',
    };
    for (const { name, columns } of STORE_TABLES) {
      expect(found[name]!.types, name).toEqual(
        Object.fromEntries(columns.map((column) => [column.name, types[column.type]])),
      );
    }
    for (const path of REAL) {
      const recording = await openInput(path);
      const started = BigInt(Date.parse(recording.run.startedAt)) * 1000n;
      const at = (ns: number) => String(started + BigInt(Math.round(ns / 1000)));
      for (const name of seriesNames(recording)) {
        const { times, values } = series(recording, name)!;
        expect(found.series!.sums![`${recording.run.id} ${name}`], `${path} ${name}`).toEqual([
          String(exactSum(values)),
          values.length,
          at(times[0]!),
          at(times.at(-1)!),
        ]);
      }
    }
  });

  itFleet('has them in DuckDB, too', async () => {
    const asked = [
      ...STORE_TABLES.map(
        ({ name }) =>
          `SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = '${name}' ORDER BY column_index`,
      ),
      'SELECT run, series, CAST(sum(bytes) AS VARCHAR) AS total, count(*) AS samples FROM series GROUP BY run, series',
    ];
    const found = inPython('servers/duckdb_ask.py', JSON.stringify(asked)) as Row[][];
    const types = {
      text: 'VARCHAR',
      int: 'BIGINT',
      float: 'DOUBLE',
      bool: 'BOOLEAN',
      time: 'TIMESTAMP WITH TIME ZONE',
    };
    for (const [i, { name, columns }] of STORE_TABLES.entries()) {
      expect(
        found[i]!.map((row) => [row.column_name, row.data_type]),
        name,
      ).toEqual(columns.map((column) => [column.name, types[column.type]]));
    }
    const sums = new Map(
      found.at(-1)!.map((row) => [`${row.run} ${row.series}`, [row.total, row.samples]]),
    );
    for (const path of REAL) {
      const recording = await openInput(path);
      for (const name of seriesNames(recording)) {
        const { values } = series(recording, name)!;
        expect(sums.get(`${recording.run.id} ${name}`)).toEqual([
          String(exactSum(values)),
          values.length,
        ]);
      }
    }
  });
});
