import type { AgentWord } from './agent-word.ts';
import { heldName, PINNED } from './inside.ts';
import type { Mapped } from './mapped.ts';
import type { HostPart } from './part.ts';

const isNoFile = (name: string): boolean => name.startsWith('/dev/zero');

/**
 * CUDA maps what it pins as shared memory without a file. So do others; how much of it torch has pinned, torch itself tells,
 * and rounds each request up to a power of two: what is kept beyond what was handed out is told as such.
 */
export function partPinned(
  shared: HostPart,
  { rows }: Mapped,
  { pinned, held }: AgentWord,
): HostPart[] {
  const withoutFile = rows
    .filter(({ kind, name }) => kind === 'shared' && isNoFile(name))
    .reduce((sum, { bytes }) => sum + bytes, 0);
  const bytes = Math.min(withoutFile, pinned?.reserved ?? 0);
  if (!pinned || bytes === 0) return [shared];
  const inUse = Math.min(bytes, pinned.allocated);
  const named = (held?.rows ?? [])
    .filter(({ category }) => category === PINNED)
    .map((row) => ({ name: heldName(row), bytes: Math.min(row.bytes, inUse) }));
  const uses = [
    ...(named.length > 0 ? named : [{ name: 'in tensors', bytes: inUse }]),
    { name: "kept by torch's allocator", bytes: bytes - inUse },
  ];
  return [
    {
      what: 'pinned memory',
      bytes,
      from: 'agent',
      secondsOff: pinned.secondsOff,
      of: uses.filter((use) => use.bytes > 0),
    },
    {
      ...shared,
      bytes: shared.bytes - bytes,
      of: shared.of.filter(({ name }) => !isNoFile(name)),
    },
  ];
}
