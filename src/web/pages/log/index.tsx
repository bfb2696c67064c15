import type { OutOfMemory } from '../../../analyses/out-of-memory.ts';
import { type Verdict, verdictSentence } from '../../../model/verdict.ts';
import { crashPassages } from '../../../views/out-of-memory/passages.ts';
import { PassageView } from '../../parts/passage-view.tsx';
import { useResource } from '../../parts/resource.ts';
import { Awaited } from '../../parts/waiting.tsx';
import type { PageProps } from '../page.ts';

/** Of a log: what it says about memory that ran out, in the words of `highwater report LOG`. */
export default function Log({ run }: PageProps) {
  const crash = useResource<OutOfMemory & { verdict: Verdict }>(`run/${run.id}/crash`);
  return (
    <Awaited what="log" fetched={crash}>
      {(result) => (
        <div class="overview">
          <h1 class="headline">{verdictSentence(result.verdict).slice(0, 1200)}</h1>
          {crashPassages(result, result.verdict).map((passage) => (
            <PassageView key={passage.title} passage={passage} below="" />
          ))}
        </div>
      )}
    </Awaited>
  );
}
