import { useEffect, useRef, useState } from 'preact/hooks';
import { formatBytes } from '../../../base/bytes.ts';
import { DARK } from '../../../views/chart/palette.ts';
import { hrefOf } from '../../address.ts';
import type { Pace } from '../../hands/use-hands.ts';
import { HandsHint } from '../../parts/help.tsx';
import { ErrorBox, ProgressBar } from '../../parts/waiting.tsx';
import { useWidth } from '../../parts/width.ts';
import { theme } from '../../theme.ts';
import type { PageProps } from '../page.ts';
import type { HitFacts, MapClient } from './client.ts';
import { MapControls } from './controls.tsx';
import { filterOf } from './filter-state.ts';
import { type LoadedMap, useMapColumns } from './loading.ts';
import { clamped, wholeOf } from './navigation.ts';
import './map.css';
import type { Extents } from './messages.ts';
import { AllocationPanel } from './panel.tsx';
import type { RowFacts } from './picture/row-facts.ts';
import type { View } from './picture/x-axis.ts';
import { MapSurface } from './surface.tsx';

/** Every allocation of a trace over time, by address or stacked. */
export default function MapPage(props: PageProps) {
  const { run, state } = props;
  const loading = useMapColumns(run, state.trace);
  if (loading.error) return <ErrorBox title="No map of allocations." text={loading.error} />;
  if (!loading.loaded) {
    return <ProgressBar label="Loading every allocation …" cancel={loading.cancel} />;
  }
  return <LoadedPage key={loading.loaded.number} {...props} loaded={loading.loaded} />;
}

/** The address follows a moving view at rest only: browsers count how often it changes. */
const REST_MS = 200;
const PANEL_WIDTH = 360;

function LoadedPage({ run, state, setState, loaded }: PageProps & { loaded: LoadedMap }) {
  const { header } = loaded;
  const [box, width] = useWidth<HTMLDivElement>();
  const [client, setClient] = useState<MapClient | null>(null);
  const [extents, setExtents] = useState<Extents | null>(null);
  const [quick, setQuick] = useState<RowFacts | null>(null);
  const order = state.order === 'address' && header.heightBytes > 0 ? 'address' : 'stacked';
  const axis = state.axis === 'events' || !header.timed ? 'events' : 'time';
  const row = state.row === undefined ? -1 : Number(state.row);
  const dark = theme.value === DARK;

  useEffect(() => {
    if (row >= 0 && quick?.row !== row) void client?.facts(row).then(setQuick);
  }, [row, client]);

  const rest = useRef<ReturnType<typeof setTimeout> | null>(null);
  const onView = (view: View, pace: Pace) => {
    clearTimeout(rest.current ?? undefined);
    const next = viewState(view, extents);
    const isAll = (ends: object) => Object.values(ends).every((end) => end == null);
    // Into a zoom and out of it are steps to go back from, not each on the way.
    const how = isAll(range(state)) !== isAll(next) ? 'push' : 'replace';
    const tell = () => setState(next, how);
    if (pace === 'done') tell();
    else rest.current = setTimeout(tell, REST_MS);
  };
  useEffect(() => () => clearTimeout(rest.current ?? undefined), []);
  const onChoose = ({ hit, facts }: HitFacts) => {
    setQuick(facts);
    setState({ row: hit.row < 0 ? null : hit.row });
  };
  const onUnchoose = () => {
    setState({ row: null });
    return row >= 0;
  };
  const height = Math.max(260, globalThis.innerHeight - 190);
  const view = (all: Extents) => clamped({ ...wholeOf(all, order, axis), ...range(state) }, all);
  // Without a filter it is the peak, which those pages show by themselves.
  const at = extents && extents.shown < loaded.rows ? extents.peakEvent : null;
  return (
    <div class="map-page">
      <MapControls {...{ header, state, order, axis, setState }} scheme={dark ? 'dark' : 'light'} />
      <p class="map-words">
        {words(loaded, extents)} <a href={hrefOf('flame', { at })}>Flame graph</a> ·{' '}
        <a href={hrefOf('segments', { at })}>Segments</a> at the highest moment.{' '}
        <span class="muted">
          <HandsHint />
        </span>
      </p>
      <div class="map-body" ref={box}>
        <MapSurface
          loaded={loaded}
          header={header}
          theme={theme.value}
          filter={filterOf(state, header.timed)}
          wanted={view}
          chosen={row}
          name={`${run.name}-map`}
          width={Math.max(300, row >= 0 ? width - PANEL_WIDTH - 12 : width)}
          height={height}
          {...{ run, onView, onChoose, onUnchoose }}
          trace={state.trace === undefined ? null : Number(state.trace)}
          onExtents={setExtents}
          onClient={setClient}
        />
        {row >= 0 && (
          <AllocationPanel
            run={run.id}
            trace={header.index}
            row={row}
            quick={quick?.row === row ? quick : null}
            close={() => setState({ row: null })}
          />
        )}
      </div>
    </div>
  );
}

function words({ header, rows }: LoadedMap, extents: Extents | null): string {
  const { leftOut } = header;
  const merged = leftOut
    ? ` The ${leftOut.allocations.toLocaleString('en')} smallest are merged, by category, in ${leftOut.stretches.toLocaleString('en')} stretches of time; they are not in the view by address.`
    : '';
  const all = `${(leftOut?.of ?? rows).toLocaleString('en')} allocations`;
  if (!extents || extents.shown === rows) {
    return `${all} in ${header.allEvents.toLocaleString('en')} events, ${formatBytes(header.peakRequestedBytes)} requested at the peak.${merged}`;
  }
  const some = extents.shown.toLocaleString('en');
  return `${some} of ${all} shown, ${formatBytes(extents.stackedBytes)} of them live at once.${merged}`;
}

/** Ends of the view that are not the map's own stand in the address. */
function viewState(view: View, extents: Extents | null): Record<string, number | null> {
  if (!extents) return {};
  const all = wholeOf(extents, view.order, view.axis);
  const ends = ['x0', 'x1', 'y0', 'y1'] as const;
  const near = (end: (typeof ends)[number]) => view[end] === all[end];
  return Object.fromEntries(
    ends.map((end) => [end, near(end) ? null : Number(view[end].toFixed(end[0] === 'x' ? 2 : 0))]),
  );
}

function range(state: PageProps['state']): Partial<View> {
  const found: Record<string, number> = {};
  for (const end of ['x0', 'x1', 'y0', 'y1']) {
    const value = Number(state[end] ?? Number.NaN);
    if (Number.isFinite(value)) found[end] = value;
  }
  return found;
}
