import type { AgentWord } from './agent-word.ts';
import { inside } from './inside.ts';
import type { Mapped } from './mapped.ts';
import type { HostPart, HostPartName } from './part.ts';
import { partPinned } from './pinned.ts';

/** Kinds of mappings that speak for themselves. */
const AS_MAPPED: readonly [kind: string, what: HostPartName][] = [
  ['code', 'libraries'],
  ['files', 'mapped files'],
  ['shared', 'shared memory'],
  ['devices', 'device mappings'],
  ['stacks', 'thread stacks'],
];
/** Anonymous memory: only the process knows what it is. */
const ANONYMOUS: readonly [kind: string, what: HostPartName][] = [
  ['heap', 'heap'],
  ['blocks', 'large blocks'],
  ['smallBlocks', 'small blocks'],
];
const MOST_NAMED = 5;

/** The largest first; they add up to what was resident. */
export function partsOf(mark: Mapped, word: AgentWord): HostPart[] {
  const mapped = (kinds: typeof AS_MAPPED) =>
    kinds.map(([kind, what]): HostPart => {
      const rows = mark.rows.filter((row) => row.kind === kind);
      const named = rows.filter(({ name }) => name !== '').sort((a, b) => b.bytes - a.bytes);
      return {
        what,
        bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
        from: 'mappings',
        secondsOff: null,
        of: named.slice(0, MOST_NAMED).map(({ name, bytes }) => ({ name, bytes })),
      };
    });
  const anonymous = mapped(ANONYMOUS);
  const told = word.malloc || word.python || word.held;
  const asMapped = mapped(AS_MAPPED).flatMap((part) =>
    part.what === 'shared memory' ? partPinned(part, mark, word) : [part],
  );
  return [...asMapped, ...(told ? inside(anonymous, word, mark.ns) : anonymous)]
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes);
}
