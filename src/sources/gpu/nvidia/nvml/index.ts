import { describeError } from '../../../../base/errors.ts';
import type { Availability } from '../../../../model/run.ts';
import type { GpuBackend, GpuSession } from '../../backend.ts';
import { cardsHeldOpen, cudaVisible } from '../workload.ts';
import { bindNvml, type Nvml } from './binding.ts';
import { CODE } from './constants.ts';
import { findDevices } from './devices.ts';
import { findLibrary } from './library.ts';
import { NvmlSampler } from './sampler.ts';

/** NVIDIA's management library: the driver itself, asked in microseconds. */
export const nvml = {
  id: 'nvml',
  title: "GPU memory (NVIDIA's management library)",
  name: 'NVML',
  means: "the driver's library",
  locate: () => findLibrary(),
  probe: probeNvml,
  open: openNvml,
  visible: cudaVisible,
  heldOpen: cardsHeldOpen,
} as const satisfies GpuBackend;

function openNvml(library: string, session: Pick<GpuSession, 'sink' | 'events'>): NvmlSampler {
  const sampler = new NvmlSampler(startNvml(library), session);
  const { cards, driver } = sampler.findings;
  if (cards.length > 0) return sampler;
  sampler.close();
  throw new Error(`the NVIDIA driver ${driver} has no GPU to show`);
}

/** Loads and starts the library, which may take seconds; throws with a reason in plain words. */
function startNvml(path: string): Nvml {
  let library: Nvml;
  try {
    library = bindNvml(path);
  } catch (error) {
    throw new Error(`${path} cannot be loaded: ${describeError(error)}`);
  }
  const code = library.init();
  if (code !== CODE.ok) {
    throw new Error(`the NVIDIA driver does not answer: ${library.errorText(code)}`);
  }
  return library;
}

function probeNvml(): Availability {
  const found = findLibrary();
  if ('reason' in found) return { ok: false, reason: found.reason };
  let library: Nvml | null = null;
  try {
    library = startNvml(found.path);
    const { devices, driver } = findDevices(library);
    if (devices.length === 0) return { ok: false, reason: `driver ${driver} has no GPU to show` };
    const cards = devices.map(({ card }) => `GPU ${card.index} ${card.name}`);
    return { ok: true, detail: `driver ${driver}: ${cards.join(', ')}` };
  } catch (error) {
    return { ok: false, reason: describeError(error) };
  } finally {
    library?.shutdown();
  }
}
