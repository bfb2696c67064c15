import { readdirSync, readlinkSync } from 'node:fs';
import type { GpuCard, GpuMeasuring } from '../../../model/run.ts';
import type { Machine } from '../../source.ts';

/** What tells which NVIDIA cards a workload may use, and which it has opened. */

/** What CUDA was told to use. */
export function cudaVisible(
  environment: Readonly<Record<string, string | undefined>>,
): Pick<GpuMeasuring, 'visible' | 'pciOrder'> {
  return {
    visible: environment.CUDA_VISIBLE_DEVICES ?? null,
    pciOrder: environment.CUDA_DEVICE_ORDER === 'PCI_BUS_ID',
  };
}

/** Cards whose /dev/nvidiaN a process holds open; null where the driver told no N of any card. */
export function cardsHeldOpen(
  machine: Machine,
  pid: number,
  cards: readonly GpuCard[],
): number[] | null {
  if (cards.every(({ minor }) => minor === undefined)) return null;
  const minors = openedMinors(machine, pid);
  return cards.flatMap(({ index, minor }) =>
    minor !== undefined && minors.has(minor) ? index : [],
  );
}

/** A server may have tens of thousands; the driver's are opened early. */
const MOST_FILES = 1024;

function openedMinors(machine: Machine, pid: number): Set<number> {
  const folder = `${machine.proc}/${pid}/fd`;
  const minors = new Set<number>();
  let files: string[];
  try {
    files = readdirSync(folder);
  } catch {
    return minors; // It is gone, or somebody else's.
  }
  for (const file of files.slice(0, MOST_FILES)) {
    try {
      const match = /^\/dev\/nvidia(\d+)$/.exec(readlinkSync(`${folder}/${file}`));
      if (match) minors.add(Number(match[1]));
    } catch {} // closed in the meantime
  }
  return minors;
}
