import { ellipsize } from './text.ts';

/**
 * What neither shows nor stays harmless in a line: control and format characters (zero width, direction of writing,
 * tags), lone surrogates, private and unassigned ones, line and paragraph separators.
 */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Somebody else's text as one visible line of at most so many characters, shortened in the middle. */
export function oneLine(text: string, width: number): string {
  // A text of megabytes is cut before it is searched; the middle goes in any case.
  const ends = text.length > 8 * width ? text.slice(0, 4 * width) + text.slice(-4 * width) : text;
  const shown = ends.replace(INVISIBLE, '·');
  // Cutting may part a pair of surrogates.
  return ellipsize(shown, width).replace(INVISIBLE, '·');
}

/** Bytes in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
