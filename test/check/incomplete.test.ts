import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { check } from '../../src/analyses/check/index.ts';
import { NO_LEAK, parsePeak, parseRegress } from '../../src/analyses/check/limit.ts';
import { runFigures } from '../../src/analyses/check/run-figures.ts';
import { compare } from '../../src/analyses/compare/index.ts';
import { report } from '../../src/analyses/report.ts';
import { folderFiles } from '../../src/model/disk/files.ts';
import { readStop, STOP_FILE } from '../../src/model/disk/read-stop.ts';
import { openRecording } from '../../src/model/disk/reader.ts';
import { createFolder, saveRecording } from '../../src/model/disk/save.ts';
import { noteStop, reserveStop } from '../../src/model/disk/stop-file.ts';
import { mergeJob } from '../../src/model/job/merge.ts';
import type { RunInfo } from '../../src/model/run.ts';
import { chartTitle } from '../../src/views/chart/title.ts';
import { checkText } from '../../src/views/check/check.ts';
import { answer } from '../../src/views/report/answer.ts';
import { drawRecording } from '../analyses/drawn.ts';
import { tempFolder } from '../support/files.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { highwater, place } from '../support/recorder.ts';

const FULL = { ns: 3e9, why: 'no space left on the disk (ENOSPC)', code: 'ENOSPC' };
const EXIT = { code: 0, signal: null, oomKilled: false, oomEvidence: '', endedBy: null };

/** Forty MiB until the third second. */
const drawn = (run: Partial<RunInfo>) =>
  drawRecording({
    run: { exit: EXIT, ...run },
    at: [0, 1, 2, 3],
    processes: [{ pid: 5, rss: [10, 20, 30, 40], pss: [10, 20, 30, 40] }],
    marks: ['start@0'],
  });

const [WIDE, NARROW] = [parsePeak('tree<=1GiB'), parsePeak('tree<=30MiB')];
const CASES: [string, Partial<RunInfo>, RegExp][] = [
  ['that ran into a full disk', { stopped: FULL }, /stops at 3.00 s: no space left on the disk/],
  [
    'whose recorder was killed',
    { endedAt: null, exit: null },
    /stops at 3.00 s: the recorder was killed/,
  ],
  ['that lost rows', { lostRows: 7 }, /7 rows of the recording were lost/],
];

describe.each(CASES)('a recording %s', (_, run, says) => {
  const facts = report(drawn(run));

  it('is within no limit that it does not break', () => {
    const { status, findings } = check([facts], [WIDE], []);
    expect([status, findings[0]!.status]).toEqual(['unknown', 'unknown']);
    expect(findings[0]!.evidence).toMatch(says);
    expect(findings[0]!.evidence).toContain('tree.pss peaked at 40.0 MiB');
  });

  it('may break one all the same', () => {
    expect(check([facts], [WIDE, NARROW], []).status).toBe('fail');
    expect(check([report(drawn({})), facts], [WIDE], []).status).toBe('unknown');
  });

  it('is no baseline that a whole run could be worse than', () => {
    const limit = parseRegress('3%');
    const whole = report(drawn({}));
    const less = { ...runFigures(facts), peaks: { 'tree.pss': 1 } };
    const { status, findings } = check([whole], [limit], [less]);
    expect([status, findings[0]!.evidence]).toEqual(['unknown', expect.stringMatching(says)]);
    expect(check([whole], [limit], [{ ...runFigures(whole), peaks: less.peaks }]).status).toBe(
      'fail',
    );
  });

  it('is marked so in JSON', () => {
    expect(facts.trust.complete).toBe(false);
  });
});

it('a whole one is within its limits', () => {
  const facts = report(drawn({}));
  expect(check([facts], [WIDE], [])).toMatchObject({
    status: 'pass',
    findings: [{ status: 'pass' }],
  });
  expect(check([facts], [NO_LEAK], []).status).toBe('unknown');
  expect(facts.trust).toMatchObject({ complete: true, stopped: null });
});

