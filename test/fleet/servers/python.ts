import { join } from 'node:path';
import { partFolder } from './folder.ts';

/** A Python with chdb, duckdb, pyarrow and tensorboard. */
export const fleetPython = (): string => join(partFolder('python'), 'bin/python');
