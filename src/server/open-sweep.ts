import { fitSweep } from '../sweep/fit.ts';
import { isSweepFolder, readManifest } from '../sweep/manifest-file.ts';
import { type OpenedSweep, openSweep } from '../sweep/result.ts';
import type { OpenSweep } from './resources/sweep.ts';

/** The sweep that the one input is the folder of; read when it is first looked at. */
export function lazySweep(inputs: readonly string[]): OpenSweep | undefined {
  const [folder] = inputs;
  if (inputs.length !== 1 || folder === undefined || !isSweepFolder(folder)) return undefined;
  let opened: OpenedSweep | undefined;
  const open = () => {
    opened ??= openSweep(folder, readManifest(folder));
    return opened;
  };
  return {
    get result() {
      return open().result;
    },
    fit: (question) => fitSweep(open(), question),
  };
}
