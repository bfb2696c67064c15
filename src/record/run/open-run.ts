import { randomBytes } from 'node:crypto';
import { arch, cpus, hostname, platform, release, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { formatBytes } from '../../base/bytes.ts';
import { describeError, UserError } from '../../base/errors.ts';
import { redactArgv, withoutSecrets } from '../../base/secrets/index.ts';
import { VERSION } from '../../base/version.ts';
import { newRun, type RunInfo } from '../../model/run.ts';
import { SOURCES } from '../../sources/index.ts';
import { readStat } from '../../sources/proc.ts';
import { type Launch, launchOf } from '../../sources/process-tree/launch.ts';
import { THIS_MACHINE } from '../../sources/source.ts';
import type { ClockOrigin } from '../threads/messages.ts';
import { askedFor } from '../workload/asked-for.ts';
import { WorkloadCgroup } from '../workload/control-group.ts';
import { gitCommit } from '../workload/git-commit.ts';
import { launchLabels } from '../workload/launch-labels.ts';
import { outsideWarning, resolveCommand, runName } from './command.ts';
import type { SessionOptions } from './options.ts';
import { makeOutputFolder, otherPlaces, removeEmpty } from './output-folder.ts';
import { RunFile } from './run-file.ts';

interface OpenedRun {
  readonly runFile: RunFile;
  readonly group: WorkloadCgroup;
}

/** All that can be refused is refused here, before anything is started. */
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
  const asked = askedFor(process.env);
  const commit = argv.length > 0 ? gitCommit(process.cwd(), process.env) : null;
  const group =
    argv.length > 0
      ? WorkloadCgroup.forCommand(THIS_MACHINE, `${process.pid}-${id}`)
      : WorkloadCgroup.ofProcess(THIS_MACHINE, pid);
  const run = newRun({
    ...hostInfo(origin),
    id,
    name,
    argv: redactArgv(argv),
    subject: argv.length > 0 ? 'command' : pid === null ? 'host' : 'pid',
    cgroup: group.info,
    ...(asked && { asked }),
    labels: {
      ...launchLabels(launch),
      ...(commit !== null && { commit }),
      ...(gpuLimit && { gpuLimit: formatBytes(gpuLimit) }),
    },
  });
  run.sampling.askedHz = options.rateHz;
  try {
    const runFile = createRunFile(options, { name, launch }, (folder) => {
      return new RunFile(folder, run, origin, say);
    });
    const outside = outsideWarning(argv);
    if (outside) runFile.warn(outside);
    return { runFile, group };
  } catch (error) {
    group.remove(); // nobody else would, for now
    throw error;
  }
}

/** Where it was asked for; where that cannot be, at the next place that can be written, as the command is worth more. */
function createRunFile(
  { out, force, strict, say }: SessionOptions,
  { name, launch }: { readonly name: string; readonly launch: Launch | null },
  open: (folder: string) => RunFile,
): RunFile {
  const create = (place: string | null, replace: boolean) => {
    const folder = makeOutputFolder(place, name, replace, launch);
    try {
      const runFile = open(folder);
      runFile.create();
      return runFile;
    } catch (error) {
      // One that is forced may have been there before.
      if (!replace) removeEmpty(folder);
      throw error;
    }
  };
  try {
    return create(out, force);
  } catch (refused) {
    if (strict) throw refused;
    for (const place of otherPlaces(force ? null : out, name)) {
      try {
        const runFile = create(place, false);
        say(`highwater: ${describeError(refused)}; recorded in ${runFile.folder} instead`);
        return runFile;
      } catch {
        // What is to be said of the place that was asked for is worth more.
        removeEmpty(dirname(place));
      }
    }
    throw refused;
  }
}

/** What is known of a run before it starts: the machine, the recorder, what can be measured. */
function hostInfo(
  origin: ClockOrigin,
): Pick<RunInfo, 'host' | 'recorder' | 'sources' | 'startedAt'> {
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
    // Looking at the machine took a while.
    startedAt: new Date(Date.now() - millisecondsSince(origin)).toISOString(),
  };
}

function millisecondsSince(origin: ClockOrigin): number {
  const [seconds, ns] = process.hrtime([...origin]);
  return seconds * 1000 + ns / 1e6;
}
