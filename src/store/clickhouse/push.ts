import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { UserError } from '../../base/errors.ts';
import { ArrowEncoder } from '../../model/arrow-writer.ts';
import type { ColumnData } from '../../model/column-data.ts';
import type { StoreBatch } from '../batch.ts';
import { rowsOf } from '../rows/index.ts';
import { STORE_TABLES, type StoreTable } from '../schema.ts';
import type { StoredRun } from '../stored-run.ts';
import { ClickHouse, ClickHouseError } from './http.ts';
import { addColumn, arrowSpec, createTable, insertInto } from './tables.ts';
import type { ClickHouseTarget } from './target.ts';

/** How long to wait before each further try, in milliseconds. */
const WAITS_MS: readonly number[] = [1000, 2000, 4000, 8000];

/** Told when something is tried once more. */
export type SayRetry = (why: string, seconds: number) => void;

/**
 * Puts runs into ClickHouse. A run is there once, however often it is pushed: what there is of it goes first, its row in
 * `runs` before all others, and that row comes back last. Whatever breaks off is begun anew, here or by the next push.
 */
export class ClickHousePusher {
  readonly #target: ClickHouseTarget;
  readonly #servers: readonly ClickHouse[];
  readonly #say: SayRetry;

  constructor(target: ClickHouseTarget, say: SayRetry = () => {}) {
    this.#target = target;
    this.#servers = target.servers.map((server) => new ClickHouse(target, server));
    this.#say = say;
  }

  /** Makes what is not there yet: database, tables, columns that are new. */
  async prepare(): Promise<void> {
    for (const server of this.#servers) {
      await this.#tried('prepare the tables', () => prepare(server, this.#target.database));
    }
  }

  async push(run: StoredRun): Promise<number> {
    const server = this.#servers[shardOf(run.id, this.#servers.length)]!;
    return this.#tried(`store run ${run.id}`, () => replace(server, this.#target.database, run));
  }

  async #tried<T>(what: string, work: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ClickHouseError)) throw error;
        const pause = WAITS_MS[tries];
        if (!error.again || pause === undefined) {
          throw new UserError(`cannot ${what}: ${error.message}`, {
            hint: error.again ? 'push it again: what is there of it is replaced' : undefined,
            exitCode: 1,
            cause: error,
          });
        }
        this.#say(error.message, pause / 1000);
        await wait(pause);
      }
    }
  }
}

/** All rows of a run are on one server, whoever pushes them. */
export function shardOf(run: string, servers: number): number {
  return createHash('sha256').update(run).digest().readUInt32BE(0) % servers;
}

async function prepare(server: ClickHouse, database: string): Promise<void> {
  const known = await server.query(
    'SELECT table, name FROM system.columns WHERE database = {database:String} FORMAT TSV',
    { database },
  );
  const there = new Map<string, Set<string>>();
  for (const line of known.split('\n').filter(Boolean)) {
    const [table, column] = line.split('\t');
    there.set(table!, (there.get(table!) ?? new Set()).add(column!));
  }
  // Who made the tables may give others no right to make any.
  if (STORE_TABLES.every(({ name }) => !there.has(name))) {
    await server.query(`CREATE DATABASE IF NOT EXISTS ${database}`);
  }
  for (const table of STORE_TABLES) {
    const columns = there.get(table.name);
    if (!columns) await server.query(createTable(database, table));
    for (const column of columns ? table.columns : []) {
      if (!columns!.has(column.name)) await server.query(addColumn(database, table, column));
    }
  }
}

async function replace(server: ClickHouse, database: string, run: StoredRun): Promise<number> {
  await remove(server, database, run.id);
  let rows = 0;
  for (const table of STORE_TABLES) {
    const batches = rowsOf(run, table)[Symbol.iterator]();
    const first = batches.next();
    if (first.done) continue;
    const sent = counted(first.value, batches, (more) => {
      rows += more;
    });
    await server.insert(insertInto(database, table), arrowStream(table, sent));
  }
  return rows;
}

/** Only where there is something: a deletion looks through the parts of a table. */
async function remove(server: ClickHouse, database: string, run: string): Promise<void> {
  const counts = STORE_TABLES.map(
    ({ name }) =>
      `SELECT '${name}' AS name, count() AS rows FROM ${database}.${name} WHERE run = {run:String}`,
  );
  const answer = await server.query(`${counts.join(' UNION ALL ')} FORMAT TSV`, { run });
  const found = new Map(
    answer
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.split('\t')[0]!, Number(line.split('\t')[1])]),
  );
  for (const { name } of STORE_TABLES.toReversed()) {
    if (!found.get(name)) continue;
    await server.query(`DELETE FROM ${database}.${name} WHERE run = {run:String}`, { run });
  }
}

function* counted(
  first: StoreBatch,
  rest: Iterator<StoreBatch>,
  count: (rows: number) => void,
): Generator<StoreBatch> {
  for (let batch: StoreBatch | undefined = first; batch; ) {
    count(batch.rows);
    yield batch;
    const next = rest.next();
    batch = next.done ? undefined : next.value;
  }
}

const END_OF_STREAM = new Uint8Array([255, 255, 255, 255, 0, 0, 0, 0]);

function* arrowStream(table: StoreTable, batches: Iterable<StoreBatch>): Generator<Uint8Array> {
  const encoder = new ArrowEncoder(arrowSpec(table));
  yield encoder.schemaBytes;
  for (const { rows, columns } of batches) {
    yield encoder.encode({ rows, columns: columns as ColumnData[] });
  }
  yield END_OF_STREAM;
}
