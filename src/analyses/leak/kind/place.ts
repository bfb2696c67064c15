/**
 * The place in the program that a holder names (python/highwater/_names.py words them): `train.py:12` where the line
 * is known, `__main__.losses` of a module, class or object, `total in train()` of a function; null where it names none.
 */
export function whereOf(holder: string | undefined): string | null {
  if (!holder) return null;
  const line = / at (\S+:\d+)$/.exec(holder)?.[1];
  if (line) return line;
  const owned = /(?:^| )(\S+) of (?:(?:class|function|closure) )?(?!\d+$)(\S+)$/.exec(holder);
  if (owned) return `${owned[2]}.${owned[1]}`;
  return /(?:^| )(\S+ in \S+\(\))/.exec(holder)?.[1] ?? null;
}
