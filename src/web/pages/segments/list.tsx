import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { LayoutHeader, SegmentFacts } from '../../../analyses/allocations/layout.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { count } from '../../../base/text.ts';
import type { Columns } from '../../../model/columns.ts';
import { kindName } from '../../../model/memory-kinds.ts';
import { DARK, kindColor, type Theme } from '../../../views/chart/palette.ts';
import type { Node, Scene } from '../../../views/chart/scene.ts';
import { SaveScene } from '../../parts/save-scene.tsx';
import { SceneView } from '../../parts/scene-view.tsx';
import { theme } from '../../theme.ts';
import { cssColor, SCHEME_COLORS } from '../map/picture/colors.ts';

import { groupWords, type SegmentGroup, segmentGroups } from './groups.ts';

export type Order = 'pinned' | 'size' | 'address';

export const ORDERS: readonly (readonly [Order, string])[] = [
  ['pinned', 'most pinned first'],
  ['size', 'largest first'],
  ['address', 'by address'],
];

interface Props {
  readonly layout: Columns<LayoutHeader>;
  readonly order: Order;
  readonly width: number;
  readonly chosen: number;
  readonly name: string;
  /** Keys of the groups whose segments are shown one by one. */
  readonly open: readonly string[];
  choose(row: number): void;
  setOpen(open: readonly string[]): void;
}

/** The first have a row each; the rest is told by pool, until one opens it. */
const FIRST = 12;
/** A fold for less than this would save nothing. */
const WORTH_FOLDING = 4;

export function SegmentList(props: Props) {
  const { layout, order, width, chosen, name, open, choose, setOpen } = props;
  const { segments } = layout.header;
  const blocks = useMemo(() => blocksBySegment(layout), [layout]);
  const sorted = useMemo(() => [...segments.keys()].sort(by(segments, order)), [layout, order]);
  const folds = sorted.length >= FIRST + WORTH_FOLDING;
  const first = folds ? sorted.slice(0, FIRST) : sorted;
  const groups = useMemo(
    () => (folds ? segmentGroups(layout, sorted.slice(FIRST), blocks) : []),
    [layout, sorted, blocks, folds],
  );
  const most = segments.reduce((size, segment) => Math.max(size, segment.bytes), 1);
  const barWidth = Math.max(200, width - 8);
  const look = { width: barWidth, most, theme: theme.value, chosen };
  const draw = (segment: number) => barScene(layout, segment, blocks[segment]!, look);
  const row = (segment: number) => (
    <Segment
      key={segments[segment]!.address}
      facts={segments[segment]!}
      scene={draw(segment)}
      blockAt={(at) => blockAt(layout, blocks[segment]!, at)}
      choose={choose}
    />
  );
  const mostOfGroups = groups.reduce((size, { bytes }) => Math.max(size, bytes), 1);
  const groupBar = (group: SegmentGroup) => groupScene(group, { ...look, most: mostOfGroups });
  const toggle = (key: string) =>
    setOpen(open.includes(key) ? open.filter((one) => one !== key) : [...open, key]);
  return (
    <div class="segment-list" style={{ width: `${width}px` }}>
      <SaveScene
        name={name}
        scene={segmentsScene(
          [
            ...first.map((i) => ({ scene: draw(i), words: wordsOf(segments[i]!) })),
            ...groups.map((group) => ({ scene: groupBar(group), words: groupWords(group) })),
          ],
          theme.value,
        )}
      />
      {first.map(row)}
      {groups.length > 0 && <h2 class="segment-rest">The rest, by pool and stream</h2>}
      {groups.map((group) => (
        <section key={group.key} class="segment-group" aria-label={group.name}>
          <button
            type="button"
            class="segment-fold"
            aria-expanded={open.includes(group.key)}
            onClick={() => toggle(group.key)}
          >
            {open.includes(group.key) ? '▾ ' : '▸ '}
            {groupWords(group)}
          </button>
          <SceneView scene={groupBar(group)} />
          {open.includes(group.key) && <OpenGroup group={group} row={row} />}
        </section>
      ))}
    </div>
  );
}

/** Thousands of small segments would only make the page slow. */
const AT_ONCE = 200;

function OpenGroup({ group, row }: { group: SegmentGroup; row(segment: number): JSX.Element }) {
  const [shown, setShown] = useState(AT_ONCE);
  const more = group.segments.length - shown;
  return (
    <div class="segment-inside">
      {group.segments.slice(0, shown).map(row)}
      {more > 0 && (
        <button type="button" onClick={() => setShown(shown + AT_ONCE)}>
          Show {count(Math.min(more, AT_ONCE), 'more segment')}
        </button>
      )}
    </div>
  );
}

interface SegmentProps {
  readonly facts: SegmentFacts;
  readonly scene: Scene;
  /** The row of the lifetimes at an offset; -1: a hole. */
  blockAt(at: number): number;
  choose(row: number): void;
}

function Segment({ facts, scene, blockAt, choose }: SegmentProps) {
  const { holder } = facts;
  return (
    <div class="segment">
      <div class="segment-words">
        {wordsOf(facts)}
        {holder && facts.freeBytes > 0 && (
          <button type="button" class="segment-holder" onClick={() => choose(holder.row)}>
            pinned by {formatBytes(holder.bytes)} {kindName(holder.category)},{' '}
            {holder.where.slice(0, 160)}
          </button>
        )}
      </div>
      <button
        type="button"
        class="segment-bar"
        aria-label={`Largest block of ${facts.address}`}
        onClick={(event) => {
          // From the keyboard there is no place in it: the largest block then.
          if (event.detail === 0) {
            if (holder) choose(holder.row);
            return;
          }
          const place = event.currentTarget.getBoundingClientRect();
          const found = blockAt(((event.clientX - place.left) / scene.width) * facts.bytes);
          if (found >= 0) choose(found);
        }}
      >
        <SceneView scene={scene} />
      </button>
    </div>
  );
}

