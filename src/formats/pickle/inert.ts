import { FormatError } from '../../base/errors.ts';
import type { PickleMachine } from './machine.ts';
import { TAG } from './values.ts';

/**
 * Objects of classes that are known to be nothing but their attributes: such a one is read as the dict of these. No class is looked up
 * and nothing is made of it, so that a name has to be on the list only to say that its attributes are all there is to it.
 */
export function inertStep(
  machine: PickleMachine,
  inert: ReadonlySet<string>,
  bytes: Uint8Array,
  at: number,
  filled: number,
): number | null {
  const { memory } = machine;
  switch (bytes[at]!) {
    case 0x93: {
      // STACK_GLOBAL
      memory.need(2);
      const [module, name] = [memory.top - 2, memory.top - 1].map((place) => {
        memory.resolve(place);
        return machine.objects.value(memory, place);
      });
      if (!inert.has(`${String(module)}.${String(name)}`)) return null;
      memory.top -= 2;
      memory.push(TAG.none, 0);
      return at + 1;
    }
    case 0x63: {
      // GLOBAL: two lines
      const text = new TextDecoder('latin1').decode(
        bytes.subarray(at + 1, Math.min(filled, at + 160)),
      );
      const [module, name, rest] = text.split('\n', 3);
      if (rest === undefined || !inert.has(`${module}.${name}`)) return null;
      memory.push(TAG.none, 0);
      return at + 3 + module!.length + name!.length;
    }
    case 0x81: {
      // NEWOBJ: a class and its arguments
      memory.need(2);
      memory.top -= 2;
      memory.push(TAG.dict, 0);
      return at + 1;
    }
    case 0x62: {
      // BUILD: the attributes of the object below
      memory.need(2);
      const state = memory.top - 1;
      const tag = memory.tagAt(state);
      if (memory.tagAt(state - 1) !== TAG.dict || (tag !== TAG.dict && tag !== TAG.object)) {
        throw new FormatError('has an object with attributes of an unknown kind');
      }
      memory.set(state - 1, tag, memory.valueAt(state));
      memory.top--;
      return at + 1;
    }
  }
  return null;
}
