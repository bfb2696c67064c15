import type { LayerSum } from '../../../analyses/layers/index.ts';
import type { LayersAt } from '../../../analyses/layers/layers-at.ts';
import type { LayerModel } from '../../../analyses/layers/packed.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { kindName } from '../../../model/memory-kinds.ts';
import { layerBarsChart } from '../../../views/chart/bars/layer-bars.ts';
import { kindColor } from '../../../views/chart/palette.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { SaveScene } from '../../parts/save-scene.tsx';
import { theme } from '../../theme.ts';
import type { PageProps } from '../page.ts';
import { NO_LAYER } from './growth.tsx';

interface Props extends Pick<PageProps, 'state' | 'setState'> {
  readonly now: LayersAt;
  readonly model: LayerModel;
  readonly at: number;
  readonly hidden: ReadonlySet<string>;
}

const BAR = 160;

/** A row each layer: a bar, its kinds, its sum. A click shows only that layer's growth. */
export function LayerTable({ now, model, at, hidden, state, setState }: Props) {
  const kinds = now.totals
    .map(({ kind }) => kind)
    .filter((kind) => !hidden.has(kind) && now.layers.some((layer) => layer.kinds[kind]));
  const wanted = (state.filter ?? '').toLowerCase();
  const rows = now.layers
    .map((layer) => withoutHidden(layer, kinds))
    .filter((layer) => layer.bytes > 0 && nameOf(layer).toLowerCase().includes(wanted));
  const most = Math.max(1, ...rows.map(({ bytes }) => bytes));
  const columns: Column<LayerSum>[] = [
    {
      key: 'layer',
      head: 'layer',
      value: nameOf,
      cell: (one) => <bdi class="name">{nameOf(one)}</bdi>,
    },
    {
      key: 'bar',
      head: '',
      value: () => '',
      cell: (one) => <Bar layer={one} kinds={kinds} most={most} />,
    },
    ...kinds.map(
      (kind): Column<LayerSum> => ({
        key: kind,
        head: kindName(kind),
        value: (one) => one.kinds[kind] ?? null,
        cell: (one) => (kind in one.kinds ? formatBytes(one.kinds[kind]!) : '–'),
      }),
    ),
    {
      key: 'all',
      head: 'in all',
      value: (one) => one.bytes,
      cell: (one) => formatBytes(one.bytes),
    },
  ];
  return (
    <section>
      <div class="row">
        <h2>Layers</h2>
        <input
          type="search"
          aria-label="Filter layers"
          placeholder="filter by name"
          value={state.filter ?? ''}
          onInput={(event) => setState({ filter: event.currentTarget.value })}
        />
        {state.layer !== undefined && (
          <button type="button" onClick={() => setState({ layer: null })}>
            Growth of all layers
          </button>
        )}
        <SaveScene scene={barsOf(model, at, now)} name="layers" />
      </div>
      <DataTable
        label="layers"
        columns={columns}
        rows={rows}
        sort={state.sort ?? '-all'}
        onSort={(sort) => setState({ sort })}
        keyOf={nameOf}
        selected={state.layer}
        onSelect={(one) => setState({ layer: state.layer === nameOf(one) ? null : nameOf(one) })}
        total={sumOf(rows, kinds)}
      />
    </section>
  );
}

const nameOf = ({ layer }: LayerSum) => layer || NO_LAYER;

function withoutHidden(layer: LayerSum, kinds: readonly string[]): LayerSum {
  const own = Object.entries(layer.kinds).filter(([kind]) => kinds.includes(kind));
  return {
    layer: layer.layer,
    kinds: Object.fromEntries(own),
    bytes: own.reduce((sum, [, bytes]) => sum + bytes, 0),
  };
}

function sumOf(rows: readonly LayerSum[], kinds: readonly string[]): LayerSum {
  const all = (kind: string) => rows.reduce((sum, row) => sum + (row.kinds[kind] ?? 0), 0);
  return {
    layer: `${rows.length} in all`,
    kinds: Object.fromEntries(kinds.map((kind) => [kind, all(kind)])),
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
  };
}

function Bar({ layer, kinds, most }: { layer: LayerSum; kinds: readonly string[]; most: number }) {
  let from = 0;
  return (
    <svg class="bar" width={BAR} height={12} aria-hidden="true">
      {layer.bytes <= most &&
        kinds.map((kind) => {
          const x = from;
          const width = ((layer.kinds[kind] ?? 0) / most) * BAR;
          from += width;
          return (
            <rect key={kind} x={x} width={width} height={12} fill={kindColor(theme.value, kind)} />
          );
        })}
    </svg>
  );
}

/** The picture that `plot --layers` draws, of this iteration. */
function barsOf({ history, when }: LayerModel, at: number, now: LayersAt) {
  const { pid, rank } = history;
  return layerBarsChart(
    {
      ...{ pid, rank, iterations: 1, at: when[at]!, peak: now.peak },
      totals: now.totals.map((total) => ({ ...total, growth: null })),
      layers: now.layers,
      parts: now.parts,
      accounting: null,
    },
    { title: 'Memory of each layer', theme: theme.value },
  );
}

interface KeyProps {
  readonly totals: LayersAt['totals'];
  readonly hidden: ReadonlySet<string>;
  toggle(kind: string): void;
}

/** The kinds with their colours and sums; a click leaves one out. */
export function KindKey({ totals, hidden, toggle }: KeyProps) {
  return (
    <fieldset class="plain chips" aria-label="Kinds">
      {totals.map(({ kind, bytes }) => (
        <button
          key={kind}
          type="button"
          aria-pressed={!hidden.has(kind)}
          title={hidden.has(kind) ? 'Show it again' : 'Leave it out'}
          onClick={() => toggle(kind)}
        >
          <span class="swatch" style={{ background: kindColor(theme.value, kind) }} />
          {`${kindName(kind)} · ${formatBytes(bytes)}`}
        </button>
      ))}
    </fieldset>
  );
}