it('a run that failed within its limits is told as such', () => {
  const result = check([report(drawn({ exit: { ...EXIT, code: 7 } }))], [WIDE], []);
  expect(checkText(result)).toMatch(/^Cannot be told, as the run failed: train\n/);
});

describe('that a recording stops is said first', () => {
  const recording = drawn({ stopped: FULL });

  it('in the answer, without a duration that nobody saw', () => {
    expect(answer(report(recording))).toBe(
      'Incomplete: the recording stops at 3.00 s: no space left on the disk (ENOSPC). Until then peak ' +
        '40.0 MiB at 3.00 s; python train.py ended well later.',
    );
  });

  it('in the title of a chart, and in comparisons', () => {
    expect(chartTitle(report(recording))).toBe('Incomplete, stops at 3.00 s: python train.py');
    const { runs, notes } = compare([
      { name: 'a', recording: drawn({}) },
      { name: 'b', recording },
    ]);
    expect(runs.map(({ stopped }) => stopped?.code)).toEqual([undefined, 'ENOSPC']);
    expect(notes[0]).toMatch(/^b is incomplete: the recording stops at 3.00 s: no space left/);
  });

  it('of a job of which one rank stopped', () => {
    const parts = [drawn({}), recording].map((one, i) => ({
      name: `${i}`,
      recording: one,
      ranks: [i],
    }));
    expect(report(mergeJob('job', parts)).trust.stopped).toMatchObject({
      why: 'rank 1: no space left on the disk (ENOSPC)',
      code: 'ENOSPC',
    });
  });
});

describe('stopped.json', () => {
  it('has its room from the start, and says nothing while nothing happened', () => {
    const folder = tempFolder();
    reserveStop(folder);
    expect(readStop(folderFiles(folder))).toBeNull();
    const { length } = readFileSync(join(folder, STOP_FILE));
    expect(length).toBeGreaterThan(4096);
    noteStop(folder, { ...FULL, why: 'x'.repeat(100_000) });
    expect(readFileSync(join(folder, STOP_FILE)).length).toBe(length);
    expect(readStop(folderFiles(folder))).toEqual({ ...FULL, why: 'x'.repeat(500) });
  });

  it('is believed where run.json could not be written any more', () => {
    const folder = tempFolder();
    saveRecording(drawn({ endedAt: null, exit: null }), folder);
    reserveStop(folder);
    noteStop(folder, FULL);
    expect(report(openRecording(folderFiles(folder))).trust.stopped).toMatchObject({
      code: 'ENOSPC',
    });
  });

  it.each(['', '{', '[]', '{"ns": "3"}', 'null'])('that holds %j is none', (text) => {
    expect(
      readStop(memoryFiles(new Map([[STOP_FILE, new TextEncoder().encode(text)]]))),
    ).toBeNull();
  });
});

it('the commands say so, and check exits with 4', async () => {
  const folder = place();
  createFolder(folder, false);
  saveRecording(drawn({ stopped: FULL }), folder);
  const within = await highwater(['check', folder, '--peak', 'tree<=1GiB']);
  expect([within.code, String(within.stdout)]).toEqual([
    4,
    expect.stringContaining('1 of 1 cannot be told'),
  ]);
  const over = await highwater(['check', folder, '--peak', 'tree<=30MiB']);
  expect(over.code).toBe(3);
  const baseline = place('memory.json');
  const saved = await highwater(['check', folder, '--save-baseline', baseline]);
  expect([saved.code, existsSync(baseline)]).toEqual([4, false]);
  expect(saved.stderr).toContain('train is no baseline: the recording stops at 3.00 s');
  const exported = await highwater(['export', folder, '--to', 'csv', '--table', 'process']);
  expect(exported.stderr).toContain('the recording stops at 3.00 s');
  writeFileSync(join(folder, 'process.arrow'), 'damaged');
  const damaged = await highwater(['check', folder, '--peak', 'tree<=1GiB']);
  expect(damaged.code).toBe(4);
});
