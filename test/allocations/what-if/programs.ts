import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConf } from '../../../src/analyses/allocations/replay/conf.ts';
import { type Program, programOf } from '../../../src/analyses/allocations/replay/program.ts';
import {
  type RecordedRun,
  reproduce,
} from '../../../src/analyses/allocations/replay/recorded-run.ts';
import { replay } from '../../../src/analyses/allocations/replay/replay.ts';
import type { Replayed } from '../../../src/analyses/allocations/replay/replayed.ts';
import { HOST_DEVICE } from '../../../src/model/allocations/actions.ts';
import { traces } from '../../../src/model/allocations/trace.ts';
import { openInput } from '../../../src/open/open.ts';

export const SNAPSHOTS = join(import.meta.dirname, '../../fixtures/snapshots');

/** What torch really did under a setting, on an H200. */
export interface Truth {
  readonly program: string;
  readonly setting: string;
  readonly limit_bytes?: number;
  readonly reserved_peak: number;
  readonly device_allocs: number;
  readonly retries: number;
  readonly oom: boolean;
}

export const truthIn = (folder: string): Truth[] =>
  readFileSync(join(folder, 'truth.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The programs of a snapshot, one for each device. */
export async function programsOf(path: string): Promise<Program[]> {
  const recording = await openInput(path);
  return traces(recording)
    .filter(({ device }) => device !== HOST_DEVICE)
    .map((trace) => programOf(recording, trace));
}

/** The recorded run of each device, replayed. */
export async function reproduced(path: string): Promise<RecordedRun[]> {
  const recording = await openInput(path);
  return traces(recording)
    .filter(({ device }) => device !== HOST_DEVICE)
    .map((trace) => reproduce(recording, programOf(recording, trace)));
}

export function predicted(program: Program, { setting, limit_bytes: bytes }: Truth): Replayed {
  const limit = bytes === undefined ? null : { bytes, by: 'fraction' as const };
  return replay(program, { conf: parseConf(setting), limit, start: 'placed' });
}

export const snapshotsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.pickle(\.gz)?$/.test(name))
    .sort();
