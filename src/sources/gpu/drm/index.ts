import { formatBytes } from '../../../base/bytes.ts';
import type { Availability, GpuMeasuring } from '../../../model/run.ts';
import type { Machine } from '../../source.ts';
import type { GpuBackend, GpuSession, Located } from '../backend.ts';
import { findDevices, sysOf } from './devices.ts';
import { DRIVERS } from './drivers/index.ts';
import { ComputeFiles } from './kfd.ts';
import { whatMayBeRead } from './permissions.ts';
import { DrmSampler, openCards } from './sampler.ts';

/** AMD's and Intel's cards, by the files of the kernel's graphics drivers (DRM): nothing to load or to start. */
export const drm = {
  id: 'drm',
  title: "GPU memory (the kernel's files: AMD, Intel)",
  name: "the kernel's files",
  means: "the kernel's files",
  locate,
  probe,
  open: (sys, session) => openSampler(sys, session),
  visible,
  // A device file tells little: a program that computes opens those of all cards.
  heldOpen: () => null,
} as const satisfies GpuBackend;

function locate(machine: Machine): Located {
  const sys = sysOf(machine);
  const known = findDevices(sys).some(({ driver }) => DRIVERS.some(({ name }) => name === driver));
  return known ? { path: sys } : { reason: `no AMD or Intel card in ${sys}/class/drm` };
}

function openSampler(
  sys: string,
  session: Pick<GpuSession, 'machine' | 'sink' | 'events' | 'firstIndex'>,
): DrmSampler {
  const sampler = new DrmSampler({ sys, machine: session.machine }, session);
  if (sampler.findings.cards.length > 0) return sampler;
  sampler.close();
  throw new Error(`no AMD or Intel card in ${sys}/class/drm any more`);
}

function probe(machine: Machine): Availability {
  const located = locate(machine);
  if ('reason' in located) return { ok: false, reason: located.reason };
  const files = { sys: located.path, machine };
  const compute = new ComputeFiles(files);
  const cards = openCards(files, compute, 0);
  const lines = cards.map(({ card, device }) => {
    const told =
      card.reason ?? (card.memoryBytes > 0 ? formatBytes(card.memoryBytes) : 'size not told');
    return `GPU ${card.index} ${card.name} at ${device.pci} (${device.driver}): ${told}`;
  });
  const parts = whatMayBeRead(files, cards, compute);
  for (const { opened } of cards) opened.close();
  compute.close();
  return { ok: true, detail: lines.join('; '), parts };
}

/** Programs number AMD's cards as the kernel does; ROCR_VISIBLE_DEVICES stands above what HIP counts on from. */
function visible(
  environment: Readonly<Record<string, string | undefined>>,
): Pick<GpuMeasuring, 'visible' | 'pciOrder'> {
  const told =
    environment.ROCR_VISIBLE_DEVICES ??
    environment.HIP_VISIBLE_DEVICES ??
    environment.CUDA_VISIBLE_DEVICES;
  return { visible: told ?? null, pciOrder: true };
}
