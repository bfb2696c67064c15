import { describeError } from '../../../../base/errors.ts';
import type { Availability } from '../../../../model/run.ts';
import type { Machine, Sink, Source } from '../../../source.ts';
import type { GpuEvents } from '../../backend.ts';
import { bindNvml, type Nvml } from './binding.ts';
import { CODE } from './constants.ts';
import { findDevices } from './device.ts';
import { findLibrary } from './library.ts';
import { NvmlSampler } from './sampler.ts';

export { findLibrary } from './library.ts';
export type { NvmlSampler } from './sampler.ts';

export interface NvmlOptions {
  /** Path of the library. */
  readonly library: string;
  readonly events: GpuEvents;
}

/** NVIDIA's management library: the driver itself, asked in microseconds. */
export const nvmlSource: Source<NvmlOptions, NvmlSampler> = {
  id: 'nvml',
  title: "GPU memory (NVIDIA's management library)",
  probe: () => probeNvml(),
  open: (_machine: Machine, sink: Sink, { library, events }: NvmlOptions) =>
    new NvmlSampler(startNvml(library), sink, events),
};

/** Loads and starts the library, which may take seconds; throws with a reason in plain words. */
function startNvml(library: string): Nvml {
  let nvml: Nvml;
  try {
    nvml = bindNvml(library);
  } catch (error) {
    throw new Error(`${library} cannot be loaded: ${describeError(error)}`);
  }
  const code = nvml.init();
  if (code !== CODE.ok) throw new Error(`the NVIDIA driver does not answer: ${nvml.words(code)}`);
  return nvml;
}

function probeNvml(): Availability {
  const found = findLibrary();
  if ('reason' in found) return { ok: false, reason: found.reason };
  let nvml: Nvml | null = null;
  try {
    nvml = startNvml(found.path);
    const { devices, driver } = findDevices(nvml);
    if (devices.length === 0) return { ok: false, reason: `driver ${driver} has no GPU to show` };
    const cards = devices.map(({ card }) => `GPU ${card.index} ${card.name}`);
    return { ok: true, detail: `driver ${driver}: ${cards.join(', ')}` };
  } catch (error) {
    return { ok: false, reason: describeError(error) };
  } finally {
    nvml?.shutdown();
  }
}
