import type { Fit } from '../analyses/fit/index.ts';
import type { Sweep } from '../analyses/sweep/index.ts';
import { type FitRequest, fitSweep } from '../sweep/fit.ts';
import { isSweepFolder, readManifest } from '../sweep/manifest-file.ts';
import { openSweep, type SweepWithRecordings } from '../sweep/result.ts';

/** A sweep's folder, read when it is first looked at. */
export interface LazySweep {
  /** What `highwater report FOLDER --json` prints. */
  readonly result: Sweep;
  /** What would fit, as `--fit`, `--at` and `--in-use` ask. */
  fit(request: FitRequest): Fit;
}

/** The sweep that the one input is the folder of. */
export function lazySweep(inputs: readonly string[]): LazySweep | undefined {
  const [folder] = inputs;
  if (inputs.length !== 1 || folder === undefined || !isSweepFolder(folder)) return undefined;
  let opened: SweepWithRecordings | undefined;
  const open = () => {
    opened ??= openSweep(folder, readManifest(folder));
    return opened;
  };
  return {
    get result() {
      return open().result;
    },
    fit: (request) => fitSweep(open(), request),
  };
}
