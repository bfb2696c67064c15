import type { TimelinePanel } from '../../analyses/panels/panel.ts';
import { kindName, memoryKind } from '../../model/memory-kinds.ts';
import { seriesLabel } from '../../model/series-label.ts';
import type { Theme } from '../../views/chart/palette.ts';
import { kindColor, shade } from '../../views/chart/palette.ts';
import { STEP_END } from '../../views/chart/timeline/panel-steps.ts';

/** No colour that the memory above it has. */
const PROCESSORS = 4;

/** What a part of a panel is called, and its colour. */
export function seriesLooks(theme: Theme) {
  return (panel: TimelinePanel, key: string, place: number): { color: string; label: string } => {
    const [named] = panel.lines.filter(({ series }) => series === key);
    if (panel.unit) return { color: shade(theme, PROCESSORS + place), label: named?.label ?? key };
    if (panel.id.startsWith('trace')) {
      return memoryKind(key)
        ? { color: kindColor(theme, key), label: kindName(key) }
        : { color: key === STEP_END ? theme.ink : theme.muted, label: key };
    }
    return { color: shade(theme, place), label: named ? seriesLabel(key) : key };
  };
}
