import type { InputInfo } from '../../../model/inputs-info.ts';
import { openPage } from '../../address.ts';
import { useWidth } from '../../parts/width.ts';
import { PanelsView } from '../../timeline/panels-view.tsx';
import type { Curve } from './door-moment.ts';

const HEIGHT = 170;

/** The curve of one answer, its moment pinned. */
export function DoorCurve({ run, curve }: { readonly run: InputInfo; readonly curve: Curve }) {
  const [place, width] = useWidth<HTMLDivElement>(300);
  const { panels, range, moment, fit } = curve;
  return (
    <div class="door-curve" ref={place} data-test="door-curve">
      <PanelsView
        panels={panels}
        range={range}
        width={width}
        panelHeight={HEIGHT}
        fit={fit}
        pins={moment === null ? [] : [moment]}
        name={run.name}
        onRange={(next) => next && openPage('timeline', { from: next[0], to: next[1] })}
        onPick={(at) => openPage('timeline', { a: at })}
      />
    </div>
  );
}
