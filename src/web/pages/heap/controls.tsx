import type { HeapView } from '../../../analyses/heap/view.ts';
import { isOneFile } from '../../store.ts';
import type { PageProps } from '../page.ts';

const WAYS = [
  ['kind', 'kind'],
  ['type', 'type'],
  ['module', 'module'],
  ['size', 'size of each'],
  ['rcs', 'who refers to them'],
  ['id', 'single objects'],
] as const;

const SHOWS = [
  ['partition', 'Partition'],
  ['holders', 'What holds most'],
  ['paths', 'Shortest paths'],
  ['difference', 'Difference'],
] as const;

/** Which heap, told apart by what, and what of it is looked at. */
export function HeapControls({ view, state, setState }: PageProps & { view: HeapView }) {
  const { heaps, heap } = view;
  const show = state.show ?? 'partition';
  const others = heaps.filter(({ id }) => id !== heap);
  const shows = SHOWS.filter(([value]) => value !== 'difference' || others.length > 0);
  const usual = (value: string, none: string) => (value === none ? null : value);
  const open = (value: string) => {
    const other = value === 'difference' ? (state.other ?? others[0]!.id) : state.other;
    setState({ show: usual(value, 'partition'), other, sort: null }, 'push');
  };
  return (
    <div class="row">
      {heaps.length > 1 && (
        <label>
          heap{' '}
          <select
            value={heap}
            onChange={(event) => setState({ heap: event.currentTarget.value, at: null })}
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
            value={state.other ?? ''}
            onChange={(event) => setState({ other: event.currentTarget.value })}
          >
            {others.map(({ id, name }) => (
              <option key={id} value={id}>
                {name.slice(-120)}
              </option>
            ))}
          </select>
        </label>
      )}
      {isOneFile && <span class="muted">a one-file report cannot be walked into</span>}
    </div>
  );
}
