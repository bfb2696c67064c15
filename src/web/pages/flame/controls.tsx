import type { Arrangement } from '../../../analyses/allocations/flame/arranged.ts';
import type { Flame } from '../../../analyses/allocations/flame/index.ts';
import type { ProfileMoment } from '../../../model/allocations/live-stacks.ts';
import type { InputInfo } from '../../../model/inputs-info.ts';
import type { PageState } from '../../address.ts';
import type { Query } from '../../store.ts';
import type { TraceChoices } from '../map/controls.tsx';
import { TextField } from '../map/text-field.tsx';
import type { PageProps } from '../page.ts';

/** The server's answer: the tree, and what else could be asked of the trace. */
export interface FlamePayload extends Flame, TraceChoices {
  readonly peakEvent: number;
  readonly events: number;
  /** What was in use at this one moment, by a heap profile: there is no other to choose, and nobody knows what it was for. */
  readonly profile?: ProfileMoment;
}

interface Props extends PageProps {
  readonly others: readonly InputInfo[];
  readonly payload: FlamePayload | null;
}

/** Nodes of one answer mean nothing in another. */
const FRESH = { zoom: null, node: null };

export function FlameControls({ state, setState, others, payload }: Props) {
  const kind = kindOf(state);
  const profile = payload?.profile !== undefined;
  const event = (name: string, label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      value={state[name]}
      width={9}
      check={(text) => isMoment(text, payload?.events ?? Number.POSITIVE_INFINITY)}
      set={(text) => {
        if (text === null || isMoment(text, payload?.events ?? 0))
          setState({ [name]: text, ...FRESH });
      }}
    />
  );
  return (
    <div class="map-controls">
      {payload && payload.traces.length > 1 && (
        <select
          aria-label="Trace"
          value={payload.index}
          onChange={(change) => setState({ trace: change.currentTarget.value, ...FRESH }, 'push')}
        >
          {payload.traces.map(({ index, name }) => (
            <option key={index} value={index}>
              {name}
            </option>
          ))}
        </select>
      )}
      <select
        aria-label="What is counted"
        value={kind}
        onChange={(change) => setState({ kind: change.currentTarget.value, ...FRESH }, 'push')}
      >
        {kindsOf(others.length > 0, profile).map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
      {!profile && kind !== 'allocated' && event('at', 'After this event, or peak', 'peak')}
      {kind === 'change' && event('against', 'Compared with this event, start or peak', 'start')}
      {kind === 'allocated' && (
        <>
          {event('from', 'From this event', 'first')}
          {event('to', 'To this event', 'last')}
        </>
      )}
      {kind === 'runs' && (
        <select
          aria-label="Compared with"
          value={state.other ?? others[0]?.id}
          onChange={(change) => setState({ other: change.currentTarget.value, ...FRESH })}
        >
          {others.map(({ id, name }) => (
            <option key={id} value={id}>
              {name.slice(0, 100)}
            </option>
          ))}
        </select>
      )}
      <select
        aria-label="How stacks are arranged"
        value={arrangementOf(state)}
        onChange={(change) => {
          const { value } = change.currentTarget;
          setState({ view: value === 'own' ? null : value, ...FRESH }, 'push');
        }}
      >
        {ARRANGEMENTS.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
      {!profile && (
        <>
          <label>
            <input
              type="checkbox"
              checked={state.by === 'category'}
              onChange={(change) =>
                setState({ by: change.currentTarget.checked ? 'category' : null, ...FRESH })
              }
            />{' '}
            category first
          </label>
          <label>
            <input
              type="checkbox"
              checked={state.native === '1'}
              onChange={(change) =>
                setState({ native: change.currentTarget.checked ? '1' : null, ...FRESH })
              }
            />{' '}
            C++ frames
          </label>
        </>
      )}
      <TextField
        label="Search for functions and files"
        hint="search"
        value={state.find}
        width={14}
        set={(find) => setState({ find })}
      />
    </div>
  );
}

const isMoment = (text: string, events: number) =>
  text === '' ||
  text === 'peak' ||
  text === 'start' ||
  (/^\d+$/.test(text) && Number(text) < events);

/** What is counted: live at a moment, made in a range, or how two moments or runs differ. */
type FlameKind = 'live' | 'allocated' | 'change' | 'runs';

const KINDS: readonly (readonly [FlameKind, string])[] = [
  ['live', 'Live at a moment'],
  ['allocated', 'Allocated in a range'],
  ['change', 'Two moments'],
  ['runs', 'Two runs'],
];

const kindsOf = (others: boolean, profile: boolean) =>
  KINDS.filter(([one]) => (one === 'runs' ? others : one === 'live' || !profile));

const ARRANGEMENTS: readonly (readonly [Arrangement, string])[] = [
  ['own', 'Own code first'],
  ['called', 'As it was called'],
  ['callees', 'Inverted, innermost first'],
  ['modules', 'By package and file'],
];

export function arrangementOf(state: PageState): Arrangement {
  return ARRANGEMENTS.find(([one]) => one === state.view)?.[0] ?? 'own';
}

export function kindOf(state: PageState): FlameKind {
  return KINDS.find(([kind]) => kind === state.kind)?.[0] ?? 'live';
}

/** Only what the kind of question needs; events are positions in the trace. */
export function questionOf(state: PageState, firstOther: string | undefined): Query {
  const common = { trace: state.trace, native: state.native };
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
