import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PublicProgram } from './public/kinds.ts';
import { publicPrograms } from './public/programs.ts';
import { type Truth, truthsIn } from './truth.ts';

/**
 * `tuning`: what rules are made with. `held-out`: nobody looks at their results meanwhile. `unseen`: chosen after the rules were frozen.
 * `fresh`: the next of that kind, never run with Highwater before the rules are scored on it once.
 */
export const SETS = ['tuning', 'held-out', 'unseen', 'fresh'] as const;
export type ProgramSet = (typeof SETS)[number];

/** One run: a program with its words, and what is true of it. */
export interface Program {
  readonly name: string;
  readonly set: ProgramSet;
  readonly truth: Truth;
  /** The file, or what installs and starts a public one. */
  readonly command: ProgramCommand;
}

export type ProgramCommand =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'public'; readonly program: PublicProgram };

const HERE = dirname(fileURLToPath(import.meta.url));
const FOLDER = join(HERE, 'programs');
/** How each kind of file is run is in run.ts. */
export const EXTENSIONS = ['.py', '.mjs', '.c', '.sh'];

/** Every program, ours and public ones, in a steady order. */
export function programs(): Program[] {
  const ours = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => EXTENSIONS.includes(extname(name)))
    .sort()
    .flatMap((name) => fromFile(join(FOLDER, name)));
  return [...ours, ...publicPrograms()];
}

function fromFile(path: string): Program[] {
  const [set] = relative(FOLDER, path).split(sep);
  if (!SETS.includes(set as ProgramSet)) throw new Error(`${path}: in none of ${SETS.join(', ')}`);
  return truthsIn(readFileSync(path, 'utf8'), path).map((truth) => ({
    name: [basename(path), ...truth.args].join(' '),
    set: set as ProgramSet,
    truth,
    command: { kind: 'file', path },
  }));
}
