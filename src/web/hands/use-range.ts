import { useEffect, useRef, useState } from 'preact/hooks';
import { clamped, panned, partOf, type Range, type RangeLimits, zoomed } from './range.ts';
import type { Handled, Pace } from './use-hands.ts';

interface RangeProps extends RangeLimits {
  /** What the address says; null: all of it. */
  readonly range: Range | null;
  /** `push` where a reader would want to go back from it. */
  onRange(range: Range | null, how: 'push' | 'replace'): void;
  /** A stretch that was selected, where it means something else than to zoom to it. */
  onSelect?(range: Range): void;
}

/** Browsers count how often an address changes: it follows a moving view at rest only. */
const REST_MS = 150;

/** A stretch of one axis that hands move about; it runs ahead of the address, which follows. */
export function useRange({ range, onRange, onSelect, ...limits }: RangeProps) {
  const [, redraw] = useState(0);
  /** What is looked at until the address has it; undefined: the address has. */
  const ahead = useRef<Range | null | undefined>(undefined);
  const rest = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const key = range?.join() ?? '';
  const latest = useRef({ range, onRange });
  latest.current = { range, onRange };
  useEffect(() => {
    ahead.current = undefined;
    redraw((n) => n + 1);
  }, [key]);
  useEffect(() => () => clearTimeout(rest.current), []);

  const current = (): Range =>
    (ahead.current === undefined ? range : ahead.current) ?? limits.whole;
  const tell = () => {
    clearTimeout(rest.current);
    const next = ahead.current;
    if (next === undefined) return;
    const { range: known, onRange: say } = latest.current;
    if ((next?.join() ?? '') === (known?.join() ?? '')) {
      ahead.current = undefined;
      return redraw((n) => n + 1);
    }
    // Into a zoom and out of it are steps to go back from, not each on the way.
    say(next, known === null || next === null ? 'push' : 'replace');
  };
  const go = (next: Range | null, pace: Pace) => {
    ahead.current = next;
    redraw((n) => n + 1);
    clearTimeout(rest.current);
    if (pace === 'done') tell();
    else rest.current = setTimeout(tell, REST_MS);
  };
  const change = (next: Range, pace: Pace): boolean => {
    const before = current();
    const kept = clamped(next, limits);
    const [low, high] = kept ?? limits.whole;
    const changed = low !== before[0] || high !== before[1];
    // A wheel that turns on where nothing changes any more must not keep the address waiting.
    if (changed || pace === 'done') go(kept, pace);
    return changed;
  };

  const handled: Pick<Handled, 'zoom' | 'grab' | 'select' | 'reset'> = {
    zoom: (at, by, pace) => by.x !== 1 && change(zoomed(current(), by.x, at.x), pace),
    grab: () => {
      const from = current();
      return (by, pace, zoom) => {
        const near = zoom ? zoomed(from, zoom.factor, zoom.at.x) : from;
        return change(panned(near, (by.x * (from[1] - from[0])) / (near[1] - near[0])), pace);
      };
    },
    select: (from, to) => {
      const part = clamped(partOf(current(), from, to), limits);
      if (part && onSelect) return onSelect(part);
      ahead.current = part;
      clearTimeout(rest.current);
      onRange(part, 'push');
    },
    reset: () => {
      if (ahead.current === undefined ? range !== null : true) go(null, 'done');
    },
  };
  return { shown: current(), isZoomed: current() !== limits.whole, handled };
}
