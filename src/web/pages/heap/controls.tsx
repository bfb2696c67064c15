import type { HeapView } from '../../../analyses/heap/view.ts';
import { isOneFile } from '../../store.ts';
import type { PageProps } from '../page.ts';
import { type Show, shownOf, usualShow } from './state.ts';

const WAYS = [
  ['kind', 'kind'],
  ['type', 'type'],
  ['module', 'module'],
  ['size', 'size of each'],
  ['rcs', 'who refers to them'],
  ['id', 'single objects'],
] as const;

const SHOWS: readonly (readonly [Show, string])[] = [
  ['difference', 'What grew'],
  ['partition', 'Partition'],
  ['holders', 'What holds most'],
  ['paths', 'Shortest paths'],
];

/** Which heap, told apart by what, and what of it is looked at. */
export function HeapControls({ inputs, view, state, setState }: PageProps & { view: HeapView }) {
  const { heaps, heap, other } = view;
  const show = shownOf(inputs, state);
  const shows = SHOWS.filter(([value]) => value !== 'difference' || heaps.length > 1);
  const usual = (value: string, none: string) => (value === none ? null : value);
  const open = (value: Show) =>
    setState({ show: usual(value, usualShow(inputs)), other: null, sort: null }, 'push');
  const nameOf = (wanted: string) => heaps.find(({ id }) => id === wanted)?.name.slice(-120) ?? '';
  const choice = (label: string, value: string, choose: (id: string) => void) =>
    isOneFile ? (
      <span>
        {label} <bdi class="name">{nameOf(value)}</bdi>
      </span>
    ) : (
      <label>
        {label}{' '}
        <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
          {heaps.map(({ id }) => (
            <option key={id} value={id}>
              {nameOf(id)}
            </option>
          ))}
        </select>
      </label>
    );
  return (
    <div class="row">
      <fieldset class="plain tabs" aria-label="What to show">
        {shows.map(([value, words]) => (
          <button
            key={value}
            type="button"
            aria-pressed={value === show}
            onClick={() => open(value)}
          >
            {words}
          </button>
        ))}
      </fieldset>
      {heaps.length > 1 && choice('heap', heap, (id) => setState({ heap: id, other, at: null }))}
      {show === 'difference' && (
        <>
          {choice('less', other ?? '', (id) => setState({ heap, other: id }))}
          {!isOneFile && (
            <button type="button" onClick={() => setState({ heap: other, other: heap })}>
              The other way round
            </button>
          )}
        </>
      )}
      {(show === 'partition' || show === 'difference') && (
        <label>
          by{' '}
          <select
            value={state.by ?? 'kind'}
            onChange={(event) => setState({ by: usual(event.currentTarget.value, 'kind') })}
          >
            {WAYS.filter(([way]) => show === 'partition' || way !== 'id').map(([way, words]) => (
              <option key={way} value={way}>
                {words}
              </option>
            ))}
          </select>
        </label>
      )}
      {isOneFile && <span class="muted">a one-file report cannot be walked into</span>}
    </div>
  );
}
