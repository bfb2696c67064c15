import { GiB, KiB, MiB } from '../../../base/bytes.ts';

/** What the kernel says of one open graphics device, in /proc/PID/fdinfo/N. */
export interface Client {
  /** The card's PCI address; null where this kernel does not name it. */
  readonly pci: string | null;
  /** Tells descriptors of one client from those of another, on one card; null where this kernel numbers none. */
  readonly id: string | null;
  /** Bytes by region (`vram`, `gtt`, `system0` …); empty where this kernel counts none. */
  readonly regions: ReadonlyMap<string, number>;
}

/**
 * drm-client-id, drm-pdev, drm-resident-vram … of the kernel's standard (Documentation/gpu/drm-usage-stats.rst), and
 * what amdgpu wrote before there was one: pasid, pdev, `vram mem`.
 */
const FIELD =
  /^(?:(drm-client-id|pasid|drm-pdev|pdev)|drm-(resident|memory|total)-([\w-]+)|(vram|gtt) mem):[ \t]*(\S+)(?:[ \t]+(\S+))?[ \t]*$/gm;
/** A bare number is bytes. */
const UNITS: Readonly<Record<string, number>> = { KiB, kB: KiB, MiB, GiB };
/** Of one region the better figure counts: what is there, the older kernels' name for it, what was asked for. */
const RANKS = ['resident', 'memory', 'total'];

export function parseClient(text: string): Client {
  let pci: string | null = null;
  let id: string | null = null;
  const regions = new Map<string, number>();
  const ranks = new Map<string, number>();
  for (const [, key, kind, region, old, value, unit] of text.matchAll(FIELD)) {
    if (key === 'drm-pdev' || key === 'pdev') pci ??= value!;
    else if (key === 'drm-client-id') id = value!;
    else if (key === 'pasid') id ??= `pasid ${value}`;
    else {
      const name = region ?? old!;
      const rank = kind ? RANKS.indexOf(kind) : RANKS.length;
      const bytes = bytesOf(value!, unit);
      if (Number.isNaN(bytes) || rank >= (ranks.get(name) ?? Number.POSITIVE_INFINITY)) continue;
      ranks.set(name, rank);
      regions.set(name, bytes);
    }
  }
  return { pci, id, regions };
}

function bytesOf(value: string, unit: string | undefined): number {
  const size = unit === undefined ? 1 : UNITS[unit];
  const bytes = /^\d+$/.test(value) && size !== undefined ? Number(value) * size : Number.NaN;
  return Number.isSafeInteger(bytes) ? bytes : Number.NaN;
}
