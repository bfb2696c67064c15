import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GpuMeasuring, newRun } from '../../../src/model/run.ts';
import { GpuEvidence } from '../../../src/record/threads/gpu-evidence.ts';
import type { GpuBackend } from '../../../src/sources/gpu/backend.ts';
import { nvml } from '../../../src/sources/gpu/nvidia/nvml/index.ts';
import { FakeMachine } from '../../support/fake-machine.ts';

const CARDS = [0, 1].map((index) => ({ index, uuid: `GPU-${index}`, name: 'X', memoryBytes: 1 }));
/** No pid is as large: nobody on this machine has it. */
const ELSEWHERE = 2 ** 30;

/** A run in which process 41 is watched; `held` is what its device files tell. */
function watched(held: (cards: readonly unknown[]) => readonly number[] | null) {
  const gpu: GpuMeasuring = {
    source: 'paper',
    driver: '1',
    processIds: 'ours',
    visible: null,
    pciOrder: true,
    opened: null,
    notes: [],
  };
  const run = { ...newRun({ id: 'x', name: 'x' }), gpus: CARDS, gpu };
  const save = vi.fn();
  const evidence = new GpuEvidence({ run, save });
  const looks: number[] = [];
  const backend: Pick<GpuBackend, 'heldOpen'> = {
    heldOpen(_machine, pid, cards) {
      looks.push(pid);
      return held(cards);
    },
  };
  evidence.addMember(41);
  evidence.start(backend as GpuBackend);
  return { evidence, gpu, save, looks };
}

describe('which cards a workload uses', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is looked for in its device files, ever more seldom, and saved when it changed', () => {
    let held = [1];
    const { gpu, save, looks } = watched(() => held);
    expect(gpu.opened).toBeNull();
    vi.advanceTimersByTime(300);
    expect(gpu.opened).toEqual([1]);
    held = [0];
    vi.advanceTimersByTime(600);
    expect(gpu.opened).toEqual([0, 1]);
    vi.advanceTimersByTime(1200);
    expect(save).toHaveBeenCalledTimes(2);
    expect(looks).toEqual([41, 41, 41]);
  });

  it('is not known where the backend has no files to tell it by', () => {
    const { gpu } = watched(() => null);
    vi.advanceTimersByTime(5000);
    expect(gpu.opened).toBeNull();
  });

  it('is told by the driver where it names one of ours: no file is looked at then', () => {
    const { evidence, gpu, looks } = watched(() => [0]);
    evidence.addHolder(ELSEWHERE);
    expect(gpu.processIds).toBe('foreign');
    evidence.addHolder(41);
    expect(gpu.processIds).toBe('ours');
    vi.advanceTimersByTime(5000);
    expect(looks).toEqual([]);
  });
});

describe('NVIDIA cards', () => {
  it('are known by the device files that a process holds open', () => {
    const machine = new FakeMachine();
    const folder = join(machine.proc, '41/fd');
    mkdirSync(folder, { recursive: true });
    for (const [fd, file] of ['/dev/null', '/dev/nvidiactl', '/dev/nvidia7'].entries()) {
      symlinkSync(file, join(folder, String(fd)));
    }
    const numbered = CARDS.map((card) => ({ ...card, minor: card.index + 6 }));
    expect(nvml.heldOpen(machine, 41, numbered)).toEqual([1]);
    expect(nvml.heldOpen(machine, 42, numbered)).toEqual([]);
    expect(nvml.heldOpen(machine, 41, CARDS)).toBeNull();
  });

  it('are visible as CUDA was told', () => {
    expect(nvml.visible({})).toEqual({ visible: null, pciOrder: false });
    const told = { CUDA_VISIBLE_DEVICES: '1,0', CUDA_DEVICE_ORDER: 'PCI_BUS_ID' };
    expect(nvml.visible(told)).toEqual({ visible: '1,0', pciOrder: true });
  });
});
