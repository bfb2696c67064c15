import type { LazySweep } from '../answers/opened.ts';
import { fitSweep } from '../sweep/fit.ts';
import { isSweepFolder, readManifest } from '../sweep/manifest-file.ts';
import { openSweep, type SweepWithRecordings } from '../sweep/result.ts';

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
