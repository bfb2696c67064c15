import type { AgentWord } from './agent-word.ts';
import { heldName, PINNED, ROUNDING } from './inside.ts';
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
  const looked = held?.rows ?? [];
  const sum = (of: string) =>
    looked.reduce((all, row) => all + (row.category === of ? row.bytes : 0), 0);
  const seen = Math.min(bytes, sum(PINNED));
  const rounding = Math.min(bytes - seen, sum(ROUNDING));
  const named = looked
    .filter(({ category }) => category === PINNED)
    .map((row) => ({ name: heldName(row), bytes: Math.min(row.bytes, bytes) }));
  // Where torch does not count what is given back, what no tensor was seen to hold may be either.
  // A torch that counts only what it hands out tells of more than it has.
  const allocated = (pinned.allocated ?? 0) > pinned.reserved ? null : pinned.allocated;
  const inUse = Math.max(seen + rounding, Math.min(bytes, allocated ?? 0));
  const others = seen === 0 ? '' : rounding > 0 ? 'other ' : "torch's rounding, or other ";
  const kept =
    allocated === null
      ? "kept by torch's allocator, or in tensors that were not seen"
      : "kept by torch's allocator";
  const uses = [
    ...named,
    { name: "torch's rounding up to powers of two", bytes: rounding },
    { name: `in ${others}tensors`, bytes: inUse - seen - rounding },
    { name: kept, bytes: bytes - inUse },
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
