import type { Redactor } from '../base/redaction/index.ts';
import type { SizesAt } from './sizes.ts';

/** What a process told of its size, to give away. How to import its libraries again is left out: it names where they lie. */
export function redactSizes({ at, rank, sizes }: SizesAt, redactor: Redactor): SizesAt {
  const own = (text: string) => redactor.own(text);
  return {
    at: own(at),
    rank,
    sizes: {
      ...sizes,
      language: own(sizes.language),
      root: own(sizes.root),
      devices: Object.fromEntries(
        Object.entries(sizes.devices).map(([device, bytes]) => [own(device), bytes]),
      ),
      rest: sizes.rest.map(([what, bytes]) => [own(what), bytes] as const),
      notes: sizes.notes.map(own),
    },
    imports: null,
  };
}
