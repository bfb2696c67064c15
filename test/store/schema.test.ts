import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { STATEMENTS, tableStatements, withStoreTables } from '../../scripts/store-doc.ts';
import { samplesInMemory } from '../../src/model/disk/long-recording.ts';
import { rowsOf } from '../../src/store/rows/index.ts';
import { STORE_TABLES } from '../../src/store/schema.ts';
import { storedRun } from '../../src/store/stored-run.ts';
import { sampleRecording } from '../support/sample-recording.ts';

describe('the tables of a store', () => {
  it('are the tables of docs/fleet.md', () => {
    const document = readFileSync('docs/fleet.md', 'utf8');
    expect(withStoreTables(document)).toBe(document);
    expect(readFileSync(STATEMENTS, 'utf8')).toBe(tableStatements());
  });

  it('have plain names, each once, and keys among their columns', () => {
    for (const { name, key, columns } of STORE_TABLES) {
      const names = columns.map((column) => column.name);
      expect(new Set(names).size).toBe(names.length);
      for (const one of [name, ...names]) expect(one).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(names).toEqual(expect.arrayContaining([...key]));
      expect(names.slice(0, 2)).toEqual(['run', 'started']);
    }
  });

  it('end with the one that says that a run is whole', () => {
    expect(STORE_TABLES.at(-1)!.name).toBe('runs');
  });

  it('have rows that their keys tell apart, none of them null', () => {
    const recording = sampleRecording();
    const samples = samplesInMemory(recording);
    const run = storedRun({ recording, samples, snapshots: [], rankTraces: [] });
    for (const table of STORE_TABLES) {
      const key = ['run', ...table.key].map((name) =>
        table.columns.findIndex((column) => column.name === name),
      );
      const seen = new Set<string>();
      let rows = 0;
      for (const batch of rowsOf(run, table)) {
        expect(batch.columns.map(({ length }) => length)).toEqual(
          table.columns.map(() => batch.rows),
        );
        for (let row = 0; row < batch.rows; row++) {
          const values = key.map((column) => batch.columns[column]![row]!);
          expect(values).not.toContain(Number.NaN);
          seen.add(JSON.stringify(values));
        }
        rows += batch.rows;
      }
      expect(seen.size, table.name).toBe(rows);
      if (table.name === 'runs' || table.name === 'verdicts') expect(rows).toBe(1);
    }
  });
});
