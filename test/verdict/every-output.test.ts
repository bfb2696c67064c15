import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { check } from '../../src/analyses/check/index.ts';
import { parsePeak } from '../../src/analyses/check/limit.ts';
import { compare } from '../../src/analyses/compare/index.ts';
import { outOfMemory } from '../../src/analyses/out-of-memory.ts';
import { report } from '../../src/analyses/report.ts';
import { outOfMemoryVerdict } from '../../src/analyses/verdict/out-of-memory.ts';
import { FORMATS } from '../../src/formats/index.ts';
import { makeInput } from '../../src/formats/input.ts';
import { CrashReader, splitLines } from '../../src/formats/log-lines/index.ts';
import type { Recording } from '../../src/model/recording.ts';
import { CAUSES, CERTAINTIES, verdictSentence } from '../../src/model/verdict.ts';
import { openInput } from '../../src/open/open.ts';
import { checkText } from '../../src/views/check/check.ts';
import { comparisonText } from '../../src/views/compare/comparison.ts';
import { resultJson } from '../../src/views/json.ts';
import { reportMarkdown } from '../../src/views/report/markdown.ts';
import { reportText } from '../../src/views/report/text.ts';
import { keptFiles } from '../formats/kept-files.ts';
import { sampleRecording } from '../support/sample-recording.ts';
import { verdictProblems } from './problems.ts';

const readBack = (result: { readonly type: string }) => JSON.parse(resultJson(result));
const firstLine = (text: string) => text.split('\n', 1)[0];

/** All that is asked of one recording: verdict and text must agree. */
function checkReport(recording: Recording, label: string): void {
  const result = report(recording);
  expect(verdictProblems(readBack(result)), label).toEqual([]);
  expect(firstLine(reportText(result)), label).toBe(verdictSentence(result.verdict));
  expect(reportMarkdown(result), label).not.toContain('undefined');
  // What JSON says apart from the verdict is what the text says.
  if (result.devices.length > 0 || result.sampling.samples > 0)
    expect(result.headline, label).not.toBeNull();
  const leaks = result.devices.some(({ leak }) => leak.verdict === 'leak');
  if (leaks && result.sampling.samples === 0) expect(result.leak.verdict, label).toBe('leak');
}

describe('the verdict of every kept file is small, true to its output, and what the text says', () => {
  it.each(FORMATS.filter((format) => format.read).map(({ id }) => id))('%s', async (id) => {
    const format = FORMATS.find((one) => one.id === id)!;
    const named: { name: string; recording: Recording }[] = [];
    for (const { path, bytes } of keptFiles(id)) {
      try {
        const recording = await format.read!(makeInput(path, () => [bytes]));
        named.push({ name: basename(path), recording });
      } catch {
        // Files that must be refused are kept too.
      }
    }
    for (const { name, recording } of named) {
      checkReport(recording, name);
      const found = check([report(recording)], [parsePeak('tree.pss<=1MiB')], []);
      expect(verdictProblems(readBack(found)), name).toEqual([]);
      expect(firstLine(checkText(found))).toBe(verdictSentence(found.verdict));
    }
    if (named.length === 0) return;
    const compared = compare(
      named.length === 1 ? [...named, { ...named[0]!, name: 'again' }] : named,
    );
    expect(verdictProblems(readBack(compared))).toEqual([]);
    expect(firstLine(comparisonText(compared))).toBe(verdictSentence(compared.verdict));
  });

  it('snapshots, and recordings of old versions and of the documents', async () => {
    const folders = ['snapshots', 'snapshots/training', 'recordings', 'docs'];
    const paths = folders.flatMap((folder) =>
      readdirSync(join('test/fixtures', folder))
        .filter((name) => /\.(pickle\.gz|hwz?)$/.test(name))
        .map((name) => join('test/fixtures', folder, name)),
    );
    expect(paths.length).toBeGreaterThan(30);
    for (const path of paths) checkReport(await openInput(path), path);
  });

  it('recordings with rows in every table', () => {
    for (const rows of [0, 1, 3, 40, 400]) checkReport(sampleRecording(rows), `${rows} rows`);
  });

  it('logs of programs that ran out of memory', () => {
    const read = (name: string): { name: string; text: string }[] =>
      JSON.parse(readFileSync(`test/fixtures/crash-texts/${name}.json`, 'utf8'));
    for (const { name, text } of ['tuning', 'scoring'].flatMap(read)) {
      const [reader, lines] = [new CrashReader(), splitLines()];
      const bytes = new TextEncoder().encode(text);
      for (const line of [...lines.push(bytes), ...lines.end()]) reader.push(line);
      const result = outOfMemory(reader.end(name));
      const verdict = outOfMemoryVerdict(result);
      expect(verdictProblems(readBack({ ...result, verdict } as typeof result)), name).toEqual([]);
      if (result.main?.cause) expect(verdict.cause.code).toBe(result.main.cause);
    }
  });
});

it('docs/json-outputs.md tells what every code and every certainty means', () => {
  const page = readFileSync('docs/json-outputs.md', 'utf8');
  for (const [word, meaning] of [...Object.entries(CAUSES), ...Object.entries(CERTAINTIES)]) {
    expect(page).toContain(`| \`${word}\` | ${meaning} |`);
  }
  const skill = readFileSync('docs/skill/SKILL.md', 'utf8');
  for (const word of Object.keys(CERTAINTIES)) expect(skill).toContain(`**${word}**`);
});
