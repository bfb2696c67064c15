/** Where a name may be cut: what stands between two of its words. A dot is not, in `lr-0.1`. */
const BETWEEN = /[_\-=/: ,]/;

/**
 * Names without what they all begin and end with: `memory_fft.txt`, `memory_direct.txt` become `fft`,
 * `direct`. Cut between words only, and never down to nothing.
 */
export function shortNames(names: readonly string[]): string[] {
  if (new Set(names).size < 2) return [...names];
  const head = wordsFromStart(names);
  const tail = wordsFromEnd(names.map((name) => name.slice(head)));
  const cut = names.map((name) => name.slice(head, name.length - tail));
  return cut.every((name) => name !== '') ? cut : [...names];
}

function wordsFromStart(names: readonly string[]): number {
  const same = commonLength(names, (name, i) => name[i]);
  let length = same;
  // `x=-1` and `x=-2` differ in a number with a sign, not behind a dash.
  const isEdge = (at: number) =>
    BETWEEN.test(names[0]![at - 1]!) &&
    !(names[0]![at - 1] === '-' && !/\w/.test(names[0]![at - 2] ?? ''));
  while (length > 0 && !isEdge(length)) length--;
  return length;
}

/** A common ending counts from its first separator on; an extension's dot is one. */
function wordsFromEnd(names: readonly string[]): number {
  const same = commonLength(names, (name, i) => name[name.length - 1 - i]);
  const ending = names[0]!.slice(names[0]!.length - same);
  const at = ending.search(/[_\-=/: ,]|\.[A-Za-z]\w*$/);
  return at < 0 ? 0 : ending.length - at;
}

function commonLength(
  names: readonly string[],
  letter: (name: string, i: number) => string | undefined,
): number {
  const shortest = Math.min(...names.map((name) => name.length));
  let same = 0;
  while (same < shortest && names.every((name) => letter(name, same) === letter(names[0]!, same))) {
    same++;
  }
  return same;
}
