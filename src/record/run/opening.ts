import { randomBytes } from 'node:crypto';
import { formatBytes } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import { redactArgv } from '../../base/secrets.ts';
import { newRun } from '../../model/run.ts';
import { readStat } from '../../sources/proc.ts';
import { launchOf } from '../../sources/process-tree/launch.ts';
import { THIS_MACHINE } from '../../sources/source.ts';
import { WorkloadGroup } from '../workload/group.ts';
import { launchLabels } from '../workload/launch-labels.ts';
import { outsideWarning, resolveCommand, runName } from './command.ts';
import { surroundings } from './host-info.ts';
import type { RecordOptions } from './options.ts';
import { makeOutputFolder } from './output-folder.ts';
import { RunKeeper } from './run-keeper.ts';

export interface Opening {
  readonly keeper: RunKeeper;
  readonly group: WorkloadGroup;
}

/** All that can be refused is refused here, before anything is started: see `RunKeeper.create`. */
export function openRun(options: RecordOptions, say: (line: string) => void): Opening {
  const { argv, pid, gpuLimit } = options;
  if (argv.length > 0) resolveCommand(argv[0]!);
  if (pid !== null && !readStat(THIS_MACHINE.proc, pid)) {
    throw new UserError(`there is no process with pid ${pid}`, { exitCode: 125 });
  }
  const id = randomBytes(8).toString('hex');
  const name = options.name ?? (pid === null ? runName(argv) : `pid${pid}`);
  const launch = argv.length > 0 ? launchOf(process.env) : null;
  const folder = makeOutputFolder(options.out, name, options.force, launch);
  const group =
    argv.length > 0
      ? WorkloadGroup.forCommand(THIS_MACHINE, `${process.pid}-${id}`)
      : WorkloadGroup.ofProcess(THIS_MACHINE, pid);
  const run = newRun({
    ...surroundings(),
    id,
    name,
    argv: redactArgv(argv),
    subject: argv.length > 0 ? 'command' : pid === null ? 'host' : 'pid',
    cgroup: group.info,
    labels: {
      ...launchLabels(launch),
      ...(gpuLimit && { gpuLimit: formatBytes(gpuLimit) }),
    },
  });
  run.sampling.askedHz = options.rateHz;
  const keeper = new RunKeeper(folder, run, say);
  const outside = outsideWarning(argv);
  if (outside) keeper.warn(outside);
  try {
    keeper.create();
  } catch (error) {
    group.remove(); // nobody else would, for now
    throw error;
  }
  return { keeper, group };
}
