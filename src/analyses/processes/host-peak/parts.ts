import type { AgentWord } from './agent-word.ts';
import type { Mapped } from './mapped.ts';

/** One part of a process: resident bytes, and the largest of what they are. */
export interface HostPart {
  readonly what: HostPartName;
  readonly bytes: number;
  /** The kernel's list of mappings, or the process itself. */
  readonly from: 'mappings' | 'agent';
  /** Of the process's own word: how many seconds after the list of mappings it was. */
  readonly secondsOff: number | null;
  readonly of: readonly { readonly name: string; readonly bytes: number }[];
}

export type HostPartName =
  | 'libraries'
  | 'mapped files'
  | 'shared memory'
  | 'device mappings'
  | 'thread stacks'
  | 'tensors'
  | 'malloc in use'
  | 'malloc free'
  | 'past malloc'
  | 'not told apart'
  | 'heap'
  | 'large blocks'
  | 'small blocks';

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
/** What malloc has in use changes within a step: its word counts only where it is of the same moment. */
const SAME_MOMENT_SECONDS = 0.1;

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
  const inside = word.malloc || word.tensors ? split(anonymous, word) : anonymous;
  return [...mapped(AS_MAPPED), ...inside]
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes);
}

/** Anonymous memory by the process's own word, of a moment nearby: none can have more than is there. */
function split(anonymous: readonly HostPart[], { malloc, tensors }: AgentWord): HostPart[] {
  let left = anonymous.reduce((sum, { bytes }) => sum + bytes, 0);
  const take = (what: HostPartName, told: number, secondsOff: number, of: HostPart['of'] = []) => {
    const bytes = Math.max(0, Math.min(told, left));
    left -= bytes;
    return { what, bytes, from: 'agent' as const, secondsOff, of };
  };
  const groups = tensors?.groups ?? [];
  const held = groups.reduce((sum, { bytes }) => sum + bytes, 0);
  const inTensors = take(
    'tensors',
    held,
    tensors?.secondsOff ?? 0,
    groups.slice(0, MOST_NAMED).map(({ count, what, holder, bytes }) => ({
      name: `${count} × ${what}${holder === '' ? '' : `, held by ${holder}`}`,
      bytes,
    })),
  );
  if (!malloc || Math.abs(malloc.secondsOff) > SAME_MOMENT_SECONDS) {
    const rest = {
      what: 'not told apart',
      bytes: left,
      from: 'mappings',
      secondsOff: null,
    } as const;
    return [inTensors, { ...rest, of: [] }];
  }
  const { inUse, free, secondsOff } = malloc;
  return [
    inTensors,
    take('malloc in use', inUse - inTensors.bytes, secondsOff),
    take('malloc free', free, secondsOff),
    { what: 'past malloc', bytes: left, from: 'mappings', secondsOff: null, of: [] },
  ];
}
