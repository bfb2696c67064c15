import { useEffect, useRef } from 'preact/hooks';
import type { Report } from '../../../analyses/report.ts';
import type { InputInfo } from '../../../model/inputs-info.ts';
import type { Door } from '../../../views/report/doors.ts';
import { address, hrefOf, setState } from '../../address.ts';
import { rangeIn } from '../../hands/range.ts';
import { PassageView } from '../../parts/passage-view.tsx';
import type { PanelsData } from '../../timeline/use-panels.ts';
import { DoorCurve } from './door-curve.tsx';
import { doorLinks } from './door-links.ts';
import { curveOf } from './door-moment.ts';

interface Props {
  readonly door: Door;
  readonly run: InputInfo;
  readonly report: Report;
  readonly timeline: PanelsData;
}

/** What stands behind a card: the curve at that moment, the report's own passages, and where to look further. */
export function DoorView({ door, run, report, timeline }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Who opens a door looks at what is behind it, also without a mouse.
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: 'nearest' });
  }, [door.id]);
  useEffect(() => {
    // Before the curve hears of it, which shows all of itself again where it was zoomed.
    const onKey = (event: KeyboardEvent) => {
      const isElsewhere = (event.target as HTMLElement).closest?.('input, select, textarea, .peak');
      const isBehind = isElsewhere || document.querySelector('dialog[open]');
      const isZoomed = rangeIn(address.peek().state) !== null;
      if (event.key === 'Escape' && !isBehind && !isZoomed) setState({ show: null }, 'push');
    };
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, []);
  const curve = timeline.panels && curveOf(door.id, report, timeline.panels);
  return (
    <section class="door-view" data-test="door" aria-label={door.title.slice(0, 200)}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {door.title.slice(0, 300)}
        </h2>
        <ul class="door-links" aria-label="Look further">
          {doorLinks(door.id, run, report, curve).map(({ href, words }) => (
            <li key={words}>
              <a href={href}>{words}</a>
            </li>
          ))}
        </ul>
        <a class="door-close" href={hrefOf('overview')}>
          Close <kbd>Esc</kbd>
        </a>
      </header>
      {curve && <DoorCurve run={run} curve={curve} />}
      {door.passages.map((passage) => (
        <PassageView key={passage.title} passage={passage} below={door.title} />
      ))}
    </section>
  );
}
