import { expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { summaryLines } from '../../src/views/report/summary.ts';
import { drawRecording } from '../analyses/drawn.ts';

it('a summary of a leak still says that samples were missed, and warns', () => {
  const at = Array.from({ length: 400 }, (_, i) => i / 10);
  const marks = ['start@0', ...at.slice(20, 380).map((s, i) => `iteration ${i}@${s}`), 'end@39'];
  const processes = [1, 2].map((pid) => {
    return { pid, role: pid === 1 ? 'main' : 'worker 1', rss: at.map((s) => 300 + 3 * s) };
  });
  const host = { used: at.map(() => 1000) };
  const sampling = { askedHz: 10, reachedHz: 8, ticks: 400, missed: 77, latenessMs: null };
  const run = {
    sampling: { ...sampling, recorderCpuSeconds: null },
    warnings: ['the disk was slow'],
  };
  const facts = report(drawRecording({ at, processes, host, marks, run }));
  expect(facts.leak.verdict).toBe('leak');
  const lines = summaryLines(facts, 'run.hw');
  const told = lines.slice(1, lines.indexOf('Next:'));
  expect(told).toHaveLength(5);
  expect(told.join('\n')).toMatch(/leak +\+/);
  expect(told.join('\n')).toMatch(/77 missed/);
  expect(told.join('\n')).toMatch(/warning/);
});
