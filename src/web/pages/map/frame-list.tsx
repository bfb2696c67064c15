import { useState } from 'preact/hooks';
import type { Frame } from '../../../model/allocations/names.ts';
import { SourceLine } from './source-line.tsx';

const FIRST = 12;

/** A call stack, innermost first. */
export function FrameList({ frames }: { frames: readonly Frame[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? frames : frames.slice(0, FIRST);
  if (frames.length === 0) return null;
  return (
    <ol class="frames">
      {shown.map((frame, i) => (
        <li key={i}>
          <bdi class="frame-name">{frame.function.slice(0, 300)}</bdi>
          <SourceLine frame={frame} />
        </li>
      ))}
      {shown.length < frames.length && (
        <li>
          <button type="button" onClick={() => setAll(true)}>
            {frames.length - shown.length} more
          </button>
        </li>
      )}
    </ol>
  );
}
