import { FormatError } from '../../base/errors.ts';
import { redactArgv } from '../../base/secrets/index.ts';
import { NO_ID } from '../../model/allocations/actions.ts';
import type { Frame } from '../../model/allocations/names.ts';
import type { Recording } from '../../model/recording.ts';
import { SitesAtPeak } from '../heap-profile/sites-at-peak.ts';
import { HeapProfileWriter } from '../heap-profile/writer.ts';

/** The newest that is known; from 3 on texts come with their lengths. */
const NEWEST = 3;
const SIZED_TEXTS = 3;
/** C++'s own names of malloc: what is made there, its caller makes. */
const OPERATOR_NEW: ReadonlySet<string> = new Set([
  ...['operator new(unsigned long)', 'operator new[](unsigned long)'],
  ...['operator new(unsigned int)', 'operator new[](unsigned int)'],
]);

/** Where an instruction is: the innermost of inlined calls first. */
interface Place {
  readonly frames: readonly Frame[];
  readonly isNew: boolean;
}

/** A stack is the one of its caller with one place more; number 0 is the empty one. */
interface Trace {
  readonly place: number;
  readonly parent: number;
}

/**
 * The file, line by line: a letter and numbers in hexadecimal. `s` a text, `i` a place, `t` a stack, `a` an allocation's size and
 * stack, then `+` and `-` for each time that one like it was made and freed. All are numbered in the order in which they come, from 1 on
 * (allocations from 0).
 */
export class Profile {
  readonly #name: string;
  readonly #texts: string[] = [''];
  readonly #places: Place[] = [{ frames: [], isNew: false }];
  readonly #traces: Trace[] = [{ place: 0, parent: 0 }];
  readonly #sizes: number[] = [];
  readonly #stacks: number[] = [];
  readonly #sites = new SitesAtPeak();
  readonly #made: number[] = [];
  readonly #madeBytes: number[] = [];
  #version = 0;
  #line = 0;
  #command = '';
  #attached = false;
  /** A text with line ends in it, as far as it was read. */
  #open: { text: string; bytes: number } | null = null;

  constructor(name: string) {
    this.#name = name;
  }

