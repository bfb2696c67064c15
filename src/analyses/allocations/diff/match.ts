import { EMPTY_STACK } from '../../../model/allocations/actions.ts';
import type { Frame } from '../../../model/allocations/names.ts';
import type { Site } from './sites.ts';

/** Sites of both that are the same place in the program; one side is empty where only one has it. */
export interface Pairing {
  readonly a: readonly Site[];
  readonly b: readonly Site[];
  /** null: only one of the two has it. */
  readonly match: Match | null;
}

/** Strict matches first: what they leave over is looked at ever more leniently. */
export function matchSites(a: readonly Site[], b: readonly Site[]): Pairing[] {
  const found: Pairing[] = [];
  let left: Pick<Pairing, 'a' | 'b'> = { a, b };
  for (const { match, key } of MATCHES) {
    const groups = new Map<string, { a: Site[]; b: Site[] }>();
    const rest: { a: Site[]; b: Site[] } = { a: [], b: [] };
    for (const side of ['a', 'b'] as const) {
      for (const site of left[side]) {
        const text = key(site);
        if (text === null) rest[side].push(site);
        else {
          const group = groups.get(text) ?? { a: [], b: [] };
          group[side].push(site);
          groups.set(text, group);
        }
      }
    }
    for (const group of groups.values()) {
      if (group.a.length > 0 && group.b.length > 0) found.push({ ...group, match });
      else for (const side of ['a', 'b'] as const) rest[side].push(...group[side]);
    }
    left = rest;
  }
  return [...found, ...alone(left)];
}

/** What only one of them has, still one entry for each content. */
function alone({ a, b }: Pick<Pairing, 'a' | 'b'>): Pairing[] {
  const merged = (sites: readonly Site[]) => {
    const groups = new Map<string, Site[]>();
    for (const site of sites) {
      const key = MATCHES[0]!.key(site)!;
      groups.set(key, [...(groups.get(key) ?? []), site]);
    }
    return [...groups.values()];
  };
  return [
    ...merged(a).map((sites) => ({ a: sites, b: [], match: null })),
    ...merged(b).map((sites) => ({ a: [], b: sites, match: null })),
  ];
}

/** How two sites were found to be the same; the first that fits counts. */
export type Match =
  | 'exact'
  | 'other folder'
  | 'other lines'
  | 'other folder and lines'
  | 'other caller'
  | 'other caller and lines'
  | 'same ends';

/** The content of a site as text; null where this way of looking does not see it. */
type Key = (site: Site) => string | null;

/**
 * From strict to lenient. Folders differ between machines, lines between versions of a program,
 * callers between scripts, native frames by how stacks were recorded, a library's by its version.
 */
const MATCHES: readonly { readonly match: Match; readonly key: Key }[] = [
  { match: 'exact', key: keyOf(all, portablePath, 'lines') },
  { match: 'other folder', key: keyOf(all, fileName, 'lines') },
  { match: 'other lines', key: keyOf(all, portablePath) },
  { match: 'other folder and lines', key: keyOf(all, fileName) },
  { match: 'other caller', key: keyOf(inner, fileName, 'lines') },
  { match: 'other caller and lines', key: keyOf(inner, fileName) },
  { match: 'same ends', key: keyOf(ends, fileName) },
];

/** The frames of a stack that count; null: it has none of Python. */
type Select = (frames: readonly Frame[]) => readonly Frame[] | null;

function keyOf(select: Select, path: (file: string) => string, lines?: 'lines'): Key {
  const place = ({ function: name, file, line }: Frame) =>
    `${name}\t${path(file)}\t${lines ? line : ''}`;
  return ({ stack, frames, tag, category }) => {
    if (frames.length === 0 && stack !== EMPTY_STACK) return `none\t${category}\n\n${tag}`;
    const seen = frames.length === 0 ? null : select(frames);
    // Without a frame of Python, what it is taken for is all that tells two of them apart.
    if (seen === null) return `native\t${category}\n\n${tag}`;
    return seen.length === 0 ? null : `${seen.map(place).join('\n')}\n\n${tag}`;
  };
}

function all(frames: readonly Frame[]): readonly Frame[] {
  return frames;
}

/** From the innermost frame out to the first function of the program itself. */
function inner(frames: readonly Frame[]): readonly Frame[] | null {
  const python = frames.filter(({ file }) => isPythonFile(file));
  if (python.length === 0) return null;
  const first = python.findIndex(isOwn);
  return first < 0 ? python.filter(isInside) : python.slice(0, first + 1);
}

/** The innermost call and the first function of the program itself, whatever lies between. */
function ends(frames: readonly Frame[]): readonly Frame[] | null {
  const found = inner(frames);
  const last = found?.at(-1);
  if (!found || !last) return found;
  return isOwn(last) ? [found[0]!, last] : [];
}

/** Whatever starts a program calls its functions: which script it was does not matter to them. */
const isInside = ({ function: name, file }: Frame) =>
  name !== '<module>' && !/^<frozen |(^|\/)runpy\.py$/.test(file);

const isOwn = (frame: Frame) => isInside(frame) && isOwnFile(frame.file);

/** Files of a program, told apart and named alike on any machine. */

const PACKAGES = /^.*\/(?:site|dist)-packages\//;
const STANDARD = /^.*\/lib\/python\d[\w.]*\//;
/** Code that torch.compile writes: the folder has the user's name, the file a hash. */
const COMPILED = /^.*\/torchinductor_[^/]*\/.*$/;
const NUMBERED = /^(<eval_with_key>)\.\d+/;

/** A path without what differs between machines and between runs. */
function portablePath(file: string): string {
  return file
    .replaceAll('\\', '/')
    .replace(COMPILED, 'torchinductor')
    .replace(NUMBERED, '$1')
    .replace(PACKAGES, '')
    .replace(STANDARD, '');
}

/** Files of packages are at home in their package: only the program's own move about. */
function fileName(file: string): string {
  const path = portablePath(file);
  return isPackaged(file) ? path : path.slice(path.lastIndexOf('/') + 1);
}

const isPythonFile = (file: string) => /\.py$/.test(file) || file.startsWith('<');

const isOwnFile = (file: string) => /\.py$/.test(file) && !isPackaged(file) && !COMPILED.test(file);

function isPackaged(file: string): boolean {
  const path = file.replaceAll('\\', '/');
  return PACKAGES.test(path) || STANDARD.test(path);
}
