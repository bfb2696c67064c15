import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { count } from '../../../base/text.ts';
import { refuseExisting } from '../../../model/disk/save.ts';
import { RUNS_FOLDER } from '../../../open/recordings.ts';
import { repeatName, repeatsOf } from '../../../open/repeat-folder.ts';
import { runName } from '../../../record/run/command.ts';
import { automaticName } from '../../../record/run/output-folder.ts';
import { record, type SessionOptions } from '../../../record/run/session.ts';
import { OWN_FAILURE } from '../../../sweep/recorder.ts';
import { repeatsLines } from '../../../views/report/repeats.ts';

const INTERRUPTED = 130;

/**
 * Records a command several times, each run into a recording of its own in one folder, and says
 * what a run leaves behind on average. The exit code is that of the first run that failed.
 */
export async function recordRepeatedly(
  options: SessionOptions,
  times: number,
  quiet: boolean,
): Promise<number> {
  const name = options.name ?? runName(options.argv);
  const folder = options.out ?? join(RUNS_FOLDER, automaticName(name).replace(/\.hw$/, ''));
  refuseExisting(folder, existsSync(folder), options.force, OWN_FAILURE);
  const say = (line: string) => (quiet ? undefined : options.say(line));
  const folders: string[] = [];
  let exitCode = 0;
  for (let run = 1; run <= times && exitCode !== INTERRUPTED; run++) {
    say(`highwater: run ${run} of ${times}`);
    const out = join(folder, repeatName(run, times));
    const result = await record({ ...options, out, name: `${name}-${run}` });
    folders.push(result.folder);
    exitCode ||= result.exitCode;
  }
  for (const line of repeatsLines(await repeatsOf(folders))) say(line);
  say(
    `${count(folders.length, 'recording')} in ${folder}; again: highwater report ${folder}; one of them: highwater report ${folders.at(-1)}`,
  );
  return exitCode;
}
