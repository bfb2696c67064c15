import { randomBytes } from 'node:crypto';
import { arch, cpus, hostname, platform, release, totalmem } from 'node:os';
import { formatBytes } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import { redactArgv, withoutSecrets } from '../../base/secrets/index.ts';
import { VERSION } from '../../base/version.ts';
import { newRun, type RunInfo } from '../../model/run.ts';
import { SOURCES } from '../../sources/index.ts';
import { readStat } from '../../sources/proc.ts';
import { launchOf } from '../../sources/process-tree/launch.ts';
import { THIS_MACHINE } from '../../sources/source.ts';
import type { ClockOrigin } from '../threads/messages.ts';
import { WorkloadCgroup } from '../workload/control-group.ts';
import { launchLabels } from '../workload/launch-labels.ts';
import { outsideWarning, resolveCommand, runName } from './command.ts';
import type { SessionOptions } from './options.ts';
import { makeOutputFolder } from './output-folder.ts';
import { RunFile } from './run-file.ts';

interface OpenedRun {
  readonly runFile: RunFile;
  readonly group: WorkloadCgroup;
}

/** All that can be refused is refused here, before anything is started: see `RunKeeper.create`. */
export function openRun(
  options: SessionOptions,
  origin: ClockOrigin,
  say: (line: string) => void,
): OpenedRun {
  const { argv, pid, gpuLimit } = options;
  if (argv.length > 0) resolveCommand(argv[0]!);
  if (pid !== null && !readStat(THIS_MACHINE.proc, pid)) {
    throw new UserError(`there is no process with pid ${pid}`, { exitCode: 125 });
  }
  const id = randomBytes(8).toString('hex');
  const said = options.name ?? (pid === null ? runName(argv) : `pid${pid}`);
  const name = withoutSecrets(said).replaceAll('***', '_');
  const launch = argv.length > 0 ? launchOf(process.env) : null;
  const folder = makeOutputFolder(options.out, name, options.force, launch);
  const group =
    argv.length > 0
      ? WorkloadCgroup.forCommand(THIS_MACHINE, `${process.pid}-${id}`)
      : WorkloadCgroup.ofProcess(THIS_MACHINE, pid);
  const run = newRun({
    ...hostInfo(),
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
  const runFile = new RunFile(folder, run, origin, say);
  const outside = outsideWarning(argv);
  if (outside) runFile.warn(outside);
  try {
    runFile.create();
  } catch (error) {
    group.remove(); // nobody else would, for now
    throw error;
  }
  return { runFile, group };
}

/** What is known of a run before it starts: the machine, the recorder, what can be measured. */
function hostInfo(): Pick<RunInfo, 'host' | 'recorder' | 'sources' | 'startedAt'> {
  return {
    host: {
      name: hostname(),
      platform: platform(),
      kernel: release(),
      arch: arch(),
      cpus: cpus().length,
      memoryBytes: totalmem(),
    },
    recorder: { version: VERSION, pid: process.pid },
    sources: SOURCES.map((source) => ({ id: source.id, ...source.probe(THIS_MACHINE) })),
    startedAt: new Date().toISOString(),
  };
}
