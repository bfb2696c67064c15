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
  return (
    <div class="row">
      {heaps.length > 1 && (
        <label>
          heap{' '}
          <select
            value={heap}
            onChange={(event) => setState({ heap: event.currentTarget.value, other, at: null })}
          >
            {heaps.map(({ id, name }) => (
              <option key={id} value={id}>
                {name.slice(-120)}
              </option>
            ))}
          </select>
        </label>
      )}
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
      {show === 'difference' && (
        <label>
          less{' '}
          <select
            value={other ?? ''}
            onChange={(event) => setState({ heap, other: event.currentTarget.value })}
          >
            {heaps.map(({ id, name }) => (
              <option key={id} value={id}>
                {name.slice(-120)}
              </option>
            ))}
          </select>
        </label>
      )}
      {show === 'difference' && !isOneFile && (
        <button type="button" onClick={() => setState({ heap: other, other: heap })}>
          The other way round
        </button>
      )}
      {isOneFile && <span class="muted">a one-file report cannot be walked into</span>}
    </div>
  );
}
