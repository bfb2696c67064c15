import { CATEGORIES } from '../../analyses/allocations/evidence/reasons.ts';
import type { TimelinePanel } from '../../analyses/panels/panel.ts';
import { categoryPlural } from '../../model/allocations/words.ts';
import { seriesLabel } from '../../model/series-label.ts';
import type { Theme } from '../../views/chart/palette.ts';
import { shade } from '../../views/chart/palette.ts';

/** The same category has the same colour on every page. */
export function categoryColor(theme: Theme, category: string): string {
  const place = (CATEGORIES as readonly string[]).indexOf(category);
  return category === 'unknown' || place < 0 ? theme.mark : shade(theme, place);
}

/** No colour that the memory above it has. */
const PROCESSORS = 4;

/** What a part of a panel is called, and its colour. */
export function seriesLooks(theme: Theme) {
  return (panel: TimelinePanel, key: string, place: number): { color: string; label: string } => {
    if (panel.unit) return { color: shade(theme, PROCESSORS), label: 'percent of one core' };
    const category = CATEGORIES.find((one) => one === key);
    if (panel.id.startsWith('trace') && category) {
      return { color: categoryColor(theme, key), label: categoryPlural(category) };
    }
    if (panel.id.startsWith('trace')) return { color: theme.ink, label: key };
    const [named] = panel.lines.filter(({ series }) => series === key);
    return { color: shade(theme, place), label: named ? seriesLabel(key) : key };
  };
}
