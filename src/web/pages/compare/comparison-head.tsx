import type { Comparison } from '../../../analyses/compare/index.ts';
import { comparisonSentences } from '../../../views/compare/comparison.ts';
import { Against } from './against.tsx';

/** The answers, and what limits them. */
export function ComparisonHead({ comparison }: { readonly comparison: Comparison }) {
  return (
    <>
      {comparisonSentences(comparison).map((text) => (
        <p key={text} class="headline" data-test="compare-headline">
          {text.slice(0, 1000)}
        </p>
      ))}
      <Against verdict={comparison.verdict} />
    </>
  );
}
