/** V8 draws a value of a WeakMap twice, from the table and from the key, with the same long name. */
const ENTRY = / pair in WeakMap \(table @(\d+)\)$/;

/** Whether a text might be the name of such an entry, by little of it. */
export function mayBeEntry(length: number, first: number, last: number): boolean {
  return length > 40 && last === 0x29 && first >= 0x30 && first <= 0x39;
}

/** The table's id in an entry's name; null: the text is none. */
export function tableOf(text: string): number | null {
  const match = ENTRY.exec(text);
  return match ? Number(match[1]) : null;
}
