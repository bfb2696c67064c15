import { isObject } from '../base/checks.ts';

/**
 * What a process told of its own size and what explains it (docs/sizes.md). It comes from other people's
 * processes and from files: `readSizes` takes nothing on trust.
 */
export interface ProcessSizes {
  readonly language: string;
  readonly pid: number;
  /** What was taken for the model or simulation. */
  readonly root: string;
  /** Resident bytes. */
  readonly topsize: number;
  readonly code: {
    /** Libraries and programs that are mapped from files. */
    readonly mapped: number;
    /** What loading them allocates; null: not measured. */
    readonly loaded: number | null;
  };
  /** Objects of the root, without array data. */
  readonly simsize: number;
  /** Array data of the root that is in this process. */
  readonly wtsize: number;
  /** Array data of the root that is elsewhere, by device. */
  readonly devices: Readonly<Record<string, number>>;
  readonly connections: number;
  readonly explained: number;
  /** All but code and arrays. */
  readonly optimisable: number;
  /** What the unexplained part is, as far as it can be named; the last is what cannot. */
  readonly rest: readonly (readonly [what: string, bytes: number])[];
  readonly notes: readonly string[];
}

/** What a fresh Python needs to import the same libraries. */
export interface Imports {
  readonly executable: string;
  readonly path: readonly string[];
  readonly modules: readonly string[];
}

/** Sizes of one process at one moment. */
export interface SizesAt {
  /** `exit`, `iteration 5`, `now`. */
  readonly at: string;
  readonly rank: number | null;
  readonly sizes: ProcessSizes;
  readonly imports: Imports | null;
}

const MOST_ROWS = 20;
const MOST_TEXT = 500;

/** null: not what it claims to be. */
export function readSizes(value: unknown): ProcessSizes | null {
  if (!isObject(value) || !isObject(value.code)) return null;
  const { topsize, simsize, wtsize, connections, explained, optimisable, pid } = value;
  const { mapped, loaded } = value.code;
  const numbers = [topsize, simsize, wtsize, connections, explained, optimisable, pid, mapped];
  if (!numbers.every(isSize) || !(loaded === null || isSize(loaded))) return null;
  return {
    language: text(value.language),
    pid: pid as number,
    root: text(value.root),
    topsize: topsize as number,
    code: { mapped: mapped as number, loaded: loaded as number | null },
    simsize: simsize as number,
    wtsize: wtsize as number,
    devices: Object.fromEntries(pairs(Object.entries(asObject(value.devices)))),
    connections: connections as number,
    explained: explained as number,
    optimisable: optimisable as number,
    rest: pairs(value.rest),
    notes: texts(value.notes, MOST_ROWS),
  };
}

/** null: there is nothing that could be started. */
export function readImports(value: unknown): Imports | null {
  const { executable, path, modules } = asObject(asObject(value).imports);
  if (typeof executable !== 'string' || !executable.startsWith('/')) return null;
  return { executable, path: texts(path, 1000), modules: texts(modules, 100_000) };
}

/** With what imports allocate, once that is measured: it was among what had no name, or among the objects. */
export function withImports(sizes: ProcessSizes, loaded: number): ProcessSizes {
  const { topsize, code, wtsize } = sizes;
  const explained = sizes.explained + loaded - (code.loaded ?? 0);
  let left = Math.max(0, topsize - explained);
  const rest = [...sizes.rest].reverse();
  const keep: [string, number][] = [];
  for (const [what, bytes] of rest.filter(([what]) => what !== UNNAMED && what !== OBJECTS)) {
    const size = Math.min(bytes, left);
    if (size > 0) keep.push([what, size]);
    left -= size;
  }
  // Objects beyond the root were counted with those that imports made.
  const objects = sizes.rest.find(([what]) => what === OBJECTS)?.[1] ?? 0;
  const beyond = Math.min(left, Math.max(0, objects - loaded));
  if (beyond > 0) keep.push([OBJECTS, beyond]);
  keep.sort((a, b) => b[1] - a[1]);
  if (left - beyond > topsize * SMALL) keep.push([NATIVE, left - beyond]);
  return {
    ...sizes,
    code: { mapped: code.mapped, loaded },
    explained,
    optimisable: Math.max(0, topsize - code.mapped - loaded - wtsize),
    rest: keep,
  };
}

/** As the agents say it. */
const UNNAMED = 'what imports and libraries allocate';
const OBJECTS = 'objects outside the root';
const NATIVE = "libraries' own memory (buffers, thread stacks)";
const SMALL = 0.01;

const asObject = (value: unknown) => (isObject(value) ? value : {});
const isSize = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, MOST_TEXT) : '');
const texts = (value: unknown, most: number) =>
  (Array.isArray(value) ? value : []).filter((one) => typeof one === 'string').slice(0, most);

function pairs(value: unknown): [string, number][] {
  if (!Array.isArray(value)) return [];
  const good = value.filter(
    (row) => Array.isArray(row) && typeof row[0] === 'string' && isSize(row[1]),
  );
  return good.slice(0, MOST_ROWS).map(([name, bytes]) => [text(name), bytes as number]);
}
