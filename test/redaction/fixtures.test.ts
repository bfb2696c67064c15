import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { whatIf } from '../../src/analyses/allocations/what-if/index.ts';
import { openInput } from '../../src/open/open.ts';
import { SHARED } from '../support/shared.ts';
import { copyOf, figuresOf, notesOf, reportOf } from './figures.ts';

/** All that is kept of recordings, snapshots and other tools' files. */
const FILES = [
  ...list('test/fixtures/snapshots', /\.gz$/),
  ...list('test/fixtures/formats/torch-snapshot', /\.pickle$/),
  ...list('test/fixtures/docs', /\.hwz$/),
  ...list('test/fixtures/recordings', /\.hw$/),
  ...list('test/fixtures/formats/mprof/0.61.0', /\.dat$/),
  ...list('test/fixtures/formats/mxnet-log/0.12', /\.log$/),
  ...list('test/fixtures/formats/torch-timeline/torch-2.11', /\.json$/),
  // Larger ones, where they are.
  ...list(join(SHARED, 'what-if'), /\.gz$/),
  ...list(
    join(SHARED, 'torch-snapshots'),
    /^(h200-(?!encoder)|public-(wed_128|msd|yiyi)).*\.pickle\.gz$/,
  ),
];

function list(folder: string, pattern: RegExp): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name));
}

describe('a redacted copy', () => {
  it.each(FILES)('of %s has the same figures', async (path) => {
    const copy = await copyOf(path);
    const [whole, given] = [await reportOf(path, await notesOf(copy)), await reportOf(copy)];
    expect(figuresOf(given)).toEqual(figuresOf(whole));
  });

  it.each(list('test/fixtures/snapshots/what-if', /\.gz$/))(
    'of %s has the same answers to what-if',
    async (path) => {
      const [whole, given] = [await openInput(path), await openInput(await copyOf(path))];
      const limits = [2 ** 30];
      const card = { card: null, contextBytes: null, beside: null };
      const asked = { sets: null, limits, ...card, smallest: true, device: null };
      expect(figuresOf(whatIf(given, asked))).toEqual(figuresOf(whatIf(whole, asked)));
      expect(whatIf(given, asked).recorded.exact).toBe(true);
    },
  );
});
