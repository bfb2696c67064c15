import type { LayersAt } from '../../../analyses/layers/layers-at.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { shade } from '../../../views/chart/palette.ts';
import { kindWords, paletteIndex } from '../../../views/report/layers.ts';
import { theme } from '../../theme.ts';

interface Props {
  readonly totals: LayersAt['totals'];
  readonly hidden: ReadonlySet<string>;
  toggle(kind: string): void;
}

/** The kinds with their colours and sums; a click leaves one out. */
export function KindKey({ totals, hidden, toggle }: Props) {
  return (
    <fieldset class="plain chips" aria-label="Kinds">
      {totals.map(({ kind, bytes }) => (
        <button
          key={kind}
          type="button"
          aria-pressed={!hidden.has(kind)}
          title={hidden.has(kind) ? 'Show it again' : 'Leave it out'}
          onClick={() => toggle(kind)}
        >
          <span class="swatch" style={{ background: shade(theme.value, paletteIndex(kind)) }} />
          {`${kindWords(kind)} · ${formatBytes(bytes)}`}
        </button>
      ))}
    </fieldset>
  );
}
