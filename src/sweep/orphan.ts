import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../base/errors.ts';
import { folderFiles } from '../model/disk/files.ts';
import type { ManifestRun } from './manifest.ts';

/** A sweep that was killed leaves its recorders to finish: their recordings are not written to meanwhile. */
export function refuseOrphans(folder: string, runs: readonly ManifestRun[]): void {
  for (const { state, recording } of runs) {
    if (state !== 'running') continue;
    const pid = recorderPid(join(folder, recording));
    if (pid === null || !commandLine(pid).includes(recording)) continue;
    throw new UserError(`${recording} is still being recorded (pid ${pid})`, {
      hint: 'wait until it has ended, then continue',
    });
  }
}

function recorderPid(recording: string): number | null {
  try {
    const bytes = folderFiles(recording).read('run.json') ?? new Uint8Array();
    const run = JSON.parse(new TextDecoder().decode(bytes));
    return run.endedAt === null && Number.isInteger(run.recorder?.pid) ? run.recorder.pid : null;
  } catch {
    return null;
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