  line(line: string): void {
    this.#line++;
    if (this.#open) {
      this.#text(`${this.#open.text}\n${line}`, this.#open.bytes);
      return;
    }
    if (this.#version === 0 && line[0] !== 'v') throw this.#refusal('expected its version');
    switch (line[0]) {
      case '+':
        this.#change(this.#number(line, 2), 1);
        return;
      case '-':
        this.#change(this.#number(line, 2), -1);
        return;
      case 'a':
        this.#allocation(line);
        return;
      case 't':
        this.#trace(line);
        return;
      case 'i':
        this.#place(line);
        return;
      case 's':
        this.#string(line);
        return;
      case 'v':
        this.#versions(line);
        return;
      case 'X':
        this.#command = line.slice(2);
        return;
      case 'A':
        this.#attached = true;
        return;
      // Times, resident sizes, the machine's pages, what to leave out of lists of leaks, comments.
      case 'c':
      case 'R':
      case 'I':
      case 'S':
      case '#':
      case undefined:
        return;
      case 'x':
      case 'm':
        throw new FormatError(`${this.#name} is a raw file of heaptrack`, {
          hint: `heaptrack --interpret ${this.#name}`,
        });
    }
    throw this.#refusal('no line of heaptrack');
  }

  recording(): Recording {
    if (this.#version === 0 || this.#open) {
      throw new FormatError(`${this.#name} ends before anything was allocated`, {
        hint: 'is it a whole file of heaptrack?',
      });
    }
    const argv = redactArgv(this.#command.split(' ').filter(Boolean));
    const writer = new HeapProfileWriter(this.#name, 'heaptrack', { argv });
    const stackOf = this.#stackNumbers(writer);
    const { peakBytes, peakObjects, bytes, objects } = this.#sites;
    for (const [trace, made] of this.#made.entries()) {
      if (!made) continue;
      writer.add(stackOf(trace), {
        bytes: peakBytes[trace]!,
        objects: peakObjects[trace]!,
        allocatedBytes: this.#madeBytes[trace]!,
        allocatedObjects: made,
        leftBytes: bytes[trace]!,
        leftObjects: objects[trace]!,
      });
    }
    return writer.build(
      this.#attached
        ? ['heaptrack was attached to a running program: what was allocated before is not in it']
        : [],
    );
  }

  #versions(line: string): void {
    const [, heaptrack, file] = line.split(' ');
    // 1.0 wrote no version of the file.
    this.#version =
      file === undefined && heaptrack === '10200' ? 1 : Number.parseInt(file ?? '', 16);
    if (this.#version >= 1 && this.#version <= NEWEST) return;
    throw new FormatError(
      `${this.#name} is of version ${String(file).slice(0, 20)} of heaptrack's files; 1 to ${NEWEST} are known`,
      { hint: 'show it with heaptrack_print, or record it again with heaptrack 1.x' },
    );
  }

  #string(line: string): void {
    if (this.#version < SIZED_TEXTS) {
      this.#texts.push(line.slice(2));
      return;
    }
    const end = line.indexOf(' ', 2);
    this.#text(line.slice(end + 1), this.#number(line, 2));
  }

  /** Lengths are of bytes; a text that is shorter goes on in the next line. */
  #text(text: string, bytes: number): void {
    const has = byteLength(text);
    if (has > bytes) throw this.#refusal('a text that is longer than it says');
    this.#open = has < bytes ? { text, bytes } : null;
    if (has + 1 < bytes && bytes > MOST_TEXT) throw this.#refusal(`a text of ${bytes} bytes`);
    if (!this.#open) this.#texts.push(text);
  }

  #place(line: string): void {
    const [, module, ...numbers] = this.#numbers(line);
    const file = this.#texts[module ?? 0];
    if (file === undefined) throw this.#refusal(`text ${module}, which it does not have`);
    const frames: Frame[] = [];
    for (let i = 0; i + 2 < numbers.length; i += 3) {
      const [name, source] = [this.#texts[numbers[i]!], this.#texts[numbers[i + 1]!]];
      if (name === undefined || source === undefined) {
        throw this.#refusal('a text that it does not have');
      }
      const line = numbers[i + 2]!;
      frames.push({
        function: name || unnamed(file),
        file: source || file,
        line: source !== '' && line < NO_ID ? line : 0,
      });
    }
    // A place without a function may have its library alone; addresses differ from run to run.
    if (frames.length === 0) {
      const name = numbers[0] ? this.#texts[numbers[0]] : undefined;
      frames.push({ function: name || unnamed(file), file, line: 0 });
    }
    this.#places.push({ frames, isNew: OPERATOR_NEW.has(frames[0]!.function) });
  }

  #trace(line: string): void {
    const [place, parent] = this.#numbers(line);
    if (place === undefined || parent === undefined) throw this.#refusal('half a stack');
    if (place >= this.#places.length) throw this.#refusal(`place ${place}, which it does not have`);
    if (parent >= this.#traces.length)
      throw this.#refusal(`stack ${parent}, which it does not have`);
    this.#traces.push({ place, parent });
  }

  #allocation(line: string): void {
    const [size, trace] = this.#numbers(line);
    if (size === undefined || trace === undefined) throw this.#refusal('half an allocation');
    if (trace >= this.#traces.length) throw this.#refusal(`stack ${trace}, which it does not have`);
    this.#sizes.push(size);
    this.#stacks.push(trace);
  }

  #change(index: number, by: 1 | -1): void {
    const trace = this.#stacks[index];
    if (trace === undefined) throw this.#refusal(`allocation ${index}, which it does not have`);
    const size = this.#sizes[index]!;
    this.#sites.change(trace, by * size, by);
    if (by < 0) return;
    this.#made[trace] = (this.#made[trace] ?? 0) + 1;
    this.#madeBytes[trace] = (this.#madeBytes[trace] ?? 0) + size;
  }

  /** Numbers of stacks in the recording, each made once: a stack's caller stands before it. */
  #stackNumbers(writer: HeapProfileWriter): (trace: number) => number {
    const known = new Map<number, number>();
    const numberOf = (trace: number): number => {
      const chain: number[] = [];
      let at = trace;
      while (at !== 0 && !known.has(at)) {
        chain.push(at);
        at = this.#traces[at]!.parent;
      }
      let stack = at === 0 ? NO_ID : known.get(at)!;
      for (const one of chain.reverse()) {
        for (const frame of this.#places[this.#traces[one]!.place]!.frames.toReversed()) {
          stack = writer.called(stack, frame);
        }
        known.set(one, stack);
      }
      return stack;
    };
    return (trace) => {
      let at = trace;
      while (at !== 0 && this.#places[this.#traces[at]!.place]!.isNew)
        at = this.#traces[at]!.parent;
      return numberOf(at);
    };
  }

  #numbers(line: string): number[] {
    return line
      .slice(2)
      .split(' ')
      .map((word) => this.#hex(word));
  }

  #number(line: string, from: number): number {
    const end = line.indexOf(' ', from);
    return this.#hex(end < 0 ? line.slice(from) : line.slice(from, end));
  }

  #hex(word: string): number {
    const value = Number.parseInt(word, 16);
    if (value >= 0 && word.length <= 16) return value;
    throw this.#refusal('no number where one should be');
  }

  #refusal(what: string): FormatError {
    return new FormatError(`${this.#name}, line ${this.#line}: ${what}`, {
      hint: 'is it a whole file of heaptrack?',
    });
  }
}

/** Names of C++ can be very long, and none is as long. */
const MOST_TEXT = 1 << 20;

const unnamed = (file: string) => (file === '' ? '[no name]' : `[in ${file.split('/').at(-1)}]`);

function byteLength(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // Half of a pair of UTF-16, which is four bytes of UTF-8.
    if (code >= 0xd800 && code < 0xe000) bytes += 2;
    else bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
  }
  return bytes;
}
