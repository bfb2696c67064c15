import { describe, expect, it } from 'vitest';
import { inside } from '../../src/analyses/inside.ts';
import { minusRecorder } from '../../src/analyses/leak/minus-recorder.ts';
import { processes } from '../../src/analyses/processes/index.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import type { Recording } from '../../src/model/recording.ts';
import { series } from '../../src/model/series.ts';
import { addRow } from '../support/rows.ts';

const S = 1e9;
const PID = 7;

function recording(fill: (builder: RecordingBuilder) => void): Recording {
  const builder = new RecordingBuilder({ id: 'run', name: 'run' });
  builder.table('host', ['time', 'MemTotal', 'MemAvailable', 'used', 'recorder_anon']);
  fill(builder);
  return builder.build();
}

const values = (of: Recording, name: string) => [...series(of, name)!.values];

describe('what the agent says that it holds', () => {
  const held = recording((builder) => {
    addRow(builder, 'processes', { pid: PID, role: 'main', first_seen: 0, last_seen: 9 * S });
    for (const second of [0, 1, 2, 3, 4]) {
      const size = { rss: 1000, anon: 900, hwm: 1000, pss: 800, pss_estimated: 0 };
      addRow(builder, 'process', { time: second * S, pid: PID, ...size });
    }
    const counter = (second: number, name: string, value: number) =>
      addRow(builder, 'counters', { time: second * S, pid: PID, name, value });
    counter(0, 'agent.bytes', 10);
    counter(1, 'history.bytes', 100);
    counter(3, 'history.bytes', 300);
    // It rests, and malloc keeps most of it.
    counter(4, 'history.bytes', 0);
    counter(4, 'history.left', 250);
  });

  it('is taken off the processes’ sizes, evenly between two readings', () => {
    expect(values(held, 'tree.rss')).toEqual([990, 890, 790, 690, 740]);
    expect(values(held, 'tree.pss')).toEqual([790, 690, 590, 490, 540]);
    expect(processes(held).roles[0]).toMatchObject({ peakRss: 990, hwm: 990, pssAtPeak: 790 });
  });

  it('is what malloc got back of it in the end, where that was measured', () => {
    const measured = recording((builder) => {
      addRow(builder, 'processes', { pid: PID, role: 'main', first_seen: 0, last_seen: 9 * S });
      for (const second of [0, 1, 2, 3, 4, 5]) {
        addRow(builder, 'process', { time: second * S, pid: PID, rss: 1000, anon: 900 });
      }
      const counter = (second: number, name: string, value: number) =>
        addRow(builder, 'counters', { time: second * S, pid: PID, name, value });
      counter(1, 'history.bytes', 100);
      counter(2, 'history.bytes', 300);
      counter(2, 'history.measured', 150);
      counter(3, 'history.bytes', 0);
      // Of the next one nothing is known yet but the guess.
      counter(4, 'history.bytes', 80);
    });
    expect(values(measured, 'tree.rss')).toEqual([1000, 950, 850, 1000, 920, 920]);
    expect(inside(measured).historyBytes).toBe(150);
  });

  it('is left in the table itself, which an export writes', () => {
    expect([...held.table('process').f64('rss')]).toEqual([1000, 1000, 1000, 1000, 1000]);
  });
});

describe('the machine without us', () => {
  it('has no samples while a process of ours lived, and less what we left in others', () => {
    const run = recording((builder) => {
      addRow(builder, 'processes', { pid: PID, role: 'main', first_seen: 0, last_seen: 8 * S });
      for (let second = 0; second < 10; second++) {
        addRow(builder, 'host', { time: second * S, used: 1000, recorder_anon: 100 });
      }
      for (const second of [2, 2.01, 3, 3.05]) {
        addRow(builder, 'own_memory', { time: second * S, pid: 9, inside: 0, rss: 500 });
      }
      addRow(builder, 'own_memory', { time: 6 * S, pid: PID, inside: 1, rss: 40 });
    });
    const left = minusRecorder(run, 'host.used')!;
    expect([...left.times].map((ns) => ns / S)).toEqual([0, 1, 4, 5, 6, 7, 8, 9]);
    expect([...left.values]).toEqual([900, 900, 900, 900, 860, 860, 860, 900]);
    expect(processes(run).own).toMatchObject([
      { inside: false, pids: [9], peakRss: 500, peakPrivate: null },
      { inside: true, pids: [PID], peakRss: 40 },
    ]);
  });
});
