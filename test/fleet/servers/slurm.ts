import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { partFolder } from './folder.ts';
import { freePorts, type Server, serverFolder, startServer } from './server.ts';
import { libraryFolder } from './victoria-metrics.ts';

const run = promisify(execFile);

export interface Slurm {
  readonly folder: string;
  /** The environment in which `sbatch`, `srun` and the rest work. */
  readonly env: NodeJS.ProcessEnv;
  /** Runs one of Slurm's commands; its output. */
  command(name: string, ...words: string[]): Promise<string>;
  /** Submits a file and waits for its end; the output file's path is the caller's to name. */
  batch(...words: string[]): Promise<string>;
  log(): string;
}

export interface SlurmOptions {
  /** What a site's administrator has put there. */
  readonly taskProlog?: string;
}

const NODES = 4;
const CLIENTS = ['sbatch', 'srun', 'scancel', 'scontrol', 'sinfo', 'squeue'];
const DAEMONS = { slurmctld: 'slurmctld-wlm', slurmd: 'slurmd-wlm', slurmstepd: 'slurmstepd-wlm' };

/** A real Slurm with four virtual nodes on this machine: a controller, four daemons and munge, all of this process's own. */
export async function startSlurm(options: SlurmOptions = {}): Promise<Slurm> {
  const folder = serverFolder('slurm');
  for (const name of ['bin', 'state', 'spool', 'munge', 'ctld', ...nodeNames()]) {
    mkdirSync(join(folder, name), { mode: 0o755 });
  }
  writePrograms(folder);
  const [port, ...nodePorts] = await freePorts(1 + NODES);
  writeFileSync(join(folder, 'slurm.conf'), config(folder, port!, nodePorts, options));
  writeFileSync(join(folder, 'munge.key'), randomBytes(1024), { mode: 0o600 });
  const env = {
    ...process.env,
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    SLURM_CONF: join(folder, 'slurm.conf'),
  };
  const bin = (name: string) => join(folder, 'bin', name);
  const command = async (name: string, ...words: string[]) =>
    (await run(bin(name), words, { env, cwd: folder })).stdout;
  const daemon = (name: string, at: string, args: string[], ready: () => Promise<boolean>) =>
    startServer({
      command: bin(name),
      args,
      env,
      url: '',
      folder: join(folder, at),
      ready,
    });

  const started: Server[] = [];
  started.push(await daemon('munged', 'munge', mungeFlags(folder), () => isTrusted(folder, env)));
  started.push(
    await daemon('slurmctld', 'ctld', ['-D', '-i'], async () =>
      (await command('scontrol', 'ping')).includes('UP'),
    ),
  );
  const nodes = nodeNames().map((name) =>
    daemon('slurmd', name, ['-D', '-N', name, '-d', bin('slurmstepd')], async () =>
      (await command('sinfo', '-h', '-n', name, '-o', '%T')).includes('idle'),
    ),
  );
  started.push(...(await Promise.all(nodes)));
  return {
    folder,
    env,
    command,
    batch: (...words) => command('sbatch', '--wait', ...words),
    log: () => started.map((server) => server.log()).join('\n'),
  };
}

const nodeNames = (): string[] => Array.from({ length: NODES }, (_, at) => `n${at}`);

/**
 * The packages are only unpacked, so each program is started with their libraries by the loader: a variable of
 * the environment would reach the jobs too.
 */
function writePrograms(folder: string): void {
  const root = partFolder('slurm');
  const libraries = [join(root, 'usr/lib'), join(root, 'lib')].map((path) =>
    join(path, libraryFolder()),
  );
  const path = [...libraries, join(libraries[0]!, 'slurm-wlm')].join(':');
  const loader =
    process.arch === 'arm64' ? '/lib/ld-linux-aarch64.so.1' : '/lib64/ld-linux-x86-64.so.2';
  const write = (name: string, program: string) =>
    writeFileSync(
      join(folder, 'bin', name),
      `#!/bin/sh\nexec ${loader} --library-path '${path}' '${program}' "$@"\n`,
      { mode: 0o755 },
    );
  for (const name of CLIENTS) write(name, join(root, 'usr/bin', name));
  for (const [name, file] of Object.entries(DAEMONS)) write(name, join(root, 'usr/sbin', file));
  write('munged', join(root, 'usr/sbin/munged'));
  write('munge', join(root, 'usr/bin/munge'));
}

const socketOf = (folder: string) => join(folder, 'munge/munge.sock');

function mungeFlags(folder: string): string[] {
  return [
    '--foreground',
    '--force', // its folder is under one that everybody may write to
    `--key-file=${join(folder, 'munge.key')}`,
    `--socket=${socketOf(folder)}`,
    `--pid-file=${join(folder, 'munge/munged.pid')}`,
    `--seed-file=${join(folder, 'munge/munged.seed')}`,
  ];
}

async function isTrusted(folder: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const words = ['--no-input', `--socket=${socketOf(folder)}`];
  return (await run(join(folder, 'bin/munge'), words, { env })).stdout.startsWith('MUNGE');
}

function config(
  folder: string,
  port: number,
  nodePorts: readonly number[],
  { taskProlog }: SlurmOptions,
): string {
  const nodes = nodeNames().map(
    (name, at) =>
      `NodeName=${name} NodeHostname=localhost NodeAddr=127.0.0.1 Port=${nodePorts[at]} CPUs=2 RealMemory=1000`,
  );
  return `ClusterName=virtual
SlurmctldHost=localhost
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=${socketOf(folder)}
CredType=cred/munge
SlurmctldPort=${port}
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool/%n
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd-%n.pid
PluginDir=${partFolder('slurm')}/usr/lib/${libraryFolder()}/slurm-wlm
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
AccountingStorageType=accounting_storage/none
${taskProlog ? `TaskProlog=${taskProlog}\n` : ''}${nodes.join('\n')}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`;
}
