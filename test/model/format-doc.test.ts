import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withTables } from '../../scripts/format-doc.ts';
import { newRun } from '../../src/model/run.ts';
import { SCHEMA_VERSION } from '../../src/model/schema.ts';

const document = readFileSync('docs/recording-format.md', 'utf8');

it('docs/recording-format.md has the tables as they are (npx tsx scripts/format-doc.ts)', () => {
  expect(document).toBe(withTables(document));
});

it('docs/recording-format.md names the version and every field of run.json', () => {
  expect(document).toContain(`Version ${SCHEMA_VERSION}.`);
  const fields = [...document.matchAll(/^\| ([\w, ]+) \|/gm)].flatMap((row) => row[1]!.split(', '));
  expect(fields).toEqual(expect.arrayContaining(Object.keys(newRun({ id: '', name: '' }))));
});
