import { useState } from 'preact/hooks';

const MOST = 3;

/** What the recording cannot know, and what this page does not carry. */
export function Warnings(props: {
  readonly warnings: readonly string[];
  readonly leftOut: readonly string[];
  /** It is still recorded: what was lost is known at its end. */
  readonly live: boolean;
}) {
  const [all, setAll] = useState(false);
  const warnings = [
    ...props.warnings,
    ...props.leftOut.map((what) => `Left out of this file: ${what}`),
  ];
  const shown = all ? warnings : warnings.slice(0, MOST);
  const hidden = warnings.length - shown.length;
  return (
    <section class="warnings" aria-label="How far to trust it">
      <h2>How far to trust it</h2>
      {warnings.length === 0 && (
        <p class="muted">{props.live ? 'No warnings so far.' : 'No warnings: nothing was lost.'}</p>
      )}
      <ul>
        {shown.map((text, i) => (
          <li key={i} title={text.slice(0, 2000)}>
            {text.slice(0, all ? 2000 : 220)}
            {!all && text.length > 220 ? '…' : ''}
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <button type="button" class="more" onClick={() => setAll(true)}>
          {hidden} more
        </button>
      )}
    </section>
  );
}
