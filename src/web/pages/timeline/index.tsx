import type { Clock } from '../../../analyses/panels/panel.ts';
import { numberIn, type Range, rangeIn } from '../../hands/range.ts';
import { HandsHint } from '../../parts/help.tsx';
import { Awaited } from '../../parts/waiting.tsx';
import { useWidth } from '../../parts/width.ts';
import { isOneFile } from '../../store.ts';
import { PanelsView } from '../../timeline/panels-view.tsx';
import { usePanels } from '../../timeline/use-panels.ts';
import { momentWords } from '../../timeline/values.tsx';
import type { PageProps } from '../page.ts';
import { Difference } from './difference.tsx';

const MARGIN = 24;

/** Everything over time: where, who, what happened when. */
export default function TimelinePage({ run, state, setState }: PageProps) {
  const [place, width] = useWidth<HTMLDivElement>(300);
  const clock = state.clock === 'event' ? 'event' : state.clock === 'time' ? 'time' : undefined;
  const range = rangeIn(state);
  const { base, panels, thinned } = usePanels(run.id, clock, range);
  const pins = [numberIn(state.a), numberIn(state.b)].filter((pin) => pin !== null);
  const onRange = (next: Range | null, how: 'push' | 'replace' = 'push') =>
    setState({ from: next?.[0], to: next?.[1] }, how);
  const onPick = (at: number) => {
    const exact = Number(at.toPrecision(12));
    const before = { a: state.a, b: state.b };
    if (pins.length === 1) setState({ b: exact });
    else setState({ a: exact, b: null });
    return () => setState(before);
  };
  const onClear = () => {
    if (pins.length > 0) setState({ a: null, b: null });
    return pins.length > 0;
  };
  return (
    <div class="timeline" ref={place}>
      <Awaited what="timeline" fetched={base}>
        {() =>
          panels && (
            <>
              <div class="tools">
                {panels.clocks.length > 1 && (
                  <fieldset class="switch">
                    <legend>Over</legend>
                    {panels.clocks.map((one) => (
                      <ClockChoice
                        key={one}
                        clock={one}
                        chosen={panels.clock === one}
                        choose={() =>
                          setState({ clock: one, from: null, to: null, a: null, b: null })
                        }
                      />
                    ))}
                  </fieldset>
                )}
                <label>
                  <input
                    type="checkbox"
                    checked={state.fit === '1'}
                    onChange={(event) => setState({ fit: event.currentTarget.checked ? 1 : null })}
                  />
                  fit heights to what is shown
                </label>
                <button type="button" disabled={range === null} onClick={() => onRange(null)}>
                  Show all
                </button>
                <button
                  type="button"
                  disabled={pins.length === 0}
                  onClick={() => setState({ a: null, b: null })}
                >
                  Remove pins
                </button>
                <span class="muted hint">
                  {range &&
                    `${momentWords(panels, range[0])} to ${momentWords(panels, range[1])}. `}
                  <HandsHint more={isOneFile ? '' : ', click twice to compare two moments'} />
                  {thinned && ' Finer than this, only the recording itself can tell.'}
                </span>
              </div>
              <PanelsView
                run={run}
                panels={panels}
                range={range}
                width={width - MARGIN}
                panelHeight={heightOf(panels.panels.length, pins.length > 0)}
                fit={state.fit === '1'}
                pins={pins}
                name={`${run.name}-timeline`}
                onRange={onRange}
                onPick={isOneFile ? undefined : onPick}
                onClear={onClear}
              />
              {pins.length === 2 && (
                <Difference run={run.id} clock={panels.clock} a={pins[0]!} b={pins[1]!} />
              )}
            </>
          )
        }
      </Awaited>
    </div>
  );
}

const CLOCK_WORDS: Readonly<Record<Clock, string>> = { time: 'time', event: 'event number' };

function ClockChoice(props: { clock: Clock; chosen: boolean; choose(): void }) {
  return (
    <label>
      <input type="radio" name="clock" checked={props.chosen} onChange={props.choose} />
      {CLOCK_WORDS[props.clock]}
    </label>
  );
}

/** As high as leaves all of them on one screen, within reason. */
function heightOf(panels: number, pinned: boolean): number {
  const room = innerHeight - (pinned ? 330 : 190);
  return Math.max(120, Math.min(480, Math.floor(room / Math.max(1, panels)) - 10));
}
