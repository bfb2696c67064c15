import { MiB } from '../../base/bytes.ts';

/**
 * Lines that a patched MXNet 0.12, and `logAllocations` of this package, write to stderr:
 *
 *     [mem] Allocate 4194304 bytes GPU memory (in_arg:fc1_weight).
 *     [mem] 11172 MB GPU global memory free, total 12189 MB.
 *     [mem] Release GPU memory.
 *     [mem] Release 4194304 bytes CPU memory (in_arg:fc1_weight).     (this package only)
 *     Allocate 12 MB GPU memory (mask_workspace).
 *     [mem] finished binding.
 *
 * docs/analyze.md is their description. What they call MB is 1024² bytes, as the patch divides by that.
 */
export type MxnetEvent =
  | { readonly kind: 'allocate' | 'release'; bytes: number; tag: string; onHost: boolean }
  /** A release that does not tell what it releases. */
  | { readonly kind: 'unsized-release' }
  | { readonly kind: 'device'; readonly freeBytes: number; readonly totalBytes: number }
  | { readonly kind: 'bound' }
  /** Begins like one of them, but other output is mixed into it, or it is cut off. */
  | { readonly kind: 'torn' };

/** The beginning of an event. Other output may stand before it on the same line, or behind it. */
const START =
  /(?:\[mem\] )?\b(Allocate|Release) (\d{1,15}) (bytes|MB) ([A-Z]{2,5}) memory \(|\[mem\] (?:(\d{1,9}) MB GPU global memory free, total (\d{1,9}) MB\.|Release GPU memory\.|finished binding|[AR]\w)/g;

/** All events of a line, in order: two threads may write into one. */
export function memoryEvents(line: string): MxnetEvent[] {
  if (!mayTell(line)) return [];
  const starts = [...line.matchAll(START)];
  return starts.map((start, i) =>
    eventOf(start, line.slice(start.index + start[0].length, starts[i + 1]?.index)),
  );
}

/** Most lines of a log are not ours: they should cost no more than a look. */
const mayTell = (line: string) => line.includes('[mem] ') || line.includes(' memory (');

function eventOf(start: RegExpExecArray, rest: string): MxnetEvent {
  const [words, verb, amount, unit, where, free, total] = start;
  if (verb !== undefined) {
    const tag = tagOf(rest);
    const bytes = Number(amount) * (unit === 'MB' ? MiB : 1);
    if (tag === null || !Number.isSafeInteger(bytes)) return { kind: 'torn' };
    const kind = verb === 'Allocate' ? 'allocate' : 'release';
    return { kind, bytes, tag, onHost: where === 'CPU' };
  }
  if (free !== undefined) {
    return { kind: 'device', freeBytes: Number(free) * MiB, totalBytes: Number(total) * MiB };
  }
  if (words === '[mem] Release GPU memory.') return { kind: 'unsized-release' };
  return { kind: words.startsWith('[mem] finished') ? 'bound' : 'torn' };
}

/** What stands before the `).` that closes the bracket; tags may hold brackets and spaces. */
function tagOf(text: string): string | null {
  let depth = 1;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) {
      if (text[i + 1] === '.') return text.slice(0, i);
      break;
    }
  }
  // A tag whose brackets do not match ends at the first that could end it.
  const end = text.indexOf(').');
  return end < 0 ? null : text.slice(0, end);
}
