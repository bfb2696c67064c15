import { describe, expect, onTestFinished } from 'vitest';
import { GiB, KiB, MiB } from '../../../src/base/bytes.ts';
import type { GpuSession } from '../../../src/sources/gpu/backend.ts';
import { drm } from '../../../src/sources/gpu/drm/index.ts';
import { nvidiaSmi } from '../../../src/sources/gpu/nvidia/nvidia-smi/index.ts';
import { nvml } from '../../../src/sources/gpu/nvidia/nvml/index.ts';
import { together } from '../../../src/sources/gpu/together.ts';
import { Shelf } from '../../support/fake-machine.ts';
import { needs } from '../../support/programs.ts';
import { highwater, place, recorded } from '../../support/recorder.ts';
import { CLIENT_217, RX_16G } from '../drm/listings.ts';
import { PaperMachine } from '../drm/paper-machine.ts';
import { H200, script, standIn } from '../nvml/stand-in.ts';

const native = needs('gcc');
const both = together([[nvml, nvidiaSmi], [drm]]);

function mixed(lines: string): PaperMachine {
  process.env.HIGHWATER_NVML = standIn();
  process.env.HIGHWATER_STAND_IN = script(lines);
  onTestFinished(() => {
    delete process.env.HIGHWATER_NVML;
  });
  const machine = new PaperMachine();
  machine.card(RX_16G);
  machine.add({ pid: 2217 });
  machine.opens(2217, 9, '/dev/dri/renderD128', CLIENT_217);
  return machine;
}

async function opened(machine: PaperMachine) {
  const shelf = new Shelf();
  const session: GpuSession = {
    machine,
    sink: shelf,
    rateHz: 100,
    clock: () => 0,
    events: { onWarning: () => {}, onHolder: () => {} },
    stopped: new AbortController().signal,
  };
  const reader = await both.open('', session);
  onTestFinished(() => reader.close());
  return { reader, shelf };
}

const TWO = `driver 570.86.15
  ${H200('GPU-aaaa')}
  ${H200('GPU-bbbb', 1)}
  used 0 839
  used 1 5
  process 0 41 60`;

describe('cards of several makers', () => {
  native('are in one recording: NVIDIA’s with their own numbers, then the others', async () => {
    const machine = mixed(TWO);
    expect('path' in both.locate(machine)).toBe(true);
    const { reader, shelf } = await opened(machine);
    expect(reader.findings.cards.map(({ index, uuid }) => [index, uuid])).toEqual([
      [0, 'GPU-aaaa'],
      [1, 'GPU-bbbb'],
      [2, 'GPU-a1b2c3d4e5f60718'],
    ]);
    expect(reader.findings.driver).toBe(
      "570.86.15 (NVML), amdgpu of Linux 6.14.0-test (the kernel's files)",
    );
    reader.sample!({ time: 1e9, full: true });
    expect(shelf.rows('gpu').map(({ gpu, used }) => [gpu, used])).toEqual([
      [0, 839 * MiB],
      [1, 5 * MiB],
      [2, 24 * MiB],
    ]);
    expect(shelf.rows('gpu_process').map(({ gpu, pid, used }) => [gpu, pid, used])).toEqual([
      [0, 41, 60 * MiB],
      [2, 2217, 2068 * KiB],
    ]);
    expect([...reader.now.used]).toEqual([839 * MiB, 5 * MiB, 24 * MiB]);
  });

  native('go on without those of a maker whose driver does not answer, and say so', async () => {
    const { reader } = await opened(mixed('init 9 0'));
    expect(reader.findings.cards.map(({ index }) => index)).toEqual([0]);
    expect(reader.findings.notes.at(-1)).toMatch(
      /^cards that may be there were not measured: the NVIDIA driver does not answer: Driver Not Loaded/,
    );
  });

  native('are recorded and reported without anything that knows of it', async () => {
    const machine = mixed(TWO);
    const env = {
      HIGHWATER_NVML: process.env.HIGHWATER_NVML!,
      HIGHWATER_STAND_IN: process.env.HIGHWATER_STAND_IN!,
      HIGHWATER_SYS: machine.sys,
    };
    const used = `${machine.sys}/devices/pci0000:00/0000:08:00.0/mem_info_vram_used`;
    const grow = `sleep 0.3; echo ${3 * GiB} > ${used}; sleep 0.3`;
    const { folder, run } = await recorded(['--before', '0.2'], ['sh', '-c', grow], { env });
    expect(run.gpu).toMatchObject({ source: 'all', processIds: 'ours' });
    const { stdout } = await highwater(['report', folder, '--json']);
    const report = JSON.parse(String(stdout)) as {
      gpus: { gpu: number; peak: { bytes: number } }[];
    };
    expect(report.gpus.map(({ gpu, peak }) => [gpu, peak.bytes])).toEqual([
      [0, 839 * MiB],
      [1, 5 * MiB],
      [2, 3 * GiB],
    ]);
    const picture = place('cards.svg');
    expect((await highwater(['plot', folder, '--series', 'gpu2.used', '-o', picture])).code).toBe(
      0,
    );
    const doctor = String((await highwater(['doctor'], { env })).stdout);
    expect(doctor).toMatch(/^ok +all .* NVML and the kernel's files$/m);
    expect(doctor).toMatch(/^ok +drm .* GPU 0 amdgpu 1002:73bf at 0000:08:00\.0 \(amdgpu\): /m);
  });
});
