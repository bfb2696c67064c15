import type { WhatIfRow } from '../../../analyses/allocations/what-if/rows.ts';
import type { WhatIfView } from '../../../analyses/allocations/what-if/view.ts';
import { capitalized } from '../../../base/text.ts';
import type { Columns } from '../../../model/columns.ts';
import { verdictSentence } from '../../../model/verdict.ts';
import { whatIfColumns } from '../../../views/what-if/columns.ts';
import { bestRow, groundLines, setLine } from '../../../views/what-if/lines.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { useResource } from '../../parts/resource.ts';
import { Awaited } from '../../parts/waiting.tsx';
import { isOneFile } from '../../store.ts';
import type { PageProps } from '../page.ts';
import '../tables.css';
import { WhatIfControls } from './controls.tsx';
import { CurveView } from './curve-view.tsx';
import { ReplayProgress } from './replay-progress.tsx';
import { queryOf, whatIfState } from './state.ts';
import './what-if.css';

type View = Columns<
  WhatIfView & { index: number; traces: readonly { index: number; name: string }[] }
>;

/** What the program would have reserved under other settings of torch's allocator, and on another card. */
export default function WhatIfPage(props: PageProps) {
  const { run, state, setState } = props;
  const asked = whatIfState(state);
  // A one-file report has the usual settings only.
  const query = isOneFile ? {} : queryOf(asked, state.trace);
  const fetched = useResource<View>(`run/${run.id}/what-if`, query);
  const { value, loading, error, cancel } = fetched;
  const isCard = asked.card.text !== null;
  return (
    <div class="what-if-page" aria-busy={loading}>
      {value && (
        <p class="headline" data-test="what-if-headline">
          {verdictSentence(value.header.answer.verdict)}
        </p>
      )}
      {!isOneFile && (
        <WhatIfControls
          {...props}
          asked={asked}
          refused={isCard ? error : null}
          card={value?.header.answer.card ?? null}
        />
      )}
      {value && <TraceChoice view={value} setState={setState} />}
      {value && error && !isCard && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {loading && <ReplayProgress run={run.id} query={query} cancel={cancel} />}
      {(value || !loading) && (
        <Awaited what="replay of this trace" fetched={fetched}>
          {(view) => <Answered {...props} view={view} />}
        </Awaited>
      )}
    </div>
  );
}

/** Which GPU, where there are several. */
function TraceChoice({ view, setState }: { view: View } & Pick<PageProps, 'setState'>) {
  const { traces, index } = view.header;
  if (traces.length < 2 || isOneFile) return null;
  return (
    <label>
      Trace{' '}
      <select
        value={index}
        onChange={(event) => setState({ trace: event.currentTarget.value }, 'push')}
      >
        {traces.map((one) => (
          <option key={one.index} value={one.index}>
            {one.name.slice(0, 120)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Answered({ run, state, setState, view }: PageProps & { view: View }) {
  const { answer } = view.header;
  const { rows, notes } = answer;
  const chosen = rows.find(({ conf }) => conf === state.row) ?? bestRow(answer) ?? rows[0]!;
  const line = setLine(answer, chosen);
  // All rows have the same limit, which the picture shows.
  const shown = whatIfColumns(answer).filter(({ key }) => key !== 'limitBytes');
  const columns = shown.map(
    ({ key, head, figure, words, value }): Column<WhatIfRow> => ({
      ...{ key, figure, value },
      head: head || 'outcome',
      cell: (row) =>
        key === 'conf' ? (
          <span class="name code">{words(row)}</span>
        ) : key === 'outcome' && row.diesAt && row.outcomeAtMost !== 'runs' ? (
          <bdi class="alarm">{words(row)}</bdi>
        ) : (
          words(row)
        ),
    }),
  );
  return (
    <>
      <DataTable
        label="settings"
        columns={columns}
        rows={rows}
        keyOf={({ conf }) => conf}
        selected={chosen.conf}
        onSelect={({ conf }) => setState({ row: conf })}
      />
      {line !== null && (
        <p class="set-line">
          To set it: <code data-test="set-line">{line}</code>{' '}
          <CopyButton text={() => line} label="Copy this line" words="Copy" />
        </p>
      )}
      <CurveView {...{ run, state, setState, view }} row={chosen} name={`${run.name}-what-if`} />
      <ul class="notes" aria-label="Notes">
        {groundLines(answer).map((text) => (
          <li key={text}>{text}</li>
        ))}
        {notes.map((note) => (
          <li key={note}>{capitalized(note)}.</li>
        ))}
        {notes.some((note) => note.includes('--')) && (
          <li>
            Flags named here are those of <code>highwater what-if</code>.
          </li>
        )}
      </ul>
    </>
  );
}
