import type { Report } from '../../../analyses/report.ts';
import { rankVerdict } from '../../../views/report/verdict.ts';

/** Of the rank that stands out: what it holds more of, and what to look at. As the overview says it. */
export function WhatToDo({ facts }: { readonly facts: Report['ranks'] }) {
  const { reasons, fixes } = rankVerdict({ ranks: facts });
  return (
    <div data-test="ranks-remedy">
      {reasons.map((text) => (
        <p key={text}>It holds more: {text.slice(0, 300)}.</p>
      ))}
      {fixes.map((text) => (
        <p key={text}>
          <strong>What to do:</strong> {text.slice(0, 400)}.
        </p>
      ))}
    </div>
  );
}
