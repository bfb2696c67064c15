import type { ComponentChildren } from 'preact';
import { formatBytes } from '../../base/bytes.ts';
import type { InputProgress } from '../../model/inputs-info.ts';
import type { Fetched } from './resource.ts';

/** What is wrong, where, and what to do. */
export function ErrorBox({ title, text }: { title: string; text: string }) {
  return (
    <div class="error-box" role="alert">
      <strong>{title}</strong>
      <span>{text}</span>
    </div>
  );
}

/** How far something is, with a way out. */
export function ProgressBar(props: {
  label: string;
  /** Of bytes; or as a share, and in words. */
  progress?: InputProgress | null;
  share?: number | null;
  words?: string;
  cancel?: () => void;
}) {
  const { label, progress, share = null, cancel } = props;
  const known = progress?.total ? Math.min(1, progress.done / progress.total) : share;
  return (
    <div class="progress" role="status">
      <span class="progress-label">{label}</span>
      <progress {...(known === null ? {} : { value: known })} aria-label={label} />
      <span class="muted">{progress ? wordsOf(progress) : props.words}</span>
      {cancel && (
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      )}
    </div>
  );
}

function wordsOf({ what, done, total }: InputProgress): string {
  if (done === 0) return what;
  return total === null
    ? `${what} · ${formatBytes(done)}`
    : `${what} · ${formatBytes(done)} of ${formatBytes(total)}`;
}

/** Shows an answer, or that it is awaited, or why there is none. */
export function Awaited<T>(props: {
  what: string;
  fetched: Fetched<T>;
  children: (value: T) => ComponentChildren;
}) {
  const { what, fetched, children } = props;
  if (fetched.value !== null) return <>{children(fetched.value)}</>;
  if (fetched.error) return <ErrorBox title={`No ${what}.`} text={fetched.error} />;
  return <ProgressBar label={`Loading ${what} …`} cancel={fetched.cancel} />;
}
