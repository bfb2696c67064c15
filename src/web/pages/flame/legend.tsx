import { CATEGORIES, type Category } from '../../../analyses/allocations/evidence/reasons.ts';
import { type ArrangedFlame, categoriesIn } from '../../../analyses/allocations/flame/arranged.ts';
import type { Flame } from '../../../analyses/allocations/flame/index.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { percent } from '../../../base/text.ts';
import { byStackOrder, kindName } from '../../../model/memory-kinds.ts';
import { kindColor } from '../../../views/chart/palette.ts';
import type { PageState } from '../../address.ts';
import { theme } from '../../theme.ts';
import type { PageProps } from '../page.ts';

/** From the address; null: all. */
export function chosenCategories({ kinds }: PageState): readonly Category[] | null {
  if (kinds === undefined) return null;
  const named = kinds.split(',');
  return CATEGORIES.filter((category) => named.includes(category));
}

interface Props extends Pick<PageProps, 'state' | 'setState'> {
  readonly flame: Flame;
}

/** What the colours mean, with the bytes of each; a click leaves one out, or takes it in again. */
export function FlameLegend({ flame, state, setState }: Props) {
  const present = categoriesIn(flame).sort((a, b) => byStackOrder(a.category, b.category));
  const all = present.map(({ category }) => category);
  const shown = chosenCategories(state) ?? all;
  const toggle = (category: Category) => {
    const next = all.filter((one) => (one === category) !== shown.includes(one));
    const kinds = next.length === all.length ? null : next.join(',') || 'none';
    setState({ kinds, zoom: null, node: null });
  };
  return (
    <fieldset class="map-kinds flame-legend" aria-label="Categories">
      {present.map(({ category, bytes }) => (
        <button
          key={category}
          type="button"
          class="map-kind"
          aria-pressed={shown.includes(category)}
          title={shown.includes(category) ? 'Leave it out' : 'Show it again'}
          onClick={() => toggle(category)}
        >
          <span class="swatch" style={{ background: kindColor(theme.value, category) }} />
          {`${kindName(category)} ${formatBytes(bytes)}`}
        </button>
      ))}
    </fieldset>
  );
}

/** `activations 80 %, temporary 20 %` of a node, the largest first. */
export function mixWords({ mix }: ArrangedFlame, node: number): string {
  const parts = CATEGORIES.map((category, i) => ({ category, bytes: mix[i]![node]! }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes);
  const whole = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  return parts
    .map(({ category, bytes }) =>
      parts.length === 1 ? kindName(category) : `${kindName(category)} ${percent(bytes / whole)}`,
    )
    .join(', ');
}
