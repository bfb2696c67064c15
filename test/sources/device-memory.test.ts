import { describe, expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { GiB, MiB } from '../../src/base/bytes.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { series, seriesNames } from '../../src/model/series.ts';
import {
  DeviceMemorySampler,
  deviceLimits,
  deviceMemorySource,
} from '../../src/sources/cgroup/device-memory.ts';
import { FakeMachine, Shelf } from '../support/fake-machine.ts';
import { addRow } from '../support/rows.ts';

/** As Documentation/admin-guide/cgroup-v2.rst has it (Linux 6.14). */
const CAPACITY = 'drm/0000:03:00.0/vram0 8514437120\ndrm/0000:03:00.0/stolen 67108864\n';
const VRAM = '0000:03:00.0/vram0';

function machineWith(files: Readonly<Record<string, string>>): FakeMachine {
  const machine = new FakeMachine();
  for (const [name, text] of Object.entries(files)) machine.write(`cgroup/${name}`, text);
  return machine;
}

describe('device memory of a control group', () => {
  it('is named by doctor where the kernel counts it', () => {
    expect(deviceMemorySource.probe(machineWith({}))).toMatchObject({ ok: false });
    expect(deviceMemorySource.probe(machineWith({ 'dmem.capacity': CAPACITY }))).toEqual({
      ok: true,
      detail: '0000:03:00.0/vram0, 0000:03:00.0/stolen',
    });
  });

  it('is read by region, ten times a second, with the kernel’s peak where it keeps one', () => {
    const machine = machineWith({
      'a/dmem.current': 'drm/0000:03:00.0/vram0 12550144\ndrm/0000:03:00.0/stolen 8650752\n',
      'a/dmem.peak': 'drm/0000:03:00.0/vram0 99999999\n',
    });
    const shelf = new Shelf();
    const sampler = new DeviceMemorySampler(shelf, `${machine.cgroup}/a`);
    for (let ms = 0; ms < 200; ms += 10) sampler.sample({ time: ms * 1e6, full: true });
    machine.write('cgroup/a/dmem.current', 'nonsense\ndrm/x/vram0 -4\ndrm/y/vram0 max\n');
    sampler.sample({ time: 1e9, full: true });
    sampler.close();
    const rows = shelf.rows('device_group');
    expect(rows.slice(0, 2)).toMatchObject([
      { time: 0, current: 12550144, peak: 99999999 },
      { time: 0, current: 8650752, peak: Number.NaN },
    ]);
    expect(rows.map(({ time }) => time)).toEqual([0, 0, 1e8, 1e8, 1e9]);
    expect(rows.at(-1)).toMatchObject({ current: Number.NaN });
  });

  it('has the smallest limit of the group and those above it', () => {
    const machine = machineWith({
      'a/dmem.max': `drm/${VRAM} 4294967296\ndrm/0000:03:00.0/stolen max\n`,
      'a/b/dmem.max': `drm/${VRAM} 6442450944\n`,
    });
    const folder = `${machine.cgroup}/a/b`;
    expect(deviceLimits(machine, { version: 2, folder })).toEqual({ [VRAM]: 4 * GiB });
    expect(deviceLimits(machine, { version: 1, folder })).toEqual({});
  });
});

/** A run that died with torch's message after so many bytes were charged. */
function died(limit: number | null, { current = 4 * GiB - 4 * MiB, peak = 0 } = {}) {
  const builder = new RecordingBuilder({
    id: 'r',
    name: 'r',
    argv: ['python', 'train.py'],
    exit: {
      code: 1,
      signal: null,
      oomKilled: false,
      oomEvidence: '',
      endedBy: null,
    },
    outOfMemory: [{ ns: 2e8, source: 'torch', place: 'gpu', asked: 64 * MiB }],
    subject: 'command',
    startedAt: '2026-01-02T03:04:05.000Z',
    endedAt: '2026-01-02T03:04:06.000Z',
    cgroup: {
      version: 2,
      own: true,
      limitBytes: null,
      ...(limit !== null && { deviceLimits: { [VRAM]: limit } }),
    },
  });
  for (const [i, bytes] of [0, current].entries()) {
    addRow(builder, 'device_group', {
      time: i * 1e8,
      region: VRAM,
      current: bytes,
      peak: peak || null,
    });
  }
  addRow(builder, 'marks', { time: 2e8, kind: 'oom', name: 'HIP out of memory' });
  return builder.build();
}

describe('a limit of device memory', () => {
  const evidence = (recording: ReturnType<typeof died>) =>
    report(recording)
      .verdict.evidence.map(({ statement }) => statement)
      .join('\n');

  it('is a series, and evidence where it was reached', () => {
    const recording = died(4 * GiB);
    expect(seriesNames(recording)).toContain(`dmem.${VRAM}`);
    expect([...series(recording, `dmem.${VRAM}`)!.values]).toEqual([0, 4 * GiB - 4 * MiB]);
    expect(evidence(recording)).toMatch(
      /had 4\.00 GiB of the 4\.00 GiB that it may have of .*dmem\.max/,
    );
  });

  it('is the cause where a card ran out, and a request would have gone beyond it', () => {
    const { cause, certainty, fixes } = report(died(4 * GiB)).verdict;
    expect([cause.code, certainty]).toEqual(['limit', 'likely']);
    expect(JSON.stringify(fixes)).toContain('dmem.max');
    expect(report(died(16 * GiB)).verdict.cause.code).not.toBe('limit');
    expect(report(died(null)).verdict.cause.code).not.toBe('limit');
  });

  it('is none where it was not reached, or there is none', () => {
    expect(evidence(died(16 * GiB))).not.toContain('dmem.max');
    expect(evidence(died(null))).not.toContain('dmem.max');
  });

  it('is reached by the kernel’s own peak that no sample saw', () => {
    const recording = died(4 * GiB, { current: GiB, peak: 4 * GiB });
    expect(report(recording).peaks.find(({ series: s }) => s === `dmem.${VRAM}`)!.bytes).toBe(
      4 * GiB,
    );
    expect(evidence(recording)).toContain('dmem.max');
  });
});
