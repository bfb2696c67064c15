import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What is true of one run of a program on a card; in its first lines, as run.py reads them. */
export interface GpuTruth {
  /** `verdict.cause.code`. */
  readonly cause: string;
  readonly serving?: boolean;
  /** What the report must name as the holder, as a pattern. */
  readonly held?: string;
  /** It dies: its cause is one of memory that ran out. */
  readonly ends?: number;
  readonly args?: readonly string[];
}

export interface GpuProgram {
  readonly name: string;
  readonly truth: GpuTruth;
}

const PROGRAMS = join(dirname(fileURLToPath(import.meta.url)), 'programs');
const FIRST_LINES = 20;

/** Every run of every program. */
export function gpuPrograms(folder = PROGRAMS): GpuProgram[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.py'))
    .sort()
    .flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .slice(0, FIRST_LINES)
        .flatMap((line) => {
          const found = /\btruth: (\{.*\})/.exec(line);
          if (!found) return [];
          const truth = JSON.parse(found[1]!) as GpuTruth;
          return [{ name: [basename(file, '.py'), ...(truth.args ?? [])].join('-'), truth }];
        }),
    );
}
