import { describe, expect, it } from 'vitest';
import { CounterIntake } from '../../src/record/agents/counter-intake.ts';
import { RowIntake } from '../../src/record/agents/row-intake.ts';
import type { RowMessage } from '../../src/sources/agent/kinds/index.ts';
import type { Received } from '../../src/sources/agent/kinds/kind.ts';
import type { AgentObjects } from '../../src/sources/agent/kinds/objects.ts';
import type { AgentTensors } from '../../src/sources/agent/kinds/tensors.ts';

const origin = process.hrtime();
const start = origin[0] * 1e9 + origin[1];

describe('counters that agents send', () => {
  /** `rows`: as many as fit into a tenth of the disk, of 48 bytes each. */
  function intake(rows: number) {
    const stored: Received<RowMessage>[] = [];
    const warnings: string[] = [];
    const counters = new CounterIntake(origin, rows * 480, {
      onRows: (one) => stored.push(one),
      onWarning: (text) => warnings.push(text),
    });
    const say = (values: Record<string, number>, refused?: number) =>
      counters.add({ type: 'counters', time: start, values, refused }, 7, null);
    return { say, stored, warnings };
  }

  it('take a tenth of the disk at most', () => {
    const { say, stored, warnings } = intake(3);
    for (let i = 0; i < 5; i++) say({ 'a.b': i, 'a.c': i });
    expect(stored.map(({ message }) => message)).toMatchObject([
      { values: { 'a.b': 0, 'a.c': 0 } },
      { values: { 'a.b': 1, 'a.c': 1 } },
    ]);
    expect(warnings).toEqual([
      'counters are recorded up to 0.0 s only: they may take 144 B of the disk, a tenth of --max-disk',
    ]);
  });

  it('have 2,000 names at most', () => {
    const { say, stored } = intake(10_000);
    for (let i = 0; i < 2005; i++) say({ [`a.b${i}`]: 1 });
    say({ 'a.b7': 2, 'a.other': 3 });
    expect(stored.length).toBe(2001);
    expect(stored.at(-1)!.message).toMatchObject({ values: { 'a.b7': 2 } });
  });

  it('tell of values that could not be read', () => {
    const { say, warnings } = intake(10);
    say({}, 2);
    expect(warnings).toEqual(['2 counters of process 7 are unreadable']);
  });
});

describe('rows that agents send', () => {
  const stored: Received<RowMessage>[] = [];
  const intake = new RowIntake(origin, 1, (one) => stored.push(one));
  const tensors = (count: number, time = start): AgentTensors => ({
    type: 'tensors',
    time,
    rows: Array.from({ length: count }, () => ['[1]', 'float32', 'cpu', '', '', 1, 4] as const),
  });
  const objects: AgentObjects = {
    type: 'objects',
    time: start + 5,
    rows: [['type', 'dict', '', '', 9, 3, 1.5, 960]],
  };
  const rowsOf = (type: string) =>
    stored
      .filter(({ message }) => message.type === type)
      .map(({ message }) => ('rows' in message ? message.rows.length : 0));

  it('are kept up to the limit of their kind, each kind by itself', () => {
    intake.add(tensors(0), 7, null);
    intake.add(tensors(499_999), 7, null);
    intake.add(tensors(3), 7, null);
    intake.add(tensors(1), 7, null);
    intake.add(objects, 8, 2);
    expect(rowsOf('tensors')).toEqual([499_999, 1]);
    expect(rowsOf('objects')).toEqual([1]);
  });

  it('have the process and a time that does not go back within a kind', () => {
    const again = new RowIntake(origin, 1, (one) => stored.push(one));
    stored.length = 0;
    again.add(tensors(1, start + 1000), 7, null);
    again.add(tensors(1, start + 500), 7, null);
    again.add(objects, 8, 2);
    expect(stored.map(({ time, pid, rank }) => [time, pid, rank])).toEqual([
      [1000, 7, null],
      [1000, 7, null],
      [5, 8, 2],
    ]);
  });
});