function wordsOf(segment: SegmentFacts): string {
  const holes =
    segment.freeBytes === 0
      ? 'full'
      : `${formatBytes(segment.freeBytes)} free in ${count(segment.holes, 'hole')}, the largest ${formatBytes(segment.largestHoleBytes)}`;
  const kind = segment.expandable ? 'expandable, ' : '';
  return `${segment.address}: ${formatBytes(segment.bytes)}, ${kind}${count(segment.blocks, 'live block')}, ${holes}${segment.pool ? ` · ${segment.pool}` : ''}`;
}

function by(segments: readonly SegmentFacts[], order: Order): (a: number, b: number) => number {
  const pinned = (i: number) => (segments[i]!.holder ? segments[i]!.freeBytes : 0);
  if (order === 'pinned') return (a, b) => pinned(b) - pinned(a) || a - b;
  return order === 'size'
    ? (a, b) => segments[b]!.bytes - segments[a]!.bytes || a - b
    : (a, b) => a - b;
}

/** Positions in the columns; blocks stand there by address. */
function blocksBySegment(layout: Columns<LayoutHeader>): number[][] {
  const found: number[][] = layout.header.segments.map(() => []);
  for (const [i, segment] of layout.u32('segment').entries()) found[segment]!.push(i);
  return found;
}

function blockAt(layout: Columns<LayoutHeader>, blocks: readonly number[], at: number): number {
  const [from, size] = [layout.f64('from'), layout.f64('size')];
  const found = blocks.find((i) => at >= from[i]! && at < from[i]! + size[i]!);
  return found === undefined ? -1 : layout.u32('row')[found]!;
}

const HIGH = 14;
/** The smallest segment can still be seen and hit. */
const NARROWEST = 6;

interface Look {
  readonly width: number;
  /** Bytes of the largest segment, which fills the width. */
  readonly most: number;
  readonly theme: Theme;
  readonly chosen: number;
}

/** One segment: live blocks in the colours of their categories, holes as bare ground. */
function barScene(
  layout: Columns<LayoutHeader>,
  segment: number,
  blocks: readonly number[],
  { width, most, theme, chosen }: Look,
): Scene {
  const { bytes, address } = layout.header.segments[segment]!;
  const ground = theme === DARK ? 'dark' : 'light';
  const wide = Math.max(NARROWEST, (bytes / most) * width);
  const [rows, from, size] = [layout.u32('row'), layout.f64('from'), layout.f64('size')];
  const reasons = layout.u8('reason');
  const held = cssColor(SCHEME_COLORS[ground].held);
  const nodes: Node[] = [{ node: 'rect', x: 0, y: 0, width: wide, height: HIGH, fill: held }];
  const scale = wide / bytes;
  for (const i of blocks) {
    const w = size[i]! * scale;
    const isChosen = rows[i] === chosen;
    const { category } = layout.header.reasons[reasons[i]!]!;
    nodes.push({
      node: 'rect',
      x: from[i]! * scale,
      y: 0,
      width: Math.max(0.3, w > 3 ? w - 0.7 : w),
      height: HIGH,
      fill: isChosen ? cssColor(SCHEME_COLORS[ground].chosen) : kindColor(theme, category),
    });
  }
  const title = `Segment ${address}`;
  return { width: wide, height: HIGH, background: theme.background, title, nodes };
}

/** All that is in a group: what lives by category, then what is free. */
function groupScene(group: SegmentGroup, { width, most, theme }: Look): Scene {
  const ground = theme === DARK ? 'dark' : 'light';
  const wide = Math.max(NARROWEST, (group.bytes / most) * width);
  const held = cssColor(SCHEME_COLORS[ground].held);
  const nodes: Node[] = [{ node: 'rect', x: 0, y: 0, width: wide, height: HIGH, fill: held }];
  let x = 0;
  for (const { category, bytes } of group.live) {
    const w = (bytes / group.bytes) * wide;
    nodes.push({ node: 'rect', x, y: 0, width: w, height: HIGH, fill: kindColor(theme, category) });
    x += w;
  }
  const title = groupWords(group);
  return { width: wide, height: HIGH, background: theme.background, title, nodes };
}

const LINE = 40;

/** All bars below each other with their words, to be kept as one picture. */
function segmentsScene(bars: readonly { scene: Scene; words: string }[], theme: Theme): Scene {
  const nodes = bars.flatMap(({ scene, words }, i): Node[] => [
    { node: 'text', x: 0, y: i * LINE + 14, text: words.slice(0, 200), size: 12, fill: theme.ink },
    ...scene.nodes.map(
      (node): Node => (node.node === 'rect' ? { ...node, y: i * LINE + 19 } : node),
    ),
  ]);
  return {
    width: bars.reduce((most, { scene }) => Math.max(most, scene.width), 600),
    height: Math.max(1, bars.length) * LINE,
    background: theme.background,
    title: 'Segments',
    nodes,
  };
}
