import { useEffect, useMemo, useState } from 'preact/hooks';
import { panelsFromColumns } from '../../analyses/panels/columns.ts';
import type { Clock, Panels } from '../../analyses/panels/panel.ts';
import type { Columns } from '../../model/columns.ts';
import { type Fetched, useResource } from '../parts/resource.ts';
import { isOneFile } from '../store.ts';

/** How fine the picture of everything is; a one-file report carries just this. */
const BASE_COLUMNS = 4000;
/** Of a part that is asked for when that is too coarse: on either side as much again, for panning. */
const DETAIL_COLUMNS = 6000;
/** How long a zoom must rest before the finer picture is asked for. */
const REST_MS = 120;

export interface PanelsData {
  readonly base: Fetched<Columns>;
  /** The finest there is for the part that is looked at; null until anything came. */
  readonly panels: Panels | null;
  /** There are samples between the points, and no server to ask for them. */
  readonly thinned: boolean;
}

/** All of a run at once, and more of the part that a reader zooms in on. */
export function usePanels(
  run: string | null,
  clock: Clock | undefined,
  range: readonly [number, number] | null,
): PanelsData {
  const path = run === null ? null : `run/${run}/timeline`;
  const base = useResource<Columns>(path, { columns: BASE_COLUMNS, clock });
  const whole = useMemo(() => base.value && panelsFromColumns(base.value), [base.value]);
  const wanted = whole && range && isCoarse(whole, range) ? range : null;
  const asked = useRested(wanted);
  const [from, to] = asked ? widened(asked) : [null, null];
  const detail = useResource<Columns>(asked && !isOneFile ? path : null, {
    clock,
    from,
    to,
    columns: DETAIL_COLUMNS,
  });
  const fine = useMemo(() => detail.value && panelsFromColumns(detail.value), [detail.value]);
  const covers =
    fine && asked && range && fine.clock === whole?.clock && within(range, widened(asked));
  return {
    base,
    panels: covers && wanted ? { ...fine, marks: whole!.marks, span: whole!.span } : whole,
    thinned: isOneFile && wanted !== null,
  };
}

/** Whether the whole picture has fewer points in there than a screen could show. */
function isCoarse(
  { panels, span, clock }: Panels,
  [low, high]: readonly [number, number],
): boolean {
  const share = (high - low) / (span[1] - span[0]);
  if (share > 0.5) return false;
  return panels.some(
    ({ lines, stack }) =>
      lines.some(({ x, samples }) => x.length < samples) ||
      (stack !== null && (clock === 'event' || stack.x.length >= BASE_COLUMNS)),
  );
}

function widened([low, high]: readonly [number, number]): [number, number] {
  const span = high - low;
  return [low - span, high + span];
}

const within = (inner: readonly [number, number], outer: readonly [number, number]) =>
  inner[0] >= outer[0] && inner[1] <= outer[1];

/** The range once it has not changed for a moment; the old one as long as it still covers it. */
function useRested(range: readonly [number, number] | null): readonly [number, number] | null {
  const [rested, setRested] = useState(range);
  const key = range?.join() ?? '';
  useEffect(() => {
    const timer = setTimeout(() => setRested(range), REST_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return range ? rested : null;
}
