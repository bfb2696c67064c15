import { EMPTY_STACK } from '../../../model/allocations/actions.ts';
import type { Frame } from '../../../model/allocations/names.ts';
import { fileName, isOwnFile, isPythonFile, portablePath } from './paths.ts';
import type { Site } from './sites.ts';

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
export type Key = (site: Site) => string | null;

/**
 * From strict to lenient. Folders differ between machines, lines between versions of a program,
 * callers between scripts, native frames by how stacks were recorded, a library's by its version.
 */
export const MATCHES: readonly { readonly match: Match; readonly key: Key }[] = [
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
