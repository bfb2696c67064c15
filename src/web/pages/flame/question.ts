import type { PageState } from '../../address.ts';
import type { Query } from '../../store.ts';

/** What is counted: live at a moment, made in a range, or how two moments or runs differ. */
export type FlameKind = 'live' | 'allocated' | 'change' | 'runs';

export const KINDS: readonly (readonly [FlameKind, string])[] = [
  ['live', 'Live at a moment'],
  ['allocated', 'Allocated in a range'],
  ['change', 'Two moments'],
  ['runs', 'Two runs'],
];

export function kindOf(state: PageState): FlameKind {
  return KINDS.find(([kind]) => kind === state.kind)?.[0] ?? 'live';
}

/** Only what the kind of question needs; events are positions in the trace. */
export function questionOf(state: PageState, firstOther: string | undefined): Query {
  const common = { trace: state.trace, by: state.by, native: state.native };
  switch (kindOf(state)) {
    case 'live':
      return { ...common, at: state.at };
    case 'allocated':
      return { ...common, from: state.from ?? 0, to: state.to };
    case 'change':
      return { ...common, at: state.at, against: state.against ?? 'start' };
    case 'runs':
      return { ...common, at: state.at, other: state.other ?? firstOther };
  }
}
