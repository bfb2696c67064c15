import './traces.css';
import { useState } from 'preact/hooks';
import type { AllocationComparison } from '../../../../analyses/allocations/diff/index.ts';
import { furtherSections, pairWords } from '../../../../views/compare/allocation-diff.ts';
import { RowsTable } from '../../../parts/rows-table.tsx';
import { isOneFile } from '../../../store.ts';
import type { PageProps } from '../../page.ts';
import { CategoryTable } from './category-table.tsx';
import { type LitRow, litOf, litText } from './lit.ts';
import { TracePictures } from './pictures.tsx';
import { SiteTable } from './site-table.tsx';

interface Props extends PageProps {
  readonly allocations: AllocationComparison;
}

/** Allocation traces held against each other: a pair as a picture, and by what it differs. A row lights up both. */
export function TraceComparison(props: Props) {
  const { allocations, state, setState } = props;
  const { differences, devices, notes } = allocations;
  const [pointed, setPointed] = useState<LitRow | null>(null);
  const place = Math.min(Math.max(0, Number(state.pair) || 0), differences.length - 1);
  const pair = differences[place];
  const pinned = litOf(state);
  const lit = pointed ?? pinned;
  const choose = (row: LitRow) =>
    setState({ lit: pinned && litText(pinned) === litText(row) ? null : litText(row) });
  const lights = { lit, pinned, point: setPointed, choose };
  const runs = [...new Set(devices.map(({ run }) => run))];
  return (
    <>
      <div class="row">
        {differences.length > 1 && (
          <label>
            shown{' '}
            <select
              value={String(place)}
              onChange={(event) => setState({ pair: event.currentTarget.value, lit: null })}
            >
              {differences.map((one, i) => (
                <option key={i} value={String(i)}>
                  {pairWords(one).slice(0, 160)}
                </option>
              ))}
            </select>
          </label>
        )}
        {!isOneFile && runs.length > 2 && (
          <label>
            held against{' '}
            <select
              value={state.against ?? ''}
              onChange={(event) =>
                setState({ against: event.currentTarget.value, pair: null, lit: null })
              }
            >
              <option value="">the first</option>
              {runs.map((name) => (
                <option key={name} value={name}>
                  {name.slice(0, 80)}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {pair ? (
        <>
          <TracePictures {...props} {...lights} pair={pair} place={place} />
          <CategoryTable {...props} {...lights} pair={pair} />
          <SiteTable {...props} {...lights} pair={pair} />
        </>
      ) : (
        <p class="muted">
          No device is in two of the traces: there is no pair to draw. Snapshots of one GPU each can
          be held against each other.
        </p>
      )}
      {furtherSections(allocations, pair).map(({ title, rows }) => (
        <section key={title}>
          <h2>{title}</h2>
          <RowsTable label={title} rows={rows} />
        </section>
      ))}
      <ul class="notes">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </>
  );
}
