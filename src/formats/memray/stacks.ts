import { NO_ID } from '../../model/allocations/actions.ts';
import type { Frame } from '../../model/allocations/names.ts';
import type { HeapProfileWriter } from '../heap-profile/writer.ts';
import { type CodeObject, lineOf } from './line-table.ts';

/** Calls by code object and instruction, each made a frame once; stacks as numbers of the recording. */
export class Stacks {
  readonly #writer: HeapProfileWriter;
  readonly #version: number;
  readonly #code = new Map<number, CodeObject>();
  readonly #frames = new Map<number, Map<number, { id: number; frame: Frame }>>();
  /** By the frame that is called, then by who calls it: two small keys, as one large one would be slow to find. */
  readonly #calls: Map<number, number>[] = [];
  #count = 0;

  constructor(writer: HeapProfileWriter, version: number) {
    this.#writer = writer;
    this.#version = version;
  }

  define(id: number, code: CodeObject): void {
    this.#code.set(id, code);
    this.#frames.delete(id);
  }

  /** The stack that is another (NO_ID: none) with a call more. */
  called(by: number, code: number, instruction: number): number {
    const { id, frame } = this.#frame(code, instruction);
    const caller = by === NO_ID ? -1 : by;
    let calls = this.#calls[id];
    if (!calls) {
      calls = new Map();
      this.#calls[id] = calls;
    }
    let stack = calls.get(caller);
    if (stack === undefined) {
      stack = this.#writer.called(by, frame);
      calls.set(caller, stack);
    }
    return stack;
  }

  #frame(id: number, instruction: number): { id: number; frame: Frame } {
    let known = this.#frames.get(id);
    if (!known) {
      known = new Map();
      this.#frames.set(id, known);
    }
    let found = known.get(instruction);
    if (!found) {
      found = { id: this.#count++, frame: this.#made(this.#code.get(id), instruction) };
      known.set(instruction, found);
    }
    return found;
  }

  #made(code: CodeObject | undefined, instruction: number): Frame {
    if (!code) return { function: '[no name]', file: '', line: 0 };
    const line = lineOf(code, instruction, this.#version);
    return { function: code.name, file: code.file, line: line > 0 && line < NO_ID ? line : 0 };
  }
}
