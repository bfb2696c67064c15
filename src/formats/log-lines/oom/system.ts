import type { OomFigures } from '../../../model/out-of-memory.ts';
import { integer, inUnits, type Message, size } from './message.ts';

/** The kernel, and those who watch over jobs and containers. */
export const SYSTEM: readonly Message[] = [
  {
    source: 'kernel',
    place: 'host',
    when: /\b(?:Out of memory(?: \(oom_kill_allocating_task\))?|Memory cgroup out of memory): Kill(?:ed)? process \d{1,10}|\bMemory cgroup out of memor|\bKilled process \d{1,10}\b.{0,80}(?:total-vm|vsz):/,
    read: killed,
  },
  {
    source: 'slurm',
    place: 'host',
    when: /slurmstepd: error: .{0,80}oom.kill|exceeded memory limit \(\d{1,15} > \d{1,15}\), being killed|Exceeded (?:job|step) memory limit(?! at some point)|srun: error: .{1,80}: Out Of Memory\b|CANCELLED AT \S{1,40} DUE TO MEMORY|\bState: OUT_OF_MEMORY\b/i,
    read: (text) => ({
      process: inUnits(text, /memory limit \((\d{1,15}) > /, 1024),
      limit: inUnits(text, /memory limit \(\d{1,15} > (\d{1,15})\)/, 1024),
      limitOf: 'Slurm',
    }),
  },
  {
    source: 'kubernetes',
    place: 'host',
    when: /\bReason:\s{1,20}OOMKilled\b|"reason": ?"OOMKilled"|\bOOMKilled\b.{0,60}(?:137|exit)|(?:137|exit).{0,60}\bOOMKilled\b|\s0\/\d{1,3}\s{1,10}OOMKilled\s|^\s{0,8}"OOMKilled": true/,
    read: () => ({ limitOf: 'the container' }),
  },
  {
    source: 'kubernetes',
    place: 'host',
    when: /The node was low on resource: memory\./,
    read: (text) => ({
      machineFull: true,
      process: size(text, /was using SIZE/),
      free: size(text, /available: SIZE/),
    }),
  },
  {
    source: 'systemd',
    place: 'host',
    when: /has been killed by the OOM killer|Failed with result 'oom-kill'|Consumed .{0,60}\(oom-kill\)/,
  },
  {
    source: 'systemd-oomd',
    place: 'host',
    when: /systemd-oomd\[\d{1,10}\]: Killed |systemd-oomd killed \d{1,6} process/,
    read: () => ({ limitOf: "systemd-oomd's threshold" }),
  },
  {
    source: 'ray',
    place: 'host',
    when: /killed due to the node running low on memory|\b[1-9]\d{0,5} Workers \(tasks \/ actors\) killed due to memory pressure/,
    read: (text) => ({
      process: size(text, /memory used=SIZE/),
      pid: integer(text, /\bpid=(\d{1,10}), memory used/),
      ...rayNode(text),
    }),
    more: 3,
  },
  {
    source: 'yarn',
    place: 'host',
    when: /killed by YARN for exceeding (?:physical )?memory limits|running \S{0,30} ?beyond (?:the )?'?(?:physical|virtual|PHYSICAL|VIRTUAL)'? memory limit/,
    read: (text) => ({
      process: size(text, /(?:limits\.|[Cc]urrent usage:) SIZE/),
      limit: size(text, / of SIZE (?:physical|virtual) memory used/),
      limitOf: 'YARN',
    }),
  },
  {
    source: 'lsf',
    place: 'host',
    when: /\bTERM_MEMLIMIT\b/,
    read: () => ({ limitOf: 'LSF' }),
  },
  {
    source: 'pbs',
    place: 'host',
    when: /PBS: job killed: (?:v?mem|pmem|pvmem) \S{1,30} exceeded limit/,
    read: (text) => ({
      process: /\bvmem\b|pvmem/.test(text) ? undefined : size(text, /mem SIZE exceeded/i),
      limit: size(text, /exceeded limit SIZE/i) ?? integer(text, /exceeded limit (\d{1,20})/),
      limitOf: 'PBS',
    }),
  },
  {
    source: 'earlyoom',
    place: 'host',
    when: /sending SIG(?:TERM|KILL) to process \d{1,10} .{0,100}badness \d/,
    read: (text) => ({
      pid: integer(text, /process (\d{1,10})/),
      process: inUnits(text, /VmRSS (\d{1,10}) MiB/, 1024 ** 2),
      machineFull: true,
    }),
  },
  {
    source: 'kernel',
    place: 'host',
    when: /^\s{0,4}Killed\s{0,4}$|: line \d{1,7}:\s{1,8}\d{1,10} Killed\b|exits with return code = -9$|failed \(exitcode: -9\)|Signal 9 \(SIGKILL\) received by PID|^\s{0,8}"ExitCode": 137,/i,
    read: (text) => ({
      pid:
        integer(text, /\s(\d{1,10}) Killed\b/) ??
        integer(text, /(?:received by PID |\(exitcode: -9\) .{0,40}\(pid: )(\d{1,10})/),
      unexplained: true,
    }),
  },
];

/** Whose limit it is where the kernel says that a group was full. */
export const CONTROL_GROUP = 'its control group';

function killed(text: string): Partial<OomFigures> {
  const ofGroup = /Memory cgroup out of memor/.test(text);
  return {
    pid: integer(text, /process (\d{1,10})/),
    process: resident(text),
    ...(ofGroup ? { limitOf: CONTROL_GROUP } : {}),
    ...(/\bOut of memory\b.{0,30}: Kill/.test(text) ? { machineFull: true } : {}),
  };
}

/** Of all kinds together, as the kernel counts it. */
function resident(text: string): number | undefined {
  const kinds = ['anon', 'file', 'shmem'].map((kind) =>
    inUnits(text, new RegExp(`\\b${kind}-rss:(\\d{1,15})kB`), 1024),
  );
  return kinds[0] === undefined
    ? undefined
    : kinds.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

/** Its threshold is a share of the machine; a low one is a limit that somebody set. */
const NEARLY_FULL = 0.9;

function rayNode(text: string): Partial<OomFigures> {
  const used = size(text, /was running was SIZE/);
  const total = size(text, /was running was \S{1,20} ?\/ ?SIZE/);
  if (total === undefined || used === undefined) return { machineFull: true };
  const free = Math.max(0, total - used);
  return used > NEARLY_FULL * total
    ? { total, free, machineFull: true }
    : { total, free, limitOf: "Ray's threshold" };
}
