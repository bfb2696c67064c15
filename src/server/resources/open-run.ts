import { type Report, report } from '../../analyses/report.ts';
import type { OpenedInput } from '../open-inputs.ts';
import type { OpenRun } from './resource.ts';

/** An opened input whose report is made when it is first asked for. */
export function openRun(id: string, name: string, path: string, opened: OpenedInput): OpenRun {
  let result: Report | undefined;
  return {
    id,
    name,
    path,
    ...opened,
    get result() {
      result ??= report(opened.recording, opened.snapshots, opened.rankTraces);
      return result;
    },
  };
}
