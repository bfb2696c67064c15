import { readFileSync } from 'node:fs';
import type { JSONSchema7 as Schema } from 'json-schema';
import { describe, expect, it } from 'vitest';
import { compare } from '../../src/analyses/compare/index.ts';
import { report } from '../../src/analyses/report.ts';
import { FORMATS } from '../../src/formats/index.ts';
import { makeInput } from '../../src/formats/input.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import type { Recording } from '../../src/model/recording.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { resultJson } from '../../src/views/json.ts';
import { keptFiles } from '../formats/kept-files.ts';
import { schemaErrors } from '../support/json-schema.ts';
import { addRow } from '../support/rows.ts';
import { sampleRecording } from '../support/sample-recording.ts';

const schema = (name: string) =>
  JSON.parse(readFileSync(`docs/schemas/${name}.json`, 'utf8')) as Schema;
const wrongIn = (root: Schema, result: { readonly type: string }) =>
  schemaErrors(root, JSON.parse(resultJson(result)));

/** Every kept file that its format reads. */
async function readable(id: string): Promise<Recording[]> {
  const format = FORMATS.find((one) => one.id === id)!;
  const found: Recording[] = [];
  for (const { path, bytes } of keptFiles(id)) {
    try {
      found.push(await format.read!(makeInput(path, () => [bytes])));
    } catch {
      // Files that must be refused are kept too; the conformance suite tells which.
    }
  }
  return found;
}

/** Three ranks for sixty iterations; the last holds `times` as much, and grows. */
function ranked(name: string, times: number): Recording {
  const builder = new RecordingBuilder({ id: name, name, subject: 'command', rootPid: 100 });
  const mark = { time_from: TIME_FROM.agent, pid: 100 };
  addRow(builder, 'marks', { time: 0, ...mark, kind: 'start' });
  for (const rank of [0, 1, 2]) {
    const seen = { start_time: 1, first_seen: 0 };
    addRow(builder, 'processes', { pid: 100 + rank, ppid: 1, role: 'main', rank, ...seen });
  }
  const weight = { name: 'conv/kernel', kind: 'weight' };
  const map = { name: 'conv', kind: 'feature_map' };
  for (let i = 1; i <= 60; i++) {
    const time = i * 1e9;
    for (const rank of [0, 1, 2]) {
      const bytes = rank === 2 ? times * 1e8 + i * 1e7 : 1e8;
      const pid = 100 + rank;
      const sizes = { rss: bytes, anon: bytes, file: 0, shmem: 0, swap: 0, pss: bytes };
      addRow(builder, 'process', { time, pid, ...sizes });
      const told = { time, pid, rank, epoch: 1, iteration: i };
      addRow(builder, 'layers', { ...told, ...weight, bytes: 1000 * times });
      addRow(builder, 'layers', { ...told, ...map, bytes: 5000 + i });
    }
    addRow(builder, 'marks', { time, ...mark, rank: 0, kind: 'iteration', iteration: i });
  }
  return builder.build();
}

describe('reports and comparisons of every kept file are as docs/schemas says', () => {
  const [reports, comparisons] = [schema('report'), schema('compare')];

  it.each(FORMATS.filter((format) => format.read).map(({ id }) => id))('%s', async (id) => {
    const all = await readable(id);
    for (const recording of all) expect(wrongIn(reports, report(recording))).toEqual([]);
    const twice = all.length === 1 ? [...all, ...all] : all;
    const named = twice.map((recording, i) => ({ name: `run ${i}`, recording }));
    if (named.length > 0) expect(wrongIn(comparisons, compare(named))).toEqual([]);
  });

  it('ranks, of which one stands out, with layers and marks', () => {
    const [one, other] = [ranked('a', 3), ranked('b', 9)];
    const result = report(one);
    expect(result.ranks.ranks).toHaveLength(3);
    expect(result.layers).not.toEqual([]);
    expect(wrongIn(reports, result)).toEqual([]);
    const named = [one, other].map((recording) => ({ name: recording.run.name, recording }));
    const compared = compare(named, { job: one });
    expect(compared.layers).not.toEqual([]);
    expect(wrongIn(comparisons, compared)).toEqual([]);
  });

  it('a recording with rows in every table, long and short', () => {
    for (const rows of [0, 1, 3, 40, 400]) {
      expect(wrongIn(reports, report(sampleRecording(rows)))).toEqual([]);
    }
  });
});
