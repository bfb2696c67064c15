import type { Recording } from '../recording.ts';
import { EMPTY_STACK, NO_ID } from './actions.ts';
import { type Frame, framesOf, tagText } from './names.ts';

/** In place of frames, as other tools have no word for a stack that is missing. */
export const NO_STACK = '[no stack was recorded]';
const NO_FRAMES = "[autograd's thread, without frames]";

/**
 * The frames of a stack as tools for flame graphs want them: outermost first, never none, and a
 * tag as if the stack had called it.
 */
export function stackPath(recording: Recording, stack: number, tag: number): Frame[] {
  const frames = framesOf(recording, stack).reverse();
  const label = tagText(recording, tag);
  if (stack === EMPTY_STACK) frames.push(named(NO_FRAMES));
  else if (frames.length === 0 && (stack !== NO_ID || label === '')) frames.push(named(NO_STACK));
  if (label !== '') frames.push(named(label));
  return frames;
}

const named = (name: string): Frame => ({ function: name, file: '', line: 0 });

/** `forward (model.py:12)`; native frames have no file that is known. */
export function frameText({ function: name, file, line }: Frame): string {
  if (file === '' || file === '??') return name;
  return `${name} (${file}${line > 0 ? `:${line}` : ''})`;
}
