import { describe, expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { MiB } from '../../src/base/bytes.ts';
import { drawRecording } from './drawn.ts';

const HOST = {
  MemTotal: [1000, 1000, 1000, 1000],
  MemAvailable: [800, 700, 400, 790],
  AnonPages: [50, 60, 300, 51],
  Shmem: [1, 1, 1, 1],
  SUnreclaim: [1, 1, 1, 1],
  KernelStack: [1, 1, 1, 1],
  PageTables: [1, 1, 1, 1],
};
const AT = [0, 1, 2, 3];
const MAIN = { pid: 10, role: 'main', rss: [null, 100, 200, null], pss: [null, 90, 180, null] };

describe('report', () => {
  const drawn = drawRecording({
    at: AT,
    host: HOST,
    processes: [
      MAIN,
      { pid: 11, role: 'worker 1', rss: [null, 50, 60, null], pss: [null, 20, 30, null] },
    ],
    marks: ['start@0.5', 'end@2.75'],
    run: {
      id: 'r1',
      exit: { code: 0, signal: null, oomKilled: false, oomEvidence: '', endedBy: null },
    },
  });

  it('keeps its contract with programs', () => {
    const json = JSON.parse(JSON.stringify(report(drawn))) as Record<string, unknown>;
    expect(json.schemaVersion).toBe(1);
    expect(json.recording).toMatchObject({
      id: 'r1',
      name: 'train',
      argv: ['python', 'train.py'],
      durationSeconds: 2.25,
      exit: { code: 0, signal: null, oomKilled: false },
    });
    expect(json.warnings).toEqual([]);
    expect(json.peaks).toEqual([
      { series: 'host.used', bytes: 600 * MiB, seconds: 1.5 },
      { series: 'host.held', bytes: 304 * MiB, seconds: 1.5 },
      { series: 'tree.rss', bytes: 260 * MiB, seconds: 1.5 },
      { series: 'tree.pss', bytes: 210 * MiB, seconds: 1.5 },
    ]);
  });

  it('says that samples were missed because the hypervisor gave the processors to others', () => {
    const stolen = drawRecording({
      at: AT,
      host: { ...HOST, stolen: [0, null, null, 3.6e9] },
      processes: [MAIN],
      run: {
        sampling: { ...drawn.run.sampling, ticks: 80, missed: 20 },
        host: { ...drawn.run.host, cpus: 2 },
      },
    });
    const { trust, warnings } = report(stolen);
    expect(trust.stolenShare).toBeCloseTo(0.6);
    expect(warnings[0]).toBe(
      "20 samples missed (20 %): its hypervisor gave 60 % of the processors' time to others",
    );
    expect(report(drawn).trust.stolenShare).toBeNull();
  });

  it('counts seconds from the start mark, negative before it', () => {
    const { timing } = report(drawn);
    expect(timing.origin).toBe('workload start');
    expect(timing.sampled).toEqual({ first: -0.5, last: 2.5 });
    expect(timing.workloadEndSeconds).toBe(2.25);
  });

  it('counts from the first sample where no mark tells the start', () => {
    const result = report(drawRecording({ at: [5, 6], host: { used: [10, 20] } }));
    expect(result.timing.origin).toBe('first sample');
    expect(result.peaks).toEqual([{ series: 'host.used', bytes: 20 * MiB, seconds: 1 }]);
  });

  it('stands an empty recording', () => {
    const result = report(drawRecording({}));
    expect(result.headline).toBeNull();
    expect(result.peaks).toEqual([]);
    expect(result.timing.sampled).toBeNull();
    expect(result.recording.durationSeconds).toBe(0);
  });
});

describe('the headline', () => {
  const cgroup = { current: [10, 20, 30, 5], peak: [10, 25, 70, 70] };
  const own = { version: 2, own: true, limitBytes: null } as const;

  it("is the kernel's peak where that saw more than the samples", () => {
    const spike = { ...cgroup, peak: [10, 25, 700, 700] };
    const result = report(
      drawRecording({ at: AT, cgroup: spike, processes: [MAIN], run: { cgroup: own } }),
    );
    expect(result.headline).toMatchObject({ measure: 'kernel', bytes: 700 * MiB, seconds: 2 });
  });

  it('is not a peak of cached files, nor one without files that others had loaded', () => {
    const cached = { ...cgroup, peak: [10, 25, 700, 700], file: [0, 500, 500, 500] };
    for (const group of [cached, cgroup]) {
      const result = report(
        drawRecording({ at: AT, cgroup: group, processes: [MAIN], run: { cgroup: own } }),
      );
      expect(result.headline).toMatchObject({ measure: 'proportional', bytes: 180 * MiB });
    }
  });

  it('is never that of a control group shared with others', () => {
    const shared = { ...own, own: false };
    const result = report(
      drawRecording({ at: AT, cgroup, processes: [MAIN], run: { cgroup: shared } }),
    );
    expect(result.headline).toMatchObject({
      measure: 'proportional',
      series: 'tree.pss',
      bytes: 180 * MiB,
      processes: 1,
      estimated: false,
    });
  });

  it('says when the proportional figure at the peak is an estimate', () => {
    const guessed = { ...MAIN, estimated: [0, 0, 1, 0] };
    const result = report(drawRecording({ at: AT, processes: [guessed] }));
    expect(result.headline?.estimated).toBe(true);
  });

  it('falls back to summed RSS as an upper bound, then to the machine', () => {
    const rss = report(drawRecording({ at: AT, processes: [{ pid: 1, rss: [1, 2, 3, 4] }] }));
    expect(rss.headline).toMatchObject({ measure: 'upper-bound', bytes: 4 * MiB });
    const host = report(drawRecording({ at: AT, host: HOST }));
    expect(host.headline).toMatchObject({ measure: 'machine', series: 'host.used' });
  });
});

describe('processes', () => {
  it('joins the pids of a role and tells a reused pid apart', () => {
    const { roles, processes } = report(
      drawRecording({
        at: AT,
        processes: [
          { pid: 1, role: 'main', rss: [10, 10, 10, 10], pss: [9, 9, 9, 9] },
          { pid: 7, role: 'worker 1', rss: [30, 40, null, null], pss: [20, 30, null, null] },
          { pid: 8, role: 'worker 1', rss: [null, null, 20, 25], pss: [null, null, 8, 9] },
          { pid: 9, startTime: 1, role: '', name: 'sh', rss: [1, null, null, null] },
          { pid: 9, startTime: 2, role: '', name: 'tar', rss: [null, null, null, 3] },
        ],
      }),
    ).processes;
    const worker = roles.find((facts) => facts.role === 'worker 1');
    expect(worker).toMatchObject({
      pids: [7, 8],
      peakRss: 40 * MiB,
      pssAtPeak: 30 * MiB,
      firstSeconds: 0,
      lastSeconds: 3,
    });
    expect(roles[0]?.role).toBe('worker 1');
    expect(
      processes.filter((facts) => facts.pids[0] === 9).map((f) => [f.name, f.peakRss]),
    ).toEqual([
      ['sh', 1 * MiB],
      ['tar', 3 * MiB],
    ]);
  });

  it('knows rows whose process was never introduced', () => {
    const builder = drawRecording({ at: [0], processes: [{ pid: 5, rss: [7] }] });
    const lost = {
      ...builder,
      table: (name: Parameters<typeof builder.table>[0]) =>
        name === 'processes' ? drawRecording({}).table(name) : builder.table(name),
    };
    expect(report(lost).processes.roles).toMatchObject([{ pids: [5], peakRss: 7 * MiB, name: '' }]);
  });
});

describe('trust', () => {
  it('says where a recording stopped, and why', () => {
    const killed = report(drawRecording({ run: { endedAt: null } }));
    const why = 'the recorder was killed or the machine went down';
    expect(killed.trust).toMatchObject({ complete: false, stopped: { why, code: null } });
    expect(killed.warnings).toEqual([
      `the recording stops at 0.00 s: ${why}; what came after is not known`,
    ]);
    const stopped = { ns: 5e9, why: 'no space left on the disk (ENOSPC)', code: 'ENOSPC' };
    const full = report(drawRecording({ run: { stopped } }));
    expect(full.trust).toMatchObject({ complete: false, stopped: { code: 'ENOSPC' } });
    expect(full.warnings.join()).toContain('no space left on the disk');
    const slow = report(drawRecording({ run: { lostRows: 3 } }));
    expect(slow.trust).toMatchObject({ complete: false, stopped: null, lostRows: 3 });
    expect(slow.warnings).toEqual(['3 rows lost: the disk was too slow for them']);
    expect(report(drawRecording({})).trust).toMatchObject({ complete: true, stopped: null });
  });

  it("tells missed samples, folding, sources that were not there, and the recorder's own words", () => {
    const sampling = {
      askedHz: 100,
      reachedHz: 90,
      ticks: 90,
      missed: 10,
      latenessMs: null,
      recorderCpuSeconds: null,
    };
    const { warnings, trust } = report(
      drawRecording({
        at: AT,
        host: HOST,
        run: {
          sampling,
          foldedSeconds: 12,
          warnings: ['docker is only a client'],
          sources: [{ id: 'cgroup', ok: false, reason: 'not allowed' }],
        },
      }),
    );
    expect(trust.missed).toEqual({ samples: 10, share: 0.1 });
    expect(trust.foldedSeconds).toBe(12);
    expect(trust.unavailable).toEqual([{ id: 'cgroup', reason: 'not allowed', remedy: null }]);
    expect(warnings.join('\n')).toMatch(
      /10 samples missed \(10 %\).*folded.*of each 12\.0 s.*docker is only/s,
    );
  });

  it('tells a spike between samples and proportional memory that was not known', () => {
    const { warnings } = report(
      drawRecording({
        at: [0, 1],
        processes: [{ pid: 3, rss: [50, 60], pss: [40, null], hwm: [50, 500] }],
      }),
    );
    expect(warnings[0]).toMatch(/process 3 alone reached 500 MiB between two samples/);
    expect(warnings[1]).toMatch(/its peak of 40.0 MiB may be up to 60.0 MiB/);
  });
});
