import { describe, expect, it } from 'vitest';
import { LayerIntake } from '../../src/record/agents/layer-intake.ts';
import type { Received } from '../../src/sources/agent/kinds/kind.ts';
import type { AgentLayers, LayerRow } from '../../src/sources/agent/kinds/layers.ts';

const GiB = 1024 ** 3;

function intake(maxDisk = GiB) {
  const origin = process.hrtime();
  const start = origin[0] * 1e9 + origin[1];
  const stored: Received<AgentLayers>[] = [];
  const warnings = new Set<string>();
  const layers = new LayerIntake(origin, maxDisk, {
    onRows: (one) => stored.push(one),
    onWarning: (text) => warnings.add(text),
  });
  let iteration = 0;
  const say = (rows: LayerRow[], { pid = 7, time = start, refused = 0 } = {}) =>
    layers.add(
      { type: 'layers', time, epoch: 1, iteration: ++iteration, rows, refused },
      pid,
      null,
    );
  return { say, stored, warnings, start };
}

describe('layers that agents send', () => {
  it('are stored only where they changed, process by process', () => {
    const { say, stored } = intake();
    const rows: LayerRow[] = [
      ['conv1', 'weight', 10],
      ['conv1', 'gradient', 0],
    ];
    say(rows);
    say([
      ['conv1', 'weight', 10],
      ['conv1', 'gradient', 5],
    ]);
    say(rows, { pid: 8 });
    say([['conv1', 'weight', null]]);
    expect(stored.map(({ pid, message }) => [pid, message.rows])).toEqual([
      [7, rows],
      [7, [['conv1', 'gradient', 5]]],
      [8, rows],
      [7, [['conv1', 'weight', null]]],
    ]);
  });

  it('say that an iteration was, even where nothing changed', () => {
    const { say, stored } = intake();
    say([['a', 'weight', 1]]);
    say([]);
    say([['a', 'weight', 1]]);
    expect(stored.map(({ message }) => [message.iteration, message.rows])).toEqual([
      [1, [['a', 'weight', 1]]],
      [2, [['', 'iteration', null]]],
      [3, [['', 'iteration', null]]],
    ]);
  });

  it('have times that neither go back nor lie ahead of now', () => {
    const { say, stored, start } = intake();
    for (const [i, time] of [start + 1000, start + 500, -1e9, 1e300].entries()) {
      say([['a', 'weight', i]], { time });
    }
    const times = stored.map(({ time }) => time);
    expect(times.slice(0, 3)).toEqual([1000, 1000, 1000]);
    expect(times[3]).toBeGreaterThan(1000);
    expect(times[3]).toBeLessThan(60e9);
  });

  it('take a quarter of the disk at most, and 100,000 names', () => {
    const small = intake(64 * 4 * 10);
    for (let i = 0; i < 20; i++) small.say([['a', 'weight', i]]);
    expect(small.stored.length).toBe(10);
    expect([...small.warnings]).toEqual([
      expect.stringMatching(/^layers are recorded up to 0\.\d s only: .* a quarter of --max-disk$/),
    ]);
    const many = intake();
    for (let part = 0; part < 21; part++) {
      many.say(Array.from({ length: 5000 }, (_, i) => [`${part}.${i}`, 'weight', 1] as const));
    }
    expect(many.stored.reduce((sum, { message }) => sum + message.rows.length, 0)).toBe(100_001);
    expect([...many.warnings]).toEqual(['only the first 100000 names of layers are recorded']);
  });

  it('tell of rows that could not be read', () => {
    const { say, warnings } = intake();
    say([], { refused: 3 });
    expect([...warnings]).toEqual(['3 rows of layers of process 7 are unreadable']);
  });
});
