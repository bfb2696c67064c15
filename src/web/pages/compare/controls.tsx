import type { Comparison } from '../../../analyses/compare/index.ts';
import { seriesLabel } from '../../../model/series-label.ts';
import { isOneFile } from '../../store.ts';
import type { PageProps } from '../page.ts';
import type { FetchedOverlay } from './overlay-plot.tsx';

const ALIGNS = [
  ['', 'at the start'],
  ['first-iteration', 'at the first iteration'],
  ['iteration', 'by iteration number'],
] as const;

interface Props extends PageProps {
  readonly comparison: Comparison;
  readonly overlay: FetchedOverlay;
}

/** What is compared, and where the runs are laid on each other; all of it is in the address. */
export function CompareControls({ state, setState, comparison, overlay }: Props) {
  const series = overlay.value?.header.seriesNames ?? [];
  return (
    <div class="row">
      <label>
        aligned{' '}
        <select
          value={state.align ?? ''}
          onChange={(event) => setState({ align: event.currentTarget.value, from: null, to: null })}
        >
          {ALIGNS.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label>
        <input
          type="checkbox"
          checked={state.absolute === undefined}
          onChange={(event) => setState({ absolute: event.currentTarget.checked ? null : 1 })}
        />{' '}
        above each run's baseline
      </label>
      {!isOneFile && series.length > 0 && (
        <label>
          series{' '}
          <select
            value={state.series ?? ''}
            onChange={(event) => setState({ series: event.currentTarget.value })}
          >
            <option value="">
              {comparison.series ? `as found: ${comparison.series}` : 'as found'}
            </option>
            {series.map((name) => (
              <option key={name} value={name}>
                {`${name}: ${seriesLabel(name)}`}
              </option>
            ))}
          </select>
        </label>
      )}
      {!isOneFile && comparison.runs.length > 1 && (
        <label>
          differences from{' '}
          <select
            value={state.against ?? ''}
            onChange={(event) => setState({ against: event.currentTarget.value })}
          >
            <option value="">each other</option>
            {comparison.runs.map(({ name }) => (
              <option key={name} value={name}>
                {name.slice(0, 80)}
              </option>
            ))}
          </select>
        </label>
      )}
      {state.from !== undefined && (
        <button type="button" onClick={() => setState({ from: null, to: null })}>
          Whole length
        </button>
      )}
    </div>
  );
}
