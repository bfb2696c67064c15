import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { isOfJob, type Job, JobFold } from '../../analyses/job/index.ts';
import { UserError } from '../../base/errors.ts';
import { runPlaces } from '../../open/run-places.ts';
import { summariesIn } from '../../open/summaries.ts';
import { jobText } from '../../views/job/job.ts';
import { addJsonFlags, answerJson, type JsonFlags } from '../output/json.ts';
import { ProgressLine } from '../output/progress-line.ts';
import { show } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';

const EXAMPLE = `highwater job /shared/runs/job-17          # a folder of recordings, one for each rank or node
highwater job 4711                         # by its id (Slurm's, torchrun's), where record leaves recordings
highwater job 4711 /shared/runs --json     # by its id, in that folder`;

/** All ranks of one distributed run, however many they are. */
export function command(): Command {
  const declared = newCommand(
    'job',
    'All ranks of one job, thousands too: who died first, who stands out, what was asked for and used.',
    EXAMPLE,
  )
    .argument(
      '<job>',
      'a folder of recordings (also packed, also in folders below it), or the id of a job',
    )
    .argument(
      '[folders...]',
      'where to look for that id (default: where record leaves recordings)',
    );
  return addJsonFlags(declared);
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, jobOf);
}

async function jobOf(what: string, folders: string[], flags: JsonFlags): Promise<void> {
  const isPath = folders.length === 0 && existsSync(what);
  const missing = folders.find((folder) => !existsSync(folder));
  if (missing !== undefined) throw new UserError(`there is no ${missing}`, { exitCode: 2 });
  if (!isPath && folders.length === 0 && what.includes('/'))
    throw new UserError(`there is no ${what}`, {
      hint: 'name a folder of recordings, or the id of a job',
      exitCode: 2,
    });
  const places = isPath ? [what] : folders.length > 0 ? folders : runPlaces().filter(existsSync);
  const job = await readJob(places, isPath ? null : what);
  show(flags.json ? answerJson(job, flags, [what]) : jobText(job));
}

/** `id`: only recordings of that job; null: all of them. */
async function readJob(places: readonly string[], id: string | null): Promise<Job> {
  const fold = new JobFold();
  const progress = new ProgressLine('reading summaries');
  let found = 0;
  for (const [i, place] of places.entries()) {
    const at = (done: number, total: number) => progress.at((i + done / total) / places.length);
    for await (const one of summariesIn(place, at)) {
      if (!one.summary) fold.unreadable(one.reason);
      else if (id === null || isOfJob(one.summary, id)) {
        fold.add(one.summary, one.details, one.made);
        found++;
      }
    }
  }
  progress.end();
  if (id !== null && found === 0) {
    throw new UserError(
      `no recording of job ${id} in ${places.join(', ') || 'the places where record leaves them'}`,
      {
        hint: 'name the folder of its recordings: highwater job ID FOLDER',
      },
    );
  }
  return fold.result(id === null ? places[0]! : `job ${id}`);
}
