import type { LayoutHeader } from '../../../analyses/allocations/layout.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { count } from '../../../base/text.ts';
import type { Columns } from '../../../model/columns.ts';
import { byStackOrder, kindName } from '../../../model/memory-kinds.ts';
import { kindColor } from '../../../views/chart/palette.ts';
import { useResource } from '../../parts/resource.ts';
import { Awaited } from '../../parts/waiting.tsx';
import { useWidth } from '../../parts/width.ts';
import { theme } from '../../theme.ts';
import '../map/map.css';
import { AllocationPanel } from '../map/panel.tsx';
import { TextField } from '../map/text-field.tsx';
import type { PageProps } from '../page.ts';
import { ORDERS, type Order, SegmentList } from './list.tsx';
import './segments.css';

/** The width of the panel beside the list; on a phone it lies above. */
const PANEL = 372;

/** What the allocator held at one moment: blocks, the holes between them, and what keeps them from being given back. */
export default function SegmentsPage(props: PageProps) {
  const { run, state, setState } = props;
  const fetched = useResource<Columns<LayoutHeader & { index: number }>>(`run/${run.id}/segments`, {
    trace: state.trace,
    at: state.at,
  });
  const [box, width] = useWidth<HTMLDivElement>();
  const narrow = width < 2 * PANEL;
  const row = state.row === undefined ? -1 : Number(state.row);
  const order = ORDERS.find(([one]) => one === state.sort)?.[0] ?? 'pinned';
  return (
    <div class="segments-page" ref={box}>
      <div class="map-controls">
        <TextField
          label="After this event, or peak"
          hint="peak"
          value={state.at}
          width={10}
          check={(text) => /^(|peak|start|\d+)$/.test(text)}
          set={(at) => {
            if (at === null || /^(peak|start|\d+)$/.test(at)) setState({ at, row: null });
          }}
        />
        <select
          aria-label="Order of the segments"
          value={order}
          onChange={(event) => setState({ sort: event.currentTarget.value })}
        >
          {ORDERS.map(([one, words]) => (
            <option key={one} value={one}>
              {words}
            </option>
          ))}
        </select>
      </div>
      {fetched.error && fetched.value && <p class="muted">{fetched.error}</p>}
      <Awaited what="segments" fetched={fetched}>
        {(layout) => (
          <>
            <Words layout={layout.header} />
            <Key layout={layout} />
            <div class={narrow ? 'map-body segments-narrow' : 'map-body'}>
              <SegmentList
                layout={layout}
                order={order as Order}
                width={row >= 0 && !narrow ? width - PANEL : width}
                chosen={row}
                name={`${run.name}-segments`}
                open={(state.open ?? '').split(';').filter(Boolean)}
                setOpen={(keys) => setState({ open: keys.join(';') || null })}
                choose={(next) => setState({ row: next })}
              />
              {row >= 0 && (
                <AllocationPanel
                  run={run.id}
                  trace={Number(state.trace ?? layout.header.index)}
                  row={row}
                  quick={null}
                  close={() => setState({ row: null })}
                />
              )}
            </div>
          </>
        )}
      </Awaited>
    </div>
  );
}

/** What the colours mean; bare ground is free. */
function Key({ layout }: { layout: Columns<LayoutHeader> }) {
  const { reasons } = layout.header;
  const live = new Set(Array.from(layout.u8('reason'), (reason) => reasons[reason]!.category));
  return (
    <ul class="segment-key" aria-label="Categories">
      {[...live].sort(byStackOrder).map((category) => (
        <li key={category}>
          <span class="swatch" style={{ background: kindColor(theme.value, category) }} />
          {kindName(category)}
        </li>
      ))}
      <li>
        <span class="swatch segment-free" />
        free
      </li>
    </ul>
  );
}

function Words({ layout }: { layout: LayoutHeader }) {
  const { segments, reservedBytes, requestedBytes, pinnedBytes, cachedBytes } = layout;
  const when =
    layout.event === layout.peakEvent
      ? 'At the peak'
      : layout.event < 0
        ? 'Before the first event'
        : `After event ${layout.event.toLocaleString('en')}`;
  return (
    <p class="map-words">
      {when}
      {layout.step !== null && ` (step ${layout.step}${layout.phase ? `, ${layout.phase}` : ''})`}:{' '}
      {formatBytes(reservedBytes)} reserved in {count(segments.length, 'segment')},{' '}
      {formatBytes(requestedBytes)} requested by what is live. {formatBytes(pinnedBytes)} are free
      but pinned by live blocks, {formatBytes(cachedBytes)} in segments without any; the largest
      hole is {formatBytes(layout.largestHoleBytes)}.
    </p>
  );
}
