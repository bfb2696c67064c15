import { describeError } from '../../../../base/errors.ts';
import type { Availability } from '../../../../model/run.ts';
import { type Machine, THIS_MACHINE } from '../../../source.ts';
import type { GpuBackend, GpuSession } from '../../backend.ts';
import { cardsHeldOpen, cudaVisible } from '../workload.ts';
import { bindNvml, type Nvml } from './binding.ts';
import { CODE } from './constants.ts';
import { findDevices } from './devices.ts';
import { findLibrary } from './library.ts';
import { MachineMemory } from './machine-memory.ts';
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

function openNvml(
  library: string,
  session: Pick<GpuSession, 'sink' | 'events'> & Partial<Pick<GpuSession, 'machine'>>,
): NvmlSampler {
  const started = startNvml(library);
  const machine = new MachineMemory(session.machine ?? THIS_MACHINE);
  const sampler = new NvmlSampler(started, machine, session);
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

function probeNvml(machine: Machine): Availability {
  const found = findLibrary();
  if ('reason' in found) return { ok: false, reason: found.reason };
  let library: Nvml | null = null;
  try {
    library = startNvml(found.path);
    const memory = new MachineMemory(machine);
    const { devices, driver } = findDevices(library, memory);
    memory.close();
    if (devices.length === 0) return { ok: false, reason: `driver ${driver} has no GPU to show` };
    const cards = devices.map(({ card, unified }) => {
      const what =
        card.reason ?? (unified ? 'has no memory of its own, takes the machine’s' : null);
      return `GPU ${card.index} ${card.name}${what ? ` (${what})` : ''}`;
    });
    return { ok: true, detail: `driver ${driver}: ${cards.join(', ')}` };
  } catch (error) {
    return { ok: false, reason: describeError(error) };
  } finally {
    library?.shutdown();
  }
}
