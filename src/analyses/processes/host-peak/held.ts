import type { Recording } from '../../../model/recording.ts';

/** What hangs on one name, or tensors of one kind. */
export interface HeldRow {
  readonly category: string;
  readonly what: string;
  readonly holder: string;
  readonly count: number;
  readonly bytes: number;
  /** Of them in objects of up to 512 bytes, which are no memory of malloc's. */
  readonly small: number;
}

/** One look of a process at who holds its memory. */
export interface HeldLook {
  readonly ns: number;
  readonly rows: readonly HeldRow[];
}

/** In no order. Looks at peaks, and the rarer ones at tensors alone, between steps, where there are no others. */
export function heldLooks(recording: Recording, pid: number): HeldLook[] {
  const found = looksAtPeaks(recording, pid);
  return found.length > 0 ? found : looksAtTensors(recording, pid);
}

function looksAtPeaks(recording: Recording, pid: number): HeldLook[] {
  const table = recording.table('held');
  const [times, pids, categories] = [table.f64('time'), table.u32('pid'), table.u32('category')];
  const [whats, holders, counts] = [table.u32('what'), table.u32('holder'), table.f64('count')];
  const [bytes, small] = [table.f64('bytes'), table.f64('small')];
  return byTime(times, table.rows, (row) =>
    pids[row] === pid
      ? {
          category: recording.text(categories[row]!),
          what: recording.text(whats[row]!),
          holder: recording.text(holders[row]!),
          count: counts[row]!,
          bytes: bytes[row]!,
          small: small[row]!,
        }
      : null,
  );
}

export function looksAtTensors(recording: Recording, pid: number): HeldLook[] {
  const table = recording.table('tensors');
  const [times, pids, devices] = [table.f64('time'), table.u32('pid'), table.u32('device')];
  const [shapes, dtypes] = [table.u32('shape'), table.u32('dtype')];
  const [whats, holders] = [table.u32('what'), table.u32('holder')];
  const [counts, bytes] = [table.f64('count'), table.f64('bytes')];
  return byTime(times, table.rows, (row) => {
    if (pids[row] !== pid || recording.text(devices[row]!) !== 'cpu') return null;
    const what = recording.text(whats[row]!);
    return {
      category: what === 'parameter' || what === 'gradient' ? what : 'tensor',
      what: `${recording.text(shapes[row]!)} ${recording.text(dtypes[row]!)}`,
      holder: recording.text(holders[row]!),
      count: counts[row]!,
      bytes: bytes[row]!,
      small: 0,
    };
  });
}

function byTime(
  times: ArrayLike<number>,
  rows: number,
  read: (row: number) => HeldRow | null,
): HeldLook[] {
  // Two looks may have been given one time, and have most in common.
  const looks = new Map<number, Map<string, HeldRow>>();
  for (let row = 0; row < rows; row++) {
    const one = read(row);
    if (!one) continue;
    const look = looks.get(times[row]!) ?? new Map<string, HeldRow>();
    looks.set(times[row]!, look.set(`${one.category} ${one.what} ${one.holder}`, one));
  }
  return [...looks].map(([ns, found]) => ({
    ns,
    rows: [...found.values()].sort((a, b) => b.bytes - a.bytes),
  }));
}
