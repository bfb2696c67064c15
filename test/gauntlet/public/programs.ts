import type { Program } from '../programs.ts';
import { truthFrom } from '../truth.ts';
import { FRESH } from './fresh.ts';
import { FRESH_DRIVEN } from './fresh-driven.ts';
import { PUBLIC } from './list.ts';

/** Unmodified programs of public packages, installed into `.gauntlet/`. */
export const publicPrograms = (): Program[] =>
  [...PUBLIC, ...FRESH, ...FRESH_DRIVEN].map((program) => ({
    name: program.name,
    set: program.set,
    truth: truthFrom(program.truth, program.name),
    command: { kind: 'public', program },
  }));
