import { describe, expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import type { ExitInfo, RunInfo } from '../../src/model/run.ts';
import { resultJson } from '../../src/views/json.ts';
import { answer } from '../../src/views/report/answer.ts';
import { reportMarkdown } from '../../src/views/report/markdown.ts';
import { summaryLines } from '../../src/views/report/summary.ts';
import { reportText } from '../../src/views/report/text.ts';
import { type Drawing, drawRecording } from '../analyses/drawn.ts';

const exit = (fields: Partial<ExitInfo>): ExitInfo => ({
  code: null,
  signal: null,
  oomKilled: false,
  oomEvidence: '',
  endedBy: null,
  ...fields,
});

const TREE: Drawing = {
  at: [0, 1, 2],
  processes: [
    { pid: 1, role: 'main', rss: [100, 300, 200], pss: [90, 250, 180] },
    { pid: 2, role: 'worker 1', rss: [10, 20, 20], pss: [5, 10, 10] },
  ],
  marks: ['start@0', 'end@2'],
};

function drawnReport(run: Partial<RunInfo>, drawing: Drawing = TREE) {
  return report(drawRecording({ ...drawing, run: { ...drawing.run, ...run } }));
}

describe('the answer', () => {
  const says = (run: Partial<RunInfo>, drawing?: Drawing) => answer(drawnReport(run, drawing));
  const PEAK = 'Peak 260 MiB at 1.00 s; python train.py';

  it.each<[string, ExitInfo]>([
    [`${PEAK} ended well after 2.00 s.`, exit({ code: 0 })],
    [`${PEAK} exited with code 1 after 2.00 s.`, exit({ code: 1 })],
    [
      `${PEAK} exited with code 137, a shell's word for SIGKILL, after 2.00 s.`,
      exit({ code: 137 }),
    ],
    [`${PEAK} was killed by SIGSEGV after 2.00 s.`, exit({ signal: 'SIGSEGV' })],
    [
      `${PEAK} was killed by SIGKILL after 2.00 s: the kernel's out-of-memory killer.`,
      exit({ signal: 'SIGKILL', oomKilled: true, oomEvidence: 'oom_kill 0 → 1' }),
    ],
    [
      `${PEAK} was killed by SIGKILL after 2.00 s, not by the kernel's out-of-memory killer.`,
      exit({ signal: 'SIGKILL' }),
    ],
    [
      `${PEAK} was killed by SIGKILL after 2.00 s; whether it was the kernel's out-of-memory killer is unknown.`,
      exit({ signal: 'SIGKILL', oomKilled: null, oomEvidence: 'no kernel log' }),
    ],
    [
      `${PEAK} exited with code 1 after 2.00 s; the kernel's out-of-memory killer took one of its processes.`,
      exit({ code: 1, oomKilled: true }),
    ],
  ])('%s', (sentence, info) => {
    expect(says({ exit: info })).toBe(sentence);
  });

  it('says who ended it when that was Highwater', () => {
    const info = exit({ signal: 'SIGTERM', endedBy: 'over the memory limit of 200 MiB' });
    expect(says({ exit: info })).toMatch(
      /; Highwater ended python train.py after 2.00 s: over the memory limit of 200 MiB\.$/,
    );
  });

  it('says that a recording has no end', () => {
    expect(says({ endedAt: null }, { ...TREE, marks: ['start@0'] })).toMatch(
      /^Incomplete: the recording stops at 2.00 s: the recorder was killed or the machine went down\. Until then peak /,
    );
  });

  it('speaks of the machine where there was no workload', () => {
    const host = { at: [0, 4], host: { used: [10, 30] } };
    expect(says({ subject: 'host', argv: [] }, host)).toBe(
      'Peak 30.0 MiB in use on the whole machine at 4.00 s; the machine was watched for 4.00 s.',
    );
    expect(says({ subject: 'import', endedAt: null, argv: [] }, host)).toMatch(
      /; imported, 4.00 s long\.$/,
    );
    expect(says({}, {})).toMatch(/^No memory was sampled; /);
  });

  it('calls summed RSS what it is', () => {
    const rss = { at: [0], processes: [{ pid: 1, rss: [64] }] };
    expect(says({ exit: exit({ code: 0 }) }, rss)).toMatch(/^Peak at most 64.0 MiB at 0.00 s; /);
  });
});

describe('text', () => {
  it('begins with the answer and has no colour unless told', () => {
    const result = drawnReport({ exit: exit({ code: 0 }), warnings: ['careful'] });
    const text = reportText(result);
    expect(text.split('\n')[0]).toBe(answer(result));
    expect(text).not.toContain('\x1b');
    expect(text).toMatch(/^ {2}tree\.pss +260 MiB +1\.00 s/m);
    expect(text).toMatch(/^ {2}main +1 +250 MiB +300 MiB/m);
    expect(text).toMatch(/Warnings\n {2}careful\n$/);
    expect(reportText(result, { color: true })).toContain('\x1b[1m');
  });

  it('shows the eight largest and counts the rest', () => {
    const processes = Array.from({ length: 11 }, (_, i) => ({ pid: i + 1, rss: [i + 1] }));
    const text = reportText(drawnReport({}, { at: [0], processes }));
    expect(text).toContain('and 3 more');
    expect(text).toContain('11.0 MiB');
    expect(text).not.toMatch(/\b3\.00 MiB/);
  });

  it('passes no control characters of a command on to a terminal', () => {
    const hostile = '\x1b]0;owned\x07';
    const processes = [{ pid: 1, rss: [1], argv: hostile, role: hostile }];
    const result = drawnReport({ argv: [hostile], warnings: [hostile] }, { at: [0], processes });
    for (const text of [reportText(result), summaryLines(result, 'x').join('\n')]) {
      expect(text.replaceAll('\n', '')).not.toMatch(/[\x00-\x1f]/);
    }
  });
});

describe('markdown', () => {
  it('makes hostile text literal', () => {
    const hostile = '<img src=x onerror=alert(1)> | [a](http://evil) `b` \n# c';
    const processes = [{ pid: 1, rss: [1], argv: hostile, role: hostile }];
    const text = reportMarkdown(
      drawnReport({ argv: [hostile], warnings: [hostile] }, { at: [0], processes }),
    );
    expect(text).not.toContain('<img');
    expect(text).not.toContain('http://');
    expect(text).not.toContain('](');
    expect(text).not.toMatch(/^# c/m);
    const rows = text.split('\n').filter((line) => line.startsWith('| '));
    const cells = rows.map((row) => row.split('|').length);
    expect(new Set(cells)).toEqual(new Set([6, 9]));
  });
});

describe('json', () => {
  it('has null for what was not measured', () => {
    const json = JSON.parse(resultJson(drawnReport({}))) as {
      processes: { roles: { hwm: unknown }[] };
    };
    expect(json.processes.roles[0]?.hwm).toBeNull();
  });
});

describe('the summary', () => {
  it('is the answer, five lines at most, and what to type next', () => {
    const result = drawnReport({ exit: exit({ code: 0 }), warnings: ['a', 'b'] });
    const lines = summaryLines(result, 'runs/my run.hw');
    expect(lines[0]).toBe(answer(result));
    expect(lines.indexOf('Next:')).toBeLessThanOrEqual(6);
    expect(lines.slice(-3)).toEqual([
      "  highwater report 'runs/my run.hw'",
      "  highwater plot 'runs/my run.hw' -o memory.png",
      "  highwater export 'runs/my run.hw' --to csv",
    ]);
  });
});
