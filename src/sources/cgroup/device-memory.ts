import { SECOND_NS } from '../../base/time.ts';
import { TABLES } from '../../model/schema.ts';
import type { TableBuffer } from '../../model/table.ts';
import { type HeldFile, openOrNull, readText } from '../proc.ts';
import type { GroupLocation, Machine, Sampler, Sink, Source, Tick } from '../source.ts';

/** What moves is drawn well at this pace, and a row is written for each region. */
const PAUSE_NS = 0.1 * SECOND_NS;

/**
 * Device memory that a control group is charged for (Linux 6.14, amdgpu and xe): what its processes hold of a card's own
 * memory, each page once. The group is version 2, even where host memory is counted by version 1.
 */
export const deviceMemorySource: Source<DeviceMemorySampler> = {
  id: 'dmem',
  title: "device memory of the workload's control group",
  probe({ cgroup }) {
    const regions = [...lines(readText(`${cgroup}/dmem.capacity`) ?? '')].map(([name]) => name);
    return regions.length > 0
      ? { ok: true, detail: regions.join(', ') }
      : { ok: false, reason: 'this kernel counts no device memory by group (dmem, Linux 6.14)' };
  },
  open({ sink, cgroup }) {
    const folder = cgroup && chargedFolder(cgroup);
    return folder ? new DeviceMemorySampler(sink, folder) : null;
  },
};

/** Where the kernel counts device memory for this group: a group above it counts others as well. */
function chargedFolder({ version, folder }: GroupLocation): string | null {
  if (version !== 2) return null;
  return readText(`${folder}/dmem.current`) === null ? null : folder;
}

/** The smallest limit of the group and those above it, by region; none where there is none. */
export function deviceLimits(
  machine: Machine,
  { version, folder }: GroupLocation,
): Record<string, number> {
  const limits: Record<string, number> = {};
  if (version !== 2) return limits;
  for (let at = folder; at.length >= machine.cgroup.length; at = at.slice(0, at.lastIndexOf('/'))) {
    for (const [region, bytes] of lines(readText(`${at}/dmem.max`) ?? '')) {
      if (bytes !== null) limits[region] = Math.min(limits[region] ?? bytes, bytes);
    }
  }
  return limits;
}

export class DeviceMemorySampler implements Sampler {
  readonly #sink: Sink;
  readonly #table: TableBuffer;
  readonly #buffer = Buffer.alloc(16_384);
  readonly #current: HeldFile | null;
  readonly #peak: HeldFile | null;
  #due = Number.NEGATIVE_INFINITY;

  constructor(sink: Sink, folder: string) {
    this.#sink = sink;
    this.#table = sink.table(TABLES.device_group);
    this.#current = openOrNull(`${folder}/dmem.current`, this.#buffer);
    this.#peak = openOrNull(`${folder}/dmem.peak`, this.#buffer);
  }

  sample({ time, full }: Tick): void {
    if (!full || time < this.#due) return;
    this.#due = time + PAUSE_NS;
    const peaks = new Map(this.#read(this.#peak));
    for (const [region, bytes] of this.#read(this.#current)) {
      this.#table.push([time, this.#sink.intern(region), bytes, peaks.get(region) ?? null]);
    }
  }

  close(): void {
    this.#current?.close();
    this.#peak?.close();
  }

  #read(file: HeldFile | null): Iterable<[string, number | null]> {
    const length = file?.read() ?? -1;
    return lines(this.#buffer.toString('latin1', 0, Math.max(0, length)));
  }
}

/** `drm/0000:03:00.0/vram0 12550144`, or `max`, which is null: no limit. */
function* lines(text: string): Generator<[region: string, bytes: number | null]> {
  for (const [, region, value] of text.matchAll(/^(?:drm\/)?(\S{1,200}) (\d{1,19}|max)$/gm)) {
    const bytes = value === 'max' ? null : Number(value);
    // The kernel's words for no limit: `max`, or all pages that there can be.
    yield [region!, bytes !== null && bytes < 2 ** 53 ? bytes : null];
  }
}
