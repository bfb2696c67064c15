import type { Verdict } from '../../../model/verdict.ts';
import { verdictNotes } from '../../../views/report/verdict.ts';

/** What the verdict says beside the headline: how sure it is, what would help, what speaks against it, what to run next. */
export function VerdictView({ verdict }: { readonly verdict: Verdict }) {
  const notes = verdictNotes(verdict);
  if (!notes) return null;
  const { cause, against, fixes, next } = notes;
  return (
    <section class="verdict" data-test="verdict" aria-label="Verdict">
      <h2>{cause}</h2>
      <ul>
        {fixes.map((text) => (
          <li key={text}>{text}</li>
        ))}
        {against.map((text) => (
          <li key={text} class="muted">
            but: {text}
          </li>
        ))}
        {next && (
          <li>
            next: <code>{next.command}</code>
            <span class="muted"> {next.why}</span>
          </li>
        )}
      </ul>
    </section>
  );
}
