import type { GpuProcess } from './accounting.ts';
import type { CardHeadline } from './headline.ts';
import { outsideParts } from './outside-parts.ts';
import type { OutsideByProcess } from './outside-told.ts';
import type { Part } from './part.ts';
import {
  NEAR_NS,
  type OutsideTorch,
  type TorchDevice,
  type TorchOnCards,
} from './torch-on-cards.ts';

export const LIVE = 'live';

/** What this workload's processes held: by the driver's list, and as parts. They differ where no sample saw the peak. */
export function ownParts(
  processes: readonly GpuProcess[],
  headline: CardHeadline,
  listedNs: number,
  { gpu, torch }: { readonly gpu: number; readonly torch: TorchOnCards },
): { readonly listed: readonly Part[]; readonly parts: readonly Part[] } {
  const listed = processes.map(
    ({ bytes }): Part => ({
      what: 'this workload',
      bytes: bytes ?? 0,
      from: 'driver',
      ns: listedNs,
      pid: null,
    }),
  );
  const parts = processes.flatMap(({ pid }, i): Part[] => {
    const whole = listed[i]!;
    // A process has one allocator for each card.
    const device = torch.of(gpu).find((one) => one.pid === pid);
    const outside = device ? torch.outside(gpu, device, headline.ns) : null;
    if (!device) return [whole];
    if (outside && headline.of === 'torch' && device.peak.ns === headline.ns) {
      const { bytes, ns } = device.peak;
      return [
        ...outsideParts(outsidePart(outside), device, torch.told, false),
        { what: LIVE, bytes, from: "torch's peak counter", ns, pid: null },
      ];
    }
    return insideTorch(device, whole, outside, torch.told);
  });
  return { listed, parts: summed(parts) };
}

/**
 * Live and free by the nearest reading at which torch had reserved just as much as the driver's figure says; else by the
 * nearest one, where what moved in between cannot be told from context and libraries.
 */
function insideTorch(
  device: TorchDevice,
  whole: Part,
  outside: OutsideTorch | null,
  told: OutsideByProcess,
): Part[] {
  const away = (row: number) => Math.abs(device.times[row]! - whole.ns);
  const near = [...device.times.keys()]
    .filter((row) => away(row) <= NEAR_NS && device.reserved[row]! <= whole.bytes)
    .sort((a, b) => away(a) - away(b));
  const same = near.find((row) => outside && device.reserved[row] === whole.bytes - outside.bytes);
  const row = same ?? near[0];
  if (row === undefined) return [{ ...whole, what: 'this workload, not known what of it' }];
  const [live, reserved, ns] = [device.allocated[row]!, device.reserved[row]!, device.times[row]!];
  const byTorch = { from: 'torch', ns, pid: null };
  const rest = {
    bytes: whole.bytes - reserved,
    ns: same === undefined ? whole.ns : outside!.ns,
  };
  return [
    ...outsideParts(outsidePart(rest), device, told, same === undefined),
    { ...byTorch, what: 'reserved but free', bytes: reserved - live },
    { ...byTorch, what: LIVE, bytes: live, requestedBytes: device.requested[row]! },
  ];
}

const outsidePart = ({ bytes, ns }: OutsideTorch): Part => ({
  what: '',
  bytes,
  from: "driver less torch's reserved",
  ns,
  pid: null,
});

/** Several processes' parts of one kind are one; its moment is that of the largest. */
function summed(parts: readonly Part[]): Part[] {
  const found = new Map<string, Part>();
  for (const part of parts) {
    const known = found.get(part.what);
    if (!known) {
      found.set(part.what, part);
      continue;
    }
    const largest = known.bytes >= part.bytes ? known : part;
    // Of several processes, no snapshot has it all.
    const { requestedBytes: _, ...rest } = largest;
    found.set(part.what, { ...rest, bytes: known.bytes + part.bytes });
  }
  return [...found.values()];
}
