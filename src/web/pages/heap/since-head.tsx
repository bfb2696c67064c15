import type { ContainerGrowth } from '../../../analyses/heap/index.ts';
import { formatDelta } from '../../../base/bytes.ts';
import { filled, type Verdict, verdictSentence } from '../../../model/verdict.ts';
import { freshWords } from '../../../views/heap/places.ts';

interface Props {
  readonly verdict: Verdict;
  readonly containers: readonly ContainerGrowth[] | null;
}

/** What two heaps say in a sentence, the place that grew most, and how far that can be trusted. */
export function SinceHead({ verdict, containers }: Props) {
  const most = containers?.find(({ verdict: judged }) => judged !== 'artifact');
  return (
    <>
      <h1 class="headline" data-test="since-headline">
        {verdictSentence(verdict)}
        {most && (
          <>
            {' Grew most: '}
            <bdi class="name">{most.place.slice(0, 300)}</bdi>
            {`, ${formatDelta(most.grown)}.`}
          </>
        )}
      </h1>
      {most && (
        <p>
          New in it: <bdi class="name">{freshWords(most).slice(0, 500)}</bdi>. Let go of what it
          keeps, or bound it.
        </p>
      )}
      <ul class="notes muted">
        {verdict.against.map(({ statement }) => (
          <li key={statement}>{filled(verdict, statement)}</li>
        ))}
      </ul>
    </>
  );
}
