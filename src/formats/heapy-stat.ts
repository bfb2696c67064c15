import { FormatError } from '../base/errors.ts';
import { count as counted } from '../base/text.ts';
import type { HeapStat, StatRow } from '../model/heap/stat.ts';

/**
 * Heapy's dump of a partition (guppy3's `heap.stat.dump(file)`), line by line `.name: value`, one `.r:` a
 * row. Kinds may hold line ends, which Heapy would write as they are: ours are written as spaces.
 */
const MOST_ROWS = 10_000_000;

export function isHeapyStat(head: Uint8Array): boolean {
  return new TextDecoder().decode(head.subarray(0, 40)).startsWith('.loader: _load_stat');
}

export function* writeHeapyStat(stat: HeapStat): Generator<string> {
  yield '.loader: _load_stat\n.format: SetFormat\n';
  yield `.timemade: ${stat.made.toFixed(6)}\n.count: ${stat.count}\n.size: ${stat.size}\n`;
  yield `.kindname: ${stat.kindName}\n.kindheader: ${stat.header}\n.numrows: ${stat.rows.length}\n`;
  for (const { count, size, kind } of stat.rows) {
    yield `.r: ${count} ${size} ${kind.replace(/[\r\n]+/g, ' ')}\n`;
  }
  yield '.end: .loader: _load_stat\n';
}

/** The first table of a file, which may hold several: Heapy appends. */
export function readHeapyStat(name: string, lines: Iterable<string>): HeapStat {
  const fields = new Map<string, string>();
  const rows: StatRow[] = [];
  let [number, ended] = [0, false];
  for (const line of lines) {
    number++;
    if (line.startsWith('.end:')) {
      ended = true;
      break;
    }
    if (line.startsWith('.r: ')) rows.push(rowOf(name, line, number));
    else {
      const match = /^\.(\w+): ?(.*)$/.exec(line);
      if (!match)
        throw new FormatError(`${name}, line ${number}: not a line of a heap's statistics`);
      fields.set(match[1]!, match[2]!);
    }
    if (rows.length > MOST_ROWS) throw new FormatError(`${name}: over ${MOST_ROWS} rows`);
  }
  if (!ended) {
    throw new FormatError(`${name}, line ${number}: it ends without its last line`, {
      hint: 'it was cut: dump it again',
    });
  }
  const said = Number(fields.get('numrows') ?? rows.length);
  if (said !== rows.length) {
    throw new FormatError(`${name}: it says ${counted(said, 'row')} and has ${rows.length}`);
  }
  const sum = (key: 'count' | 'size') => rows.reduce((total, row) => total + row[key], 0);
  return {
    type: 'heap-stat',
    made: Number(fields.get('timemade') ?? 0),
    header: fields.get('kindheader') ?? '',
    kindName: fields.get('kindname') ?? '',
    count: sum('count'),
    size: sum('size'),
    rows,
  };
}

function rowOf(name: string, line: string, number: number): StatRow {
  const match = /^\.r: (-?\d+) (-?\d+) (.*)$/.exec(line);
  if (match) return { count: Number(match[1]), size: Number(match[2]), kind: match[3]! };
  throw new FormatError(`${name}, line ${number}: not a row of count, size and kind`);
}
