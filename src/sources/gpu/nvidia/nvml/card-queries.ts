import type { CardMemory } from '../../backend.ts';
import type { Call, Handle, Nvml } from './binding.ts';
import { CODE, MEMORY_V2, MEMORY_V2_BYTES, NOT_AVAILABLE, u64 } from './constants.ts';

/** The two questions that a card is asked again and again: how much memory, and whose. */

/**
 * Reads a card's memory into `into` and returns NVML's code. The second version of the call tells
 * what the driver reserves apart from what is used, as nvidia-smi does; the first counts it as used.
 */
export class MemoryReader {
  readonly #second: Call | null;
  readonly #first: Call | null;
  readonly #words = new Uint32Array(MEMORY_V2_BYTES / 4);

  constructor(nvml: Nvml) {
    this.#second = nvml.optional('nvmlDeviceGetMemoryInfo_v2', 'uintptr_t device, void *memory');
    this.#first = nvml.optional('nvmlDeviceGetMemoryInfo', 'uintptr_t device, void *memory');
  }

  /** Whether reserved memory is told apart: asked of a card, as also the driver has to know how. */
  separates(handle: Handle): boolean {
    this.#words[0] = MEMORY_V2;
    const code = this.#second?.(handle, this.#words) ?? CODE.functionNotFound;
    return code !== CODE.functionNotFound && code !== CODE.versionMismatch;
  }

  read(handle: Handle, separates: boolean, into: CardMemory): number {
    const words = this.#words;
    const call = separates ? this.#second : this.#first;
    if (!call) return CODE.functionNotFound;
    words[0] = MEMORY_V2;
    const code = call(handle, words);
    if (code !== CODE.ok) {
      into.used = into.reserved = into.free = into.total = Number.NaN;
      return code;
    }
    // version (and padding), total, reserved, free, used; or total, free, used.
    into.total = u64(words, separates ? 2 : 0);
    into.reserved = separates ? u64(words, 4) : Number.NaN;
    into.free = u64(words, separates ? 6 : 2);
    into.used = u64(words, separates ? 8 : 4);
    return code;
  }
}

const PARAMETERS = 'uintptr_t device, void *count, void *infos';
/** The three ways to be on a card; a process that computes and draws is in two of the lists. */
const KINDS = ['Compute', 'Graphics', 'MPSCompute'] as const;
/** Room for the longest layout that any driver had: 8 words an entry. */
const ENTRY_WORDS = 8;
const ATTEMPTS = 4;
const UNTOUCHED = 0xa5a5_a5a5;

interface List {
  readonly call: Call;
  /** Words an entry; 0 until an answer told it. */
  entryWords: number;
}

/**
 * Which processes hold memory on a card. The library's newest list is used. Entries have had three
 * sizes: 16 bytes in the oldest call, 24 in later ones, and 32 in a few drivers of the series 535
 * under the very same name; so the size is told by how much of the buffer an answer filled.
 */
export class ProcessList {
  readonly #lists: List[];
  #infos = new Uint32Array(64 * ENTRY_WORDS);
  readonly #count = new Uint32Array(1);

  constructor(nvml: Nvml) {
    this.#lists = KINDS.flatMap((kind) => {
      const name = `nvmlDeviceGet${kind}RunningProcesses`;
      const newest =
        nvml.optional(`${name}_v3`, PARAMETERS) ?? nvml.optional(`${name}_v2`, PARAMETERS);
      if (newest) return [{ call: newest, entryWords: 0 }];
      const oldest = nvml.optional(name, PARAMETERS);
      return oldest ? [{ call: oldest, entryWords: 4 }] : [];
    });
  }

  /**
   * Bytes by pid (NaN: not told), added to `into`. ok as long as one kind of list can be read: a
   * card without graphics knows no graphics processes.
   */
  read(handle: Handle, into: Map<number, number>): number {
    let answer: number = CODE.notSupported;
    for (const list of this.#lists) {
      const code = this.#call(list, handle);
      if (code === CODE.ok) this.#take(list, into);
      if (answer !== CODE.ok && code !== CODE.notSupported) answer = code;
    }
    return answer;
  }

  #call(list: List, handle: Handle): number {
    for (let attempt = 1; ; attempt++) {
      this.#count[0] = this.#infos.length / ENTRY_WORDS;
      if (list.entryWords === 0) this.#infos.fill(UNTOUCHED);
      const code = list.call(handle, this.#count, this.#infos);
      if (code !== CODE.insufficientSize || attempt === ATTEMPTS) return code;
      // Others may come in the meantime: take twice the room that was asked for.
      const room = Math.max(this.#count[0]!, this.#infos.length / ENTRY_WORDS) * 2;
      this.#infos = new Uint32Array(room * ENTRY_WORDS);
    }
  }

  #take(list: List, into: Map<number, number>): void {
    const infos = this.#infos;
    const count = this.#count[0]!;
    if (count === 0) return;
    if (list.entryWords === 0) {
      list.entryWords = infos[count * 6] === UNTOUCHED ? 6 : 8;
    }
    for (let i = 0; i < count; i++) {
      const at = i * list.entryWords;
      const bytes = infos[at + 3] === NOT_AVAILABLE ? Number.NaN : u64(infos, at + 2);
      const known = into.get(infos[at]!);
      into.set(
        infos[at]!,
        known === undefined || Number.isNaN(known) ? bytes : Math.max(known, bytes || 0),
      );
    }
  }
}
