import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
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
  /** The pinned packages whose model, and loop where it has one, it runs. */
  readonly public?: readonly string[];
}

export interface GpuProgram {
  readonly name: string;
  readonly truth: GpuTruth;
}

const HERE = dirname(fileURLToPath(import.meta.url));
/** `unseen`: written after the analysis was frozen, without a look at it. `later`: after that, also without a look. `host`: causes beside the card, which need none. */
const FOLDERS = ['programs', 'unseen', 'later', 'host'].map((folder) => join(HERE, folder));
const FIRST_LINES = 20;

/** Every run of every program. */
export function gpuPrograms(folders = FOLDERS): GpuProgram[] {
  return folders
    .flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
    .filter((file) => /\.(py|mjs)$/.test(file))
    .sort()
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .slice(0, FIRST_LINES)
        .flatMap((line) => {
          const found = /\btruth: (\{.*\})/.exec(line);
          if (!found) return [];
          const truth = JSON.parse(found[1]!) as GpuTruth;
          return [
            { name: [basename(file, extname(file)), ...(truth.args ?? [])].join('-'), truth },
          ];
        }),
    );
}
