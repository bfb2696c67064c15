import type { DeviceDifference, SiteChange } from '../../../../analyses/allocations/diff/index.ts';
import { formatBytes, formatDelta } from '../../../../base/bytes.ts';
import { kindName } from '../../../../model/memory-kinds.ts';
import { kindColor } from '../../../../views/chart/palette.ts';
import {
  delta,
  RESIDUE,
  restWords,
  siteTitle,
  statusWords,
} from '../../../../views/compare/allocation-diff.ts';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { theme } from '../../../theme.ts';
import { FrameList } from '../../map/frames.tsx';
import type { PageProps } from '../../page.ts';
import type { Lights } from './lights.ts';
import { litText } from './lit.ts';

type Row = SiteChange & { readonly place: number };

interface Props extends PageProps, Lights {
  readonly pair: DeviceDifference;
}

/** What grew and what shrank, by who made it; the stack of the chosen row below. */
export function SiteTable({ pair, state, setState, ...lights }: Props) {
  const { pinned, point, choose } = lights;
  const { shown, rest } = pair.sites;
  const title = siteTitle(pair);
  const rows = shown.map((site, place): Row => ({ ...site, place }));
  const litBy = ({ place }: Row) => ({ what: 'site', site: place }) as const;
  const chosen = pinned?.what === 'site' ? rows[pinned.site] : undefined;
  return (
    <section>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p class="muted">Every call stack holds as much in both.</p>
      ) : (
        <DataTable
          label={title}
          columns={columnsFor(pair)}
          rows={rows}
          sort={state.tsort}
          onSort={(tsort) => setState({ tsort })}
          keyOf={(row) => litText(litBy(row))}
          selected={pinned ? litText(pinned) : undefined}
          onSelect={(row) => choose(litBy(row))}
          onPoint={(row) => point(row && litBy(row))}
        />
      )}
      <p class="muted">
        {rest.sites > 0 && `${restWords(pair)}. `}
        {pair.residueBytes !== 0 && `${formatDelta(pair.residueBytes)}: ${RESIDUE}. `}
        {`In all ${delta(pair.peakRequestedBytes)}, the difference of the peaks.`}
      </p>
      {chosen && (
        <div class="lit-stack" data-test="lit-stack">
          <h3>
            <bdi class="name">{chosen.where.slice(0, 300)}</bdi>
          </h3>
          {chosen.frames.length === 0 ? (
            <p class="muted">Nobody recorded who made it: the stack is not known.</p>
          ) : (
            <FrameList frames={chosen.frames} />
          )}
        </div>
      )}
    </section>
  );
}

const columnsFor = ({ a, b }: DeviceDifference): Column<Row>[] => [
  {
    key: 'where',
    head: 'where',
    value: ({ tag, where }) => (tag ? `${tag}: ${where}` : where),
    cell: ({ tag, where }) => (
      <bdi class="name code">{(tag ? `${tag}: ${where}` : where).slice(0, 300)}</bdi>
    ),
  },
  {
    key: 'a',
    head: a.slice(0, 60),
    value: ({ bytes }) => bytes.a,
    cell: ({ bytes }) => formatBytes(bytes.a),
  },
  {
    key: 'b',
    head: b.slice(0, 60),
    value: ({ bytes }) => bytes.b,
    cell: ({ bytes }) => formatBytes(bytes.b),
  },
  {
    key: 'difference',
    head: 'difference',
    value: ({ bytes }) => bytes.difference,
    cell: ({ bytes }) => delta(bytes),
  },
  {
    key: 'blocks',
    head: 'blocks',
    figure: true,
    value: ({ allocations }) => allocations.difference,
    cell: ({ allocations }) => `${allocations.a} → ${allocations.b}`,
  },
  { key: 'what', head: 'what', value: statusWords },
  {
    key: 'category',
    head: 'category',
    value: ({ category }) => kindName(category),
    cell: ({ category }) => (
      <>
        <span class="swatch" style={{ background: kindColor(theme.value, category) }} />{' '}
        {kindName(category)}
      </>
    ),
  },
];
