import { surveyOf } from '../../analyses/allocations/evidence/survey.ts';
import { topStacks } from '../../analyses/allocations/top-stacks.ts';
import { deviceId } from '../../model/allocations/device-name.ts';
import { liveRows } from '../../model/allocations/live.ts';
import { traces } from '../../model/allocations/trace.ts';
import type { StoreRow } from '../batch.ts';
import type { StoredRun } from '../stored-run.ts';

/** Places beyond these are one row together: thousands of runs have thousands each. */
const MOST_STACKS = 200;

export function* stackRows({ recording, snapshots }: StoredRun): Generator<StoreRow> {
  for (const one of [recording, ...snapshots]) {
    for (const trace of traces(one)) {
      const survey = surveyOf(one, trace);
      const live = liveRows(trace, survey.bytes.peakEvent);
      const { shown, others } = topStacks(survey, live, MOST_STACKS);
      const device = String(deviceId(trace.device));
      for (const [number, { where, category, bytes, allocations, frames }] of shown.entries()) {
        const lines = frames.map((frame) => `${frame.file}:${frame.line} ${frame.function}`);
        const names = { place: where, category, frames: lines.join(';') };
        yield { device, number, ...names, bytes, allocations };
      }
      if (others.count === 0) continue;
      const allocations = live.length - shown.reduce((sum, share) => sum + share.allocations, 0);
      yield { device, number: shown.length, bytes: others.bytes, allocations };
    }
  }
}

export function* categoryRows({ report }: StoredRun): Generator<StoreRow> {
  for (const { device, categories } of report.devices) {
    for (const { category, bytes, allocations, confidence } of categories) {
      yield { device: String(device), category, bytes, allocations, confidence };
    }
  }
}
