const NUMBERS: Readonly<Record<string, number>> = { M: 2, L: 2, H: 1, V: 1, C: 6, Q: 4, Z: 0 };

/** SVG path data, as charts write it, as a PDF's operators. */
export function pathOperators(d: string): string {
  const made: string[] = [];
  let [x, y, startX, startY] = [0, 0, 0, 0];
  for (const [, letter, rest] of d.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
    const command = letter!.toUpperCase();
    const takes = NUMBERS[command];
    if (takes === undefined) throw new Error(`a path has ${letter}, which is not drawn`);
    const all = (rest!.match(/[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi) ?? []).map(Number);
    if (takes === 0) {
      made.push('h');
      [x, y] = [startX, startY];
      continue;
    }
    const relative = letter !== command;
    for (let at = 0; at + takes <= all.length; at += takes) {
      const given = all.slice(at, at + takes);
      const [baseX, baseY] = relative ? [x, y] : [0, 0];
      const points =
        command === 'H'
          ? [given[0]! + baseX, y]
          : command === 'V'
            ? [x, given[0]! + baseY]
            : given.map((value, i) => value + (i % 2 === 0 ? baseX : baseY));
      if (command === 'Q') {
        const [cx, cy, endX, endY] = points as [number, number, number, number];
        const between = (from: number, to: number) => from + (2 / 3) * (to - from);
        points.splice(0, 2, between(x, cx), between(y, cy), between(endX, cx), between(endY, cy));
      }
      [x, y] = points.slice(-2) as [number, number];
      // More points after a first one are lines.
      const begins = command === 'M' && at === 0;
      if (begins) [startX, startY] = [x, y];
      const operator = begins ? 'm' : points.length === 6 ? 'c' : 'l';
      made.push(`${points.map(plain).join(' ')} ${operator}`);
    }
  }
  return made.join(' ');
}

/** No exponent, which PDF does not know. */
const plain = (value: number) => value.toFixed(3).replace(/\.?0+$/, '');
