import { type Report, report } from '../analyses/report.ts';
import type { Opened } from './opener.ts';
import type { OpenRun } from './resources/resource.ts';

/** An opened input whose report is made when it is first asked for. */
export function openRun(id: string, name: string, path: string, opened: Opened): OpenRun {
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
