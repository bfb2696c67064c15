import type { Lifetimes } from '../../../model/allocations/lifetimes.ts';
import { tagText } from '../../../model/allocations/names.ts';
import type { Recording } from '../../../model/recording.ts';
import { CATEGORIES, type Category, REASONS, type Reason } from './reasons.ts';

/** A tag that is a category's very name is the source's own word for it. */
const NAMED: ReadonlyMap<string, Category> = new Map([
  ...CATEGORIES.filter((name) => name !== 'unknown').flatMap((name) => [
    [name, name] as const,
    [`${name}s`, name] as const,
  ]),
  // PyTorch's memory timeline calls it so.
  ['autograd_detail', 'temporary'],
]);

/** What the words of a tagged allocation log mean (docs/analyze.md), the first that fits. */
const WORDS: readonly (readonly [RegExp, Category])[] = [
  [/optimizer/, 'optimizer_state'],
  [/workspace|temp_space/, 'workspace'],
  [/arg_grad/, 'gradient'],
  [/in_arg|aux_state/, 'parameter'],
  [/^(source|target|target_label|data)$/, 'input'],
  [/^forward_features:/, 'activation'],
];

/**
 * Logs of tagged lines tell neither frees nor passes as a rule: their tags are all there is to go
 * by, and what no tag tells is unknown.
 */
export const hasTagsAlone = (recording: Recording): boolean =>
  recording.run.allocator?.source.startsWith('mxnet') ?? false;

/** The category that an allocation's tag names, if it does. */
export function byTag(recording: Recording, life: Lifetimes): (row: number) => Reason | null {
  const words = hasTagsAlone(recording) ? WORDS : [];
  const known = new Map<number, Reason | null>();
  return (row) => {
    const tag = life.tagOf(row);
    let found = known.get(tag);
    if (found === undefined) {
      const text = tagText(recording, tag).trim().toLowerCase();
      const named = NAMED.get(text) ?? words.find(([word]) => word.test(text))?.[1];
      found = named ? REASONS.tagged(named) : null;
      known.set(tag, found);
    }
    return found;
  };
}
