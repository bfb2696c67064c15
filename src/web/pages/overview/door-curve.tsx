import type { InputInfo } from '../../../model/inputs-info.ts';
import { address, openPage, setState } from '../../address.ts';
import { rangeIn } from '../../hands/range.ts';
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
        run={run}
        panels={panels}
        range={rangeIn(address.value.state) ?? range}
        width={width}
        panelHeight={HEIGHT}
        fit={fit}
        pins={moment === null ? [] : [moment]}
        name={run.name}
        onRange={(next, how) => setState({ from: next?.[0], to: next?.[1] }, how)}
        onSelect={([from, to]) => openPage('timeline', { from, to })}
        onPick={(at) => {
          openPage('timeline', { a: at });
          return undefined;
        }}
      />
    </div>
  );
}
