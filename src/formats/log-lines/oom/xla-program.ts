import { parseSize } from '../../../base/bytes.ts';
import type { XlaBuffer, XlaProgram } from '../../../model/out-of-memory.ts';
import { size } from './message.ts';

/** XLA lists at most twenty; what says more is no list of its own. */
const MOST_BUFFERS = 32;
const LONGEST_TEXT = 200;

type Part = 'parameters' | 'constants' | 'outputs' | 'temporaries' | 'total' | 'fragmentation';

/** By the name before the figure: of BufferAssignment's statistics (GPU, CPU), and of a TPU's table. */
const PARTS: readonly (readonly [Part, RegExp])[] = [
  ['parameters', /^\s{0,30}(?:parameter allocation:|arguments )\s{1,20}SIZE/],
  ['constants', /^\s{0,30}constant allocation:\s{1,20}SIZE/],
  ['outputs', /^\s{0,30}(?:maybe_live_out allocation:\s{1,20}|Output size )SIZE/],
  ['temporaries', /^\s{0,30}(?:preallocated temp allocation:|HLO temp )\s{1,20}SIZE/],
  ['total', /^\s{0,30}(?:total allocation:\s{1,20}|Program hbm requirement )SIZE/],
  ['fragmentation', /^\s{0,30}total fragmentation:\s{1,20}SIZE/],
];
const BEGINS = /BufferAssignment (?:OOM Debugging|stats)|^\s{0,4}Total hbm usage >=/;
const LISTED =
  /^\s{0,30}(?:Shape|Entry Parameter Subshape|Operator|XLA [Ll]abel|Allocation type|Unpadded size|={10,})/;
const BUFFER = /^\s{0,30}(?:Buffer \d{1,3}:|(?:\d{1,3}\. )?Size: (\S{1,20}))/;

/**
 * What XLA says of a program that did not fit: its parts, and its largest buffers with the operation that makes each. It follows
 * the message in up to a hundred and fifty lines.
 */
export class XlaProgramReader {
  #parts: Partial<Record<Part, number>> = {};
  #buffers: Partial<Record<keyof XlaBuffer, string | number>>[] = [];
  #open = false;

  /** Whether the line is of such a list. */
  push(line: string): boolean {
    if (BEGINS.test(line)) this.#open = true;
    if (!this.#open) return false;
    for (const [part, pattern] of PARTS) this.#parts[part] ??= size(line, pattern);
    const buffer = BUFFER.exec(line);
    if (buffer) this.#begin(buffer[1]);
    else this.#describe(line);
    return buffer !== null || LISTED.test(line);
  }

  /** The program that was told of since the last time; null: none. */
  take(): XlaProgram | null {
    const parts = Object.fromEntries(
      Object.entries(this.#parts).filter(([, bytes]) => bytes !== undefined),
    );
    const buffers = this.#buffers.filter((one) => one.bytes !== undefined) as unknown[];
    this.#parts = {};
    this.#buffers = [];
    this.#open = false;
    if (Object.keys(parts).length === 0 && buffers.length === 0) return null;
    return { ...parts, buffers: buffers as XlaBuffer[] };
  }

  #begin(sized: string | undefined): void {
    const last = this.#buffers.at(-1);
    const bytes = sized === undefined ? undefined : sizeOf(sized);
    if (last && last.bytes === undefined && bytes !== undefined) last.bytes = bytes;
    else if (this.#buffers.length < MOST_BUFFERS) this.#buffers.push({ bytes });
  }

  #describe(line: string): void {
    const last = this.#buffers.at(-1);
    if (!last) return;
    const note = (key: keyof XlaBuffer, pattern: RegExp) => {
      const text = pattern.exec(line)?.[1];
      if (text !== undefined) last[key] ??= text.slice(0, LONGEST_TEXT);
    };
    note('operation', /\bop_name="([^"]{1,2000})"/);
    note('file', /\bsource_file="([^"]{1,1000})"/);
    const at = /\bsource_line=(\d{1,9})/.exec(line)?.[1];
    if (at !== undefined) last.line ??= Number(at);
    note('shape', /^\s{0,30}(?:Shape|Entry Parameter Subshape): ([^{\s]{1,300})/);
    if (/^\s{0,30}Entry Parameter Subshape: /.test(line)) last.what = 'parameter';
    note('what', /^\s{0,30}Allocation type: (.{1,60}?)\s{0,20}$/);
  }
}

function sizeOf(text: string): number | undefined {
  const m = /^(\d{1,15}(?:\.\d{1,6})?)([KMGT]?)(?:i?B)?$/.exec(text);
  return m ? parseSize(`${m[1]}${m[2] ? `${m[2]}iB` : 'B'}`) : undefined;
}
