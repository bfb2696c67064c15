import { useState } from 'preact/hooks';
import { count } from '../../../base/text.ts';
import { isPython, isUnwinder } from '../../../model/allocations/frame-owner.ts';
import type { Frame } from '../../../model/allocations/names.ts';

/** `file:line` with two ways to get there: into an editor that takes such links, or by pasting. */
export function SourceLine({ frame: { file, line } }: { frame: Frame }) {
  const [copied, setCopied] = useState(false);
  if (file === '' || file === '??' || file.startsWith('<')) return null;
  const place = `${file}${line > 0 ? `:${line}` : ''}`;
  const copy = async () => {
    await navigator.clipboard?.writeText(place).catch(() => {});
    setCopied(true);
    setTimeout(() => setCopied(false), 1200);
  };
  return (
    <span class="source-line">
      <button type="button" title="Copy the place" onClick={copy}>
        {copied ? 'copied' : <bdi>{shortened(place)}</bdi>}
      </button>
      {file.startsWith('/') && (
        <a href={editorLink(place)} title={`Open ${place.slice(-300)} in the editor (VS Code)`}>
          open
        </a>
      )}
    </span>
  );
}

/** Each part is escaped: a file's name comes from whoever made the trace. */
const editorLink = (place: string) =>
  `vscode://file${place
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/%3A(\d+)$/, ':$1')}`;

const shortened = (place: string) => (place.length > 70 ? `…${place.slice(-69)}` : place);

const FIRST_FRAMES = 12;

/** A call stack, innermost first; C++ frames only on request, where there are others. */
export function FrameList({ frames: given }: { frames: readonly Frame[] }) {
  const [all, setAll] = useState(false);
  const [native, setNative] = useState(false);
  const told = given.filter((frame) => !isUnwinder(frame));
  const python = told.filter(({ file }) => isPython(file));
  const frames = native || python.length === 0 ? told : python;
  const shown = all ? frames : frames.slice(0, FIRST_FRAMES);
  const hidden = told.length - frames.length;
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
      {hidden > 0 && (
        <li>
          <button type="button" onClick={() => setNative(true)}>
            {`with ${count(hidden, 'C++ frame')}`}
          </button>
        </li>
      )}
    </ol>
  );
}
