import { type SizeOptions, SizeWalk } from './walk.ts';

export interface AsizeofOptions extends SizeOptions {
  /** Prints so many of the largest types; true: ten. */
  readonly stats?: boolean | number;
  /** Prints so many levels of what is held. */
  readonly detail?: number;
  /** Where to; standard output if not given. */
  readonly print?: (text: string) => void;
}

/** The size of one value: with all it refers to, of that in array data, and the same of what it holds. */
export interface Asized {
  readonly name: string;
  readonly size: number;
  readonly arrays: number;
  readonly refs: readonly Asized[];
}

/** Bytes of a value with all it refers to: shared parts once, array data by its buffer. */
export function asizeof(value: unknown, options: AsizeofOptions = {}): number {
  const walk = new SizeWalk(options);
  walk.add(value);
  const print = options.print ?? ((text: string) => process.stdout.write(text));
  if (options.stats) print(`${table(walk, options.stats === true ? 10 : options.stats)}\n`);
  if (options.detail) print(`${lines(asized(value, options)).join('\n')}\n`);
  return walk.total;
}

/** The same by what is held, `detail` levels deep. What two share counts under the first of them. */
export function asized(value: unknown, options: SizeOptions & { detail?: number } = {}): Asized {
  return sizeOf(new SizeWalk(options), value, nameOf(value), options);
}

function sizeOf(
  walk: SizeWalk,
  value: unknown,
  name: string,
  options: SizeOptions & { detail?: number },
): Asized {
  const { detail = 0 } = options;
  const [total, arrays] = [walk.total, walk.arrayBytes];
  let refs: Asized[] = [];
  if (detail > 0 && typeof value === 'object' && value !== null && !walk.has(value)) {
    // The object itself first; what it holds then counts under its own name.
    walk.addAlone(value);
    refs = children(value).map(([key, held]) =>
      sizeOf(walk, held, key, { ...options, detail: detail - 1 }),
    );
  }
  walk.add(value);
  return { name, size: walk.total - total, arrays: walk.arrayBytes - arrays, refs };
}

function children(value: object): [string, unknown][] {
  const items: [string, unknown][] =
    value instanceof Map ? [...value].map(([key, item]) => [`[${String(key)}]`, item]) : [];
  const own = Reflect.ownKeys(value).flatMap((key): [string, unknown][] => {
    const property = Reflect.getOwnPropertyDescriptor(value, key);
    return property && 'value' in property ? [[String(key), property.value]] : [];
  });
  return [...items, ...own].filter(([, held]) => typeof held !== 'function');
}

const nameOf = (value: unknown) =>
  typeof value === 'object' && value !== null
    ? (value.constructor?.name ?? 'Object')
    : typeof value;

function lines({ name, size, arrays, refs }: Asized, indent = ''): string[] {
  const sorted = [...refs].sort((a, b) => b.size - a.size);
  return [
    `${indent}${name} size=${size} arrays=${arrays}`,
    ...sorted.flatMap((ref) => lines(ref, `${indent}    `)),
  ];
}

function table(walk: SizeWalk, rows: number): string {
  const row = (count: unknown, objects: unknown, arrays: unknown, type: string) =>
    `${String(count).padStart(10)} ${String(objects).padStart(14)} ${String(arrays).padStart(14)}  ${type}`;
  const ranked = [...walk.kinds].sort(([, a], [, b]) => b[1] + b[2] - a[1] - a[2]);
  const more = ranked.length - rows;
  const all = ranked.reduce((sum, [, [count]]) => sum + count, 0);
  return [
    row('count', 'objects', 'arrays', 'type'),
    ...ranked.slice(0, rows).map(([kind, figures]) => row(...figures, kind)),
    ...(more > 0 ? [`${more} more types`] : []),
    row(all, walk.objects, walk.arrayBytes, 'in all'),
  ].join('\n');
}
