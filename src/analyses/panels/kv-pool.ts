import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import { panelCurve } from './panel-curve.ts';
import type { PanelSource } from './source.ts';

/** How full the KV pools of engines were by their own word, to stand below the memory; null where none said it twice. */
export function kvPoolSource(recording: Recording, zero: number): PanelSource | null {
  const table = recording.table('serving');
  const [times, used] = [table.f64('time'), table.f64('kv_used')];
  const [engines, workers] = [table.u32('engine'), table.u32('worker')];
  const rows = new Map<string, number[]>();
  for (let row = 0; row < table.rows; row++) {
    if (Number.isNaN(used[row]!)) continue;
    const worker = recording.text(workers[row]!);
    const who = `${recording.text(engines[row]!)}${worker ? ` ${worker}` : ''}`;
    const mine = rows.get(who);
    if (mine) mine.push(row);
    else rows.set(who, [row]);
  }
  const told = [...rows].filter(([, of]) => of.length > 1);
  if (told.length === 0) return null;
  return {
    id: 'kv',
    title: 'KV pool in use',
    steps: false,
    unit: 'percent',
    limit: null,
    lines: told.map(([who, of]) => {
      const seconds = Float64Array.from(of, (row) => (times[row]! - zero) / SECOND_NS);
      const percent = Float64Array.from(of, (row) => 100 * used[row]!);
      return { series: `kv.${who}`, label: who, curve: panelCurve(seconds, percent) };
    }),
    stack: null,
  };
}
