import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { outOfMemory } from '../../src/analyses/out-of-memory.ts';
import { CrashReader } from '../../src/formats/log-lines/index.ts';

/** One text with what a person read in it, before our reader had seen it. */
interface Reading {
  readonly name: string;
  readonly from: string;
  readonly text: string;
  readonly place: string;
  readonly cause: string;
  /** Causes that its figures leave open. */
  readonly also: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
}

const fixture = <T>(name: string): T =>
  JSON.parse(readFileSync(`test/fixtures/crash-texts/${name}.json`, 'utf8'));

function read(text: string) {
  const reader = new CrashReader();
  for (const line of text.split('\n')) reader.push(line);
  return outOfMemory(reader.end('text')).main;
}

function score(readings: readonly Reading[]) {
  let [right, figures, figuresRight] = [0, 0, 0];
  const wrong: string[] = [];
  for (const { name, text, place, cause, also, figures: told } of readings) {
    const main = read(text);
    const said = main?.cause ?? (main ? 'unknown' : 'none');
    const open = said === 'unknown' && also.includes('unknown');
    if (said === cause || open) right++;
    // What is not seen, or not settled, harms nobody; what is said with confidence must be so, or be left open by the text.
    else if (said !== 'unknown' && said !== 'none' && !also.includes(said))
      wrong.push(`${name}: ${said}, not ${cause}`);
    if (main && place !== 'none' && main.place === place) {
      for (const [figure, bytes] of Object.entries(told)) {
        const got = (main as unknown as Record<string, number>)[figure];
        if (got === undefined) continue;
        figures++;
        if (Math.abs(got - bytes) <= Math.max(2e7, 0.01 * bytes)) figuresRight++;
      }
    }
  }
  return { share: right / readings.length, figures: figuresRight / figures, wrong };
}

describe('texts of programs that ran out of memory', () => {
  it('are read right: those that the rules were made with', () => {
    const { share, figures, wrong } = score(fixture<Reading[]>('tuning'));
    expect(share).toBeGreaterThan(0.93);
    expect(figures).toBeGreaterThan(0.99);
    expect(wrong).toEqual([]);
  });

  it('are read right: those that were kept for scoring (docs/crash-logs.md has the first score)', () => {
    const { share, figures, wrong } = score(fixture<Reading[]>('scoring'));
    expect(share).toBeGreaterThan(0.83);
    expect(figures).toBeGreaterThan(0.98);
    expect(wrong).toEqual([]);
  });

  it('are told from 232 ordinary logs, of which two thirds speak of memory', () => {
    const called = fixture<string[]>('ordinary').filter((text) => {
      const main = read(text);
      return main && !main.unexplained;
    });
    expect(called).toEqual([]);
  });
});
