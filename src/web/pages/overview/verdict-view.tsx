import type { Report } from '../../../analyses/report.ts';
import { verdictNotes } from '../../../views/report/verdict.ts';

/** Why, and what to do: beside each other below the headline, before anything has to be opened. */
export function VerdictView({ report }: { readonly report: Report }) {
  const notes = verdictNotes(report);
  if (!notes) return null;
  const { cause, reasons, against, fixes, next } = notes;
  return (
    <section class="verdict" data-test="verdict" aria-label="Verdict">
      <div data-test="cause">
        <h2>{cause.slice(0, 300)}</h2>
        <ul>
          {reasons.map((text) => (
            <li key={text} title={text.slice(0, 2000)}>
              {text.slice(0, 300)}
            </li>
          ))}
          {against.map((text) => (
            <li key={text} class="muted">
              but: {text.slice(0, 300)}
            </li>
          ))}
        </ul>
      </div>
      <div data-test="remedy">
        <h2>What to do</h2>
        <ul>
          {fixes.map((text) => (
            <li key={text} title={text.slice(0, 2000)}>
              {text.slice(0, 400)}
            </li>
          ))}
          {next && (
            <li>
              next: <code>{next.command}</code>
              <span class="muted"> {next.why}</span>
            </li>
          )}
        </ul>
      </div>
    </section>
  );
}
