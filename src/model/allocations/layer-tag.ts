import type { Recording } from '../recording.ts';
import { NO_ID } from './actions.ts';
import { tagText } from './names.ts';

/** What `record --layers` writes on an allocation: `fc1 forward #12`. */
const LAYER_TAG = /^(.* (?:forward|backward|optimizer)) #(\d+)$/;

/** The tag without the iteration, and the iteration; null where it is a tag of somebody else's. */
export function layerTag(
  text: string,
): { readonly part: string; readonly iteration: number } | null {
  const match = LAYER_TAG.exec(text);
  return match ? { part: match[1]!, iteration: Number(match[2]) } : null;
}

/** Tags that differ by the iteration only are one: the first of them stands for all. */
export function tagFamilies(recording: Recording): (tag: number) => number {
  const first = new Map<string, number>();
  const known = new Map<number, number>();
  return (tag) => {
    if (tag === NO_ID) return tag;
    let found = known.get(tag);
    if (found === undefined) {
      const part = layerTag(tagText(recording, tag))?.part;
      found = part === undefined ? tag : (first.get(part) ?? tag);
      if (part !== undefined) first.set(part, found);
      known.set(tag, found);
    }
    return found;
  };
}
