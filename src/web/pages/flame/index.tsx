import { useMemo } from 'preact/hooks';
import type { Flame } from '../../../analyses/allocations/flame/index.ts';
import { formatBytes, formatDelta } from '../../../base/bytes.ts';
import { useResource } from '../../parts/resource.ts';
import { Awaited, ErrorBox } from '../../parts/waiting.tsx';
import { useWidth } from '../../parts/width.ts';
import '../map/map.css';
import { SourceLine } from '../map/frames.tsx';
import type { PageProps } from '../page.ts';
import { callersOf, matches } from './boxes.ts';
import { FlameControls, type FlamePayload } from './controls.tsx';
import './flame.css';
import { kindOf, questionOf } from './controls.tsx';
import { FlameGraph, sizeWords } from './graph.tsx';

/** Who made what is live, what was made, or what differs. */
export default function FlamePage(props: PageProps) {
  const { inputs, run, state } = props;
  const others = inputs.runs.filter(
    ({ id, resources }) => id !== run.id && resources.includes('flame'),
  );
  const question = questionOf(state, others[0]?.id);
  const fetched = useResource<FlamePayload>(`run/${run.id}/flame`, question);
  return (
    <div class="flame-page">
      <FlameControls {...props} others={others} payload={fetched.value} />
      {fetched.error && fetched.value && <ErrorBox title="Not answered." text={fetched.error} />}
      <Awaited what="flame graph" fetched={fetched}>
        {(flame) => <FlameBody {...props} flame={flame} />}
      </Awaited>
    </div>
  );
}

function FlameBody({ run, state, setState, flame }: PageProps & { flame: FlamePayload }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const text = state.find ?? '';
  const found = useMemo(() => (text === '' ? null : matches(flame, text)), [flame, text]);
  const node = (name: 'zoom' | 'node') => {
    const value = Number(state[name] ?? -1);
    return Number.isInteger(value) && value < flame.parent.length ? value : -1;
  };
  const chosen = node('node');
  const title = titleOf(state, flame);
  return (
    <div ref={box}>
      <p class="map-words">
        {title}
        {found &&
          `. “${text.slice(0, 60)}” is in ${formatBytes(found.bytes)} of it (${share(found.bytes, flame)}).`}
        {flame.prunedNodes > 0 &&
          ` The ${flame.prunedNodes.toLocaleString('en')} smallest frames are left out.`}
        {node('zoom') >= 0 && (
          <button type="button" onClick={() => setState({ zoom: null })}>
            Show all
          </button>
        )}
      </p>
      <FlameGraph
        flame={flame}
        width={width}
        focus={node('zoom')}
        chosen={chosen}
        found={found?.nodes ?? null}
        title={title}
        name={`${run.name}-flame`}
        onFocus={(zoom) => setState({ zoom: zoom < 0 ? null : zoom })}
        onChoose={(next) => setState({ node: next })}
      />
      {chosen >= 0 && (
        <ChosenFrame flame={flame} node={chosen} zoom={() => setState({ zoom: chosen })} />
      )}
    </div>
  );
}

function ChosenFrame({ flame, node, zoom }: { flame: Flame; node: number; zoom(): void }) {
  return (
    <section class="flame-chosen" aria-label="The chosen frame">
      <p>
        <strong>{sizeWords(flame, node)}</strong>{' '}
        <button type="button" onClick={zoom}>
          Zoom here
        </button>
      </p>
      <ol class="frames">
        {callersOf(flame, node)
          .reverse()
          .slice(0, 30)
          .map((one) => {
            const frame = flame.frames[flame.frame[one]!]!;
            return (
              <li key={one}>
                <bdi class="frame-name">{frame.function.slice(0, 300)}</bdi>
                <SourceLine frame={frame} />
              </li>
            );
          })}
      </ol>
    </section>
  );
}

const share = (bytes: number, flame: Flame) =>
  `${((100 * bytes) / Math.max(1, flame.totalBytes)).toFixed(1)} %`;

function titleOf(state: PageProps['state'], flame: FlamePayload): string {
  const bytes = formatBytes(flame.totalBytes);
  if (flame.totalBeforeBytes !== null) {
    const change = formatDelta(flame.totalBytes - flame.totalBeforeBytes);
    return `${change}: ${formatBytes(flame.totalBeforeBytes)} before, ${bytes} now`;
  }
  if (kindOf(state) === 'allocated') return `${bytes} allocated in the range`;
  const at = state.at === undefined || state.at === 'peak' ? flame.peakEvent : Number(state.at);
  if (at === flame.peakEvent) return `${bytes} live at the peak, by who made it`;
  return `${bytes} live after event ${at.toLocaleString('en')}, by who made it`;
}
