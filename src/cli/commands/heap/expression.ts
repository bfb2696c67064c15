import { parseWay, type Way } from '../../../analyses/heap/index.ts';
import { UserError } from '../../../base/errors.ts';

/** One step of what a person asks, from left to right: `0.referents.bymodule`. */
export type Step =
  | {
      readonly do: 'rows';
      readonly from: number;
      readonly to: number | null;
      readonly slice: boolean;
    }
  | { readonly do: 'by'; readonly way: Way }
  | { readonly do: 'minus'; readonly other: string }
  | { readonly do: 'dump'; readonly file: string }
  | { readonly do: Plain };

const PLAIN = [
  'referents',
  'referrers',
  'paths',
  'holders',
  'retained',
  'stat',
  'more',
  'all',
  'back',
  'top',
] as const;
export type Plain = (typeof PLAIN)[number];

/** Heapy's and others' names for the same. */
const ALIASES: Readonly<Record<string, Plain>> = {
  sp: 'paths',
  shpaths: 'paths',
  path: 'paths',
  biggest: 'holders',
  domisize: 'retained',
  start: 'top',
};

const HINT = 'help lists what can be asked';

export function parseAsk(text: string): Step[] {
  const line = text.trim();
  const by = /^by\s+(\w+)$/.exec(line);
  if (by) return [{ do: 'by', way: parseWay(by[1]!) }];
  const minus = /^(.*?)\s*(?:-|−)\s+(\S.*)$/.exec(line);
  if (minus) return [...steps(minus[1]!), { do: 'minus', other: minus[2]!.trim() }];
  const dump = /^(.*?)\.?(?:stat\.)?dump[\s(]+['"]?([^'")]+)['"]?\)?$/.exec(line);
  if (dump) return [...steps(dump[1]!.replace(/\.$/, '')), { do: 'dump', file: dump[2]!.trim() }];
  return steps(line);
}

function steps(text: string): Step[] {
  const found: Step[] = [];
  // The heap itself may be named as it is in Heapy's guide.
  let rest = text.replace(/^(?:heap|hp|h|_)(?=[.[\s]|$)/, '').trim();
  while (rest !== '') {
    const rows = /^\.?\[?\s*(-?\d+)?\s*(:)?\s*(-?\d+)?\s*\]?/.exec(rest)!;
    if (/\d/.test(rows[0]) || rows[0].includes(':')) {
      found.push(rowsOf(rows));
      rest = rest.slice(rows[0].length).trim();
      continue;
    }
    const word = /^\.?\s*([a-z]\w*)(?:\(\))?/i.exec(rest);
    if (!word) throw new UserError(`'${text}' cannot be understood`, { hint: HINT });
    found.push(wordOf(word[1]!));
    rest = rest.slice(word[0].length).trim();
  }
  return found;
}

function rowsOf([, from, colon, to]: RegExpExecArray): Step {
  const first = Number(from ?? 0);
  if (!colon) return { do: 'rows', from: first, to: first + 1, slice: false };
  return { do: 'rows', from: first, to: to === undefined ? null : Number(to), slice: true };
}

function wordOf(text: string): Step {
  const word = text.toLowerCase();
  if (word.startsWith('by')) return { do: 'by', way: parseWay(word) };
  const plain = ALIASES[word] ?? PLAIN.find((one) => one === word);
  if (plain) return { do: plain };
  throw new UserError(`'${text}' cannot be asked of a heap`, { hint: HINT });
}
