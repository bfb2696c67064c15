import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { saveRecording } from '../../src/model/disk/save.ts';
import type { Recording } from '../../src/model/recording.ts';
import { readFolder } from './memory-files.ts';

/** A folder of this test's own, gone when it ends. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'highwater-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The files that a recording has on disk. */
export function savedFiles(recording: Recording): Map<string, Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'highwater-test-'));
  try {
    saveRecording(recording, folder);
    return readFolder(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
