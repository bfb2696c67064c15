import type { Program } from '../programs.ts';

/** Unmodified scripts of public packages, installed into `.gauntlet/`. */
export function publicPrograms(): Program[] {
  return [];
}
