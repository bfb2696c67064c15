import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { LastOutput } from '../../src/record/log/last-output.ts';
import { endingFacts, endingTiles } from '../../src/views/report/ending.ts';
import { highwater, place, readRun, recorded } from '../support/recorder.ts';

const FAILS = `
for (let i = 0; i < 5000; i++) console.log('step', i);
console.error('reading with password=hunter2-planted');
throw new TypeError('no such split: trian');
`;

describe('what a workload said last', () => {
  it('is told of one that failed, without secrets, and left out of what is given away', async () => {
    const { folder, code } = await recorded([], ['node', '-e', FAILS]);
    expect(code).toBe(1);
    const told = String((await highwater(['report', folder, '--json'])).stdout);
    const report = JSON.parse(told) as Report;
    const lines = report.ending.lastOutput;
    expect(lines.join('\n')).toContain('TypeError: no such split: trian');
    expect(lines.length).toBeLessThanOrEqual(12);
    expect(told).toContain('password=***');
    expect(told).not.toContain('hunter2-planted');
    const said = endingFacts(report).findIndex(([name]) => name === 'said last');
    expect(endingFacts(report)[said]![1]).toBe(lines[0]);
    const [, crash] = endingTiles(report, false);
    expect(crash).toMatchObject({ title: 'Crash', value: 'Exit code 1' });
    expect(crash!.detail).toContain(lines.at(-1)!.trim());

    const copy = place('given.hwz');
    expect((await highwater(['pack', folder, '--redact', '-o', copy])).code).toBe(0);
    const given = JSON.parse(
      String((await highwater(['report', copy, '--json'])).stdout),
    ) as Report;
    expect(given.ending).toMatchObject({ how: 'failed', lastOutput: [] });
  });

  it('is not kept of one that went well', async () => {
    const { folder } = await recorded([], ['node', '-e', "console.log('all is well')"]);
    expect(readRun(folder).lastOutput).toBeUndefined();
  });
});

describe('the end of output', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  it('is that of the stream for errors, however its pieces come', () => {
    const output = new LastOutput();
    expect(output.lines()).toEqual([]);
    for (const letter of 'first\nValueError: two\n') output.take('2', bytes(letter));
    output.take('1', bytes('goodbye\n'));
    expect(output.lines()).toEqual(['first', 'ValueError: two']);
  });

  it('has whole lines only, as many and as long as can be read', () => {
    const output = new LastOutput();
    output.take('1', bytes(`${'a'.repeat(5000)}\n`));
    for (let i = 0; i < 1000; i++) output.take('1', bytes(`line ${i}\n\n`));
    output.take('1', bytes('z'.repeat(1000)));
    const lines = output.lines();
    expect(lines).toHaveLength(12);
    expect(lines.slice(0, 2)).toEqual(['line 989', 'line 990']);
    expect(lines.at(-1)).toBe('z'.repeat(300));
  });
});
