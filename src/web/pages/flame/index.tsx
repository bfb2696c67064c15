import { useMemo } from 'preact/hooks';
import { type ArrangedFlame, arranged } from '../../../analyses/allocations/flame/arranged.ts';
import type { Flame } from '../../../analyses/allocations/flame/index.ts';
import { formatBytes, formatDelta } from '../../../base/bytes.ts';
import { count, percent } from '../../../base/text.ts';
import { MOMENT_WORDS } from '../../../model/allocations/live-stacks.ts';
import { NO_STACK } from '../../../model/allocations/stack-path.ts';
import { useResource } from '../../parts/resource.ts';
import { Awaited, ErrorBox } from '../../parts/waiting.tsx';
import { useWidth } from '../../parts/width.ts';
import '../map/map.css';
import { SourceLine } from '../map/frames.tsx';
import type { PageProps } from '../page.ts';
import { callersOf, matches } from './boxes.ts';
import { FlameControls, type FlamePayload } from './controls.tsx';
import './flame.css';
import { arrangementOf, kindOf, questionOf } from './controls.tsx';
import { FlameGraph, sizeWords } from './graph.tsx';
import { chosenCategories, FlameLegend, mixWords } from './legend.tsx';

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

function FlameBody(props: PageProps & { flame: FlamePayload }) {
  const { run, state, setState, flame: given } = props;
  const [box, width] = useWidth<HTMLDivElement>();
  const [how, first, kinds] = [arrangementOf(state), state.by === 'category', state.kinds];
  const flame = useMemo(
    () =>
      arranged(given, {
        arranged: how,
        categoryFirst: first,
        categories: chosenCategories(state),
      }),
    [given, how, first, kinds],
  );
  const node = (name: 'zoom' | 'node') => {
    const value = Number(state[name] ?? -1);
    return Number.isInteger(value) && value < flame.parent.length ? value : -1;
  };
  const text = state.find ?? '';
  const [chosen, zoom] = [node('node'), node('zoom')];
  const found = useMemo(
    () => (text === '' ? null : matches(flame, text, zoom)),
    [flame, text, zoom],
  );
  const title = titleOf(state, given, flame);
  return (
    <div ref={box}>
      <p class="map-words">
        {title}
        {flame.prunedNodes > 0 &&
          `. The ${flame.prunedNodes.toLocaleString('en')} smallest frames are left out.`}
        {zoom >= 0 && (
          <button type="button" class="flame-all" onClick={() => setState({ zoom: null })}>
            Show all
          </button>
        )}
      </p>
      {given.frames.length > 0 && given.frames.every((one) => one.function === NO_STACK) && (
        <p class="map-words muted">
          No allocation here has a stack, so that nobody can tell who made it. Record with stacks:{' '}
          <code>torch.cuda.memory._record_memory_history(context="all")</code>, or{' '}
          <code>highwater record</code>.
        </p>
      )}
      {!given.profile && <FlameLegend flame={given} state={state} setState={setState} />}
      {found && (
        <p class="flame-found" role="status">
          {`“${text.slice(0, 60)}”: ${formatBytes(found.bytes)} in ${count(found.nodes.size, 'box', 'boxes')}, ${percent(
            found.bytes / Math.max(1, found.shownBytes),
          )} of what is shown`}
        </p>
      )}
      <FlameGraph
        flame={flame}
        width={width}
        focus={zoom}
        chosen={chosen}
        found={found?.nodes ?? null}
        title={title}
        name={`${run.name}-flame`}
        onFocus={(next) => setState({ zoom: next < 0 ? null : next })}
        onChoose={(next) => setState({ node: next < 0 ? null : next })}
      />
      {chosen >= 0 && (
        <ChosenFrame
          flame={flame}
          node={chosen}
          mixed={!given.profile}
          zoom={() => setState({ zoom: chosen })}
        />
      )}
    </div>
  );
}

interface Chosen {
  readonly flame: ArrangedFlame;
  readonly node: number;
  /** Whether it is known what an allocation is. */
  readonly mixed: boolean;
  zoom(): void;
}

function ChosenFrame({ flame, node, mixed, zoom }: Chosen) {
  return (
    <section class="flame-chosen" aria-label="The chosen frame">
      <p>
        <strong>{sizeWords(flame, node)}</strong> {mixed && `(${mixWords(flame, node)}) `}
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

function titleOf(state: PageProps['state'], given: FlamePayload, flame: Flame): string {
  const bytes = formatBytes(flame.totalBytes);
  const all = flame.totalBytes + (flame.totalBeforeBytes ?? 0);
  const whole = given.totalBytes + (given.totalBeforeBytes ?? 0);
  const of = all < whole ? ` of ${formatBytes(given.totalBytes)}` : '';
  if (flame.totalBeforeBytes !== null) {
    const change = formatDelta(flame.totalBytes - flame.totalBeforeBytes);
    return `${change}: ${formatBytes(flame.totalBeforeBytes)} before, ${bytes} now`;
  }
  if (given.profile) return `${bytes}${of} ${MOMENT_WORDS[given.profile]}, by who made it`;
  if (kindOf(state) === 'allocated') return `${bytes}${of} allocated in the range`;
  if (state.at === 'start') return `${bytes}${of} live before the first event, by who made it`;
  const at = state.at === undefined || state.at === 'peak' ? given.peakEvent : Number(state.at);
  if (at === given.peakEvent) return `${bytes}${of} live at the peak, by who made it`;
  return `${bytes}${of} live after event ${at.toLocaleString('en')}, by who made it`;
}
