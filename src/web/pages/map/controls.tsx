import { CATEGORIES } from '../../../analyses/allocations/evidence/reasons.ts';
import type { MapHeader } from '../../../analyses/allocations/map/index.ts';
import { byStackOrder, kindName } from '../../../model/memory-kinds.ts';
import type { PageState, StatePatch } from '../../address.ts';
import { isSize, life } from './filter-state.ts';
import { type ColorScheme, categoryColor, cssColor } from './picture/colors.ts';
import type { View } from './picture/x-axis.ts';
import { TextField } from './text-field.tsx';

export interface TraceChoices {
  readonly traces: readonly { readonly index: number; readonly name: string }[];
  readonly index: number;
}

interface Props {
  readonly header: MapHeader & TraceChoices;
  readonly state: PageState;
  readonly order: View['order'];
  readonly axis: View['axis'];
  readonly scheme: ColorScheme;
  setState(patch: StatePatch, how?: 'replace' | 'push'): void;
}

/** Another axis or order is another picture: its range means nothing there. */
const ACROSS = { x0: null, x1: null };
const UP = { y0: null, y1: null };

export function MapControls({ header, state, order, axis, scheme, setState }: Props) {
  const { traces, index } = header;
  return (
    <div class="map-controls">
      {traces.length > 1 && (
        <select
          aria-label="Trace"
          value={index}
          onChange={(event) =>
            setState({ trace: event.currentTarget.value, row: null, ...ACROSS, ...UP }, 'push')
          }
        >
          {traces.map((one) => (
            <option key={one.index} value={one.index}>
              {one.name.slice(0, 200)}
            </option>
          ))}
        </select>
      )}
      <Switch
        label="Order"
        value={order}
        choices={[
          ['stacked', 'Stacked'],
          ['address', 'By address'],
        ]}
        disabled={header.heightBytes === 0 ? 'address' : undefined}
        choose={(value) => setState({ order: value, ...UP }, 'push')}
      />
      <Switch
        label="Across"
        value={axis}
        choices={[
          ['time', 'Time'],
          ['events', 'Events'],
        ]}
        disabled={header.timed ? undefined : 'time'}
        choose={(value) => setState({ axis: value, ...ACROSS }, 'push')}
      />
      <TextField
        label="Text in stack or tag"
        hint="stack or tag"
        value={state.text}
        width={16}
        set={(text) => setState({ text })}
      />
      <TextField
        label="At least this large"
        hint="≥ size"
        value={state.min}
        check={isSize}
        set={(min) => setState({ min })}
      />
      <TextField
        label="At most this large"
        hint="≤ size"
        value={state.max}
        check={isSize}
        set={(max) => setState({ max })}
      />
      <TextField
        label={header.timed ? 'Lived at least (5ms, 1s)' : 'Lived at least so many events'}
        hint="≥ life"
        value={state.longer}
        check={(text) => text === '' || life(text, true) !== undefined}
        set={(longer) => setState({ longer })}
      />
      <TextField
        label={header.timed ? 'Lived at most (5ms, 1s)' : 'Lived at most so many events'}
        hint="≤ life"
        value={state.shorter}
        check={(text) => text === '' || life(text, true) !== undefined}
        set={(shorter) => setState({ shorter })}
      />
      <PoolChoice header={header} state={state} setState={setState} />
      <Kinds header={header} state={state} scheme={scheme} setState={setState} />
    </div>
  );
}

function PoolChoice({ header, state, setState }: Pick<Props, 'header' | 'state' | 'setState'>) {
  // Events and segments may name the same pool in two ways.
  const names = header.pools.slice(0, -1);
  if (new Set(names).size < 2) return null;
  return (
    <select
      aria-label="Pool"
      value={state.pool ?? ''}
      onChange={(event) => setState({ pool: event.currentTarget.value })}
    >
      <option value="">all pools</option>
      {names.map((name, i) => (
        <option key={i} value={i}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** The legend; a click on a colour leaves its allocations out, or takes them in again. */
function Kinds({ header, state, scheme, setState }: Omit<Props, 'order' | 'axis'>) {
  const present = CATEGORIES.filter((category) =>
    header.reasons.some((reason) => reason.category === category),
  ).sort(byStackOrder);
  const shown = state.kinds === undefined ? present : state.kinds.split(',');
  const toggle = (category: string) => {
    const next = present.filter((one) => (one === category) !== shown.includes(one));
    setState({ kinds: next.length === present.length ? null : next.join(',') || 'none' });
  };
  return (
    <fieldset class="map-kinds" aria-label="Categories">
      {present.map((category) => (
        <button
          key={category}
          type="button"
          class="map-kind"
          aria-pressed={shown.includes(category)}
          onClick={() => toggle(category)}
        >
          <span class="swatch" style={{ background: cssColor(categoryColor(scheme, category)) }} />
          {kindName(category)}
        </button>
      ))}
    </fieldset>
  );
}

function Switch<T extends string>(props: {
  label: string;
  value: T;
  choices: readonly (readonly [T, string])[];
  disabled?: T;
  choose(value: T): void;
}) {
  return (
    <fieldset class="map-switch" aria-label={props.label}>
      {props.choices.map(([value, words]) => (
        <button
          key={value}
          type="button"
          aria-pressed={props.value === value}
          disabled={props.disabled === value}
          onClick={() => props.choose(value)}
        >
          {words}
        </button>
      ))}
    </fieldset>
  );
}
