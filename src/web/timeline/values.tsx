import type { Panels } from '../../analyses/panels/panel.ts';
import { lastUpTo } from '../../base/search.ts';
import { formatDuration } from '../../base/time.ts';
import { markWords } from '../../views/chart/timeline/mark-lane.ts';
import { valueWords } from '../../views/chart/timeline/panel-frame.ts';
import type { PanelsChart } from '../../views/chart/timeline/panels.ts';

/** The values at a moment, each by the last sample up to it. */
export function Values({ chart, data, at }: { chart: PanelsChart; data: Panels; at: number }) {
  const mark = data.marks.findLast(({ kind, seconds }) => kind === 'iteration' && seconds <= at);
  const epoch = data.marks.findLast(({ kind, seconds }) => kind === 'epoch' && seconds <= at);
  return (
    <div class="values">
      <div class="values-when">
        {momentWords(data, at)}
        {epoch && <span> · {markWords(epoch).slice(0, 40)}</span>}
        {mark && <span> · after {markWords(mark).slice(0, 40)}</span>}
      </div>
      <table>
        <tbody>
          {chart.plots.map(({ panel, entries }) => {
            const rows = valuesAt(panel, at);
            if (rows.length === 0) return null;
            return [
              <tr key={panel.id} class="values-title">
                <td colSpan={2}>{panel.title}</td>
                <td>
                  {panel.stack
                    ? valueWords(panel, sumOf(rows.slice(0, panel.stack.bands.length)))
                    : ''}
                </td>
              </tr>,
              ...rows.map((bytes, i) =>
                bytes === null || bytes === 0 ? null : (
                  <tr key={`${panel.id} ${i}`}>
                    <td>
                      <i class="swatch" style={{ background: entries[i]!.color }} />
                    </td>
                    <td class="values-name">
                      <bdi>{entries[i]!.label.slice(0, 60)}</bdi>
                    </td>
                    <td>{valueWords(panel, bytes)}</td>
                  </tr>
                ),
              ),
            ];
          })}
        </tbody>
      </table>
    </div>
  );
}

const sumOf = (values: readonly (number | null)[]) =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** Of the bands, then of the lines; null before the first sample. */
function valuesAt({ stack, lines }: Panels['panels'][number], at: number): (number | null)[] {
  const row = stack ? lastUpTo(stack.x, at) : -1;
  const bands = (stack?.bands ?? []).map(({ bytes }) => known(row < 0 ? undefined : bytes[row]));
  const others = lines.map(({ x, bytes }) => known(bytes[lastUpTo(x, at)]));
  return [...bands, ...others];
}

const known = (value: number | undefined) =>
  value === undefined || Number.isNaN(value) ? null : value;

export function momentWords({ clock }: Pick<Panels, 'clock'>, at: number): string {
  if (clock === 'event') return `event ${Math.floor(at).toLocaleString('en-US')}`;
  const sign = at < 0 ? '−' : '';
  return Math.abs(at) < 100 ? `${sign}${Math.abs(at).toFixed(3)} s` : formatDuration(at);
}
