import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeNvidiaSmi } from '../../../formats/nvidia-smi/write.ts';
import { orUserError } from '../../../model/disk/files.ts';
import { gpuLogNames } from '../../../sweep/gpu-log-names.ts';
import { readManifest } from '../../../sweep/manifest-file.ts';
import type { SweepWithRecordings } from '../../../sweep/result.ts';

/**
 * `memory_<variant>.txt` beside each recording that has samples of a GPU, as `nvidia-smi --query-gpu=memory.used --format=csv` writes
 * it: for scripts that were made for such logs. Returns their names.
 */
export function writeGpuLogs({ result, recordings }: SweepWithRecordings): string[] {
  const names = gpuLogNames(readManifest(result.folder).runs);
  return recordings.flatMap(({ name, recording }) => {
    const log = names.get(name);
    if (log === undefined || recording.table('gpu').rows === 0) return [];
    const path = join(result.folder, log);
    orUserError(path, () => writeFileSync(path, [...writeNvidiaSmi(recording)].join('')), 'write');
    return [log];
  });
}
