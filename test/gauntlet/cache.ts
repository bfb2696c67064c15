import { resolve } from 'node:path';

/** Installed and compiled things, kept between runs; git ignores it. */
export const CACHE = resolve('.gauntlet');
