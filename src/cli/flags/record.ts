import { formatBytes, MiB, parseSize } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import { parseMarkPattern } from '../../formats/log-lines/index.ts';
import { exposeAddress } from '../../metrics/send/expose.ts';
import { targetOf } from '../../metrics/send/target.ts';
import { PUSH_SECONDS } from '../../record/push/settings.ts';
import { AGENT_CHOICES, type SessionOptions } from '../../record/run/options.ts';
import { GPU_CHOICES, GPU_HELP } from '../../record/threads/gpu-plan.ts';
import { parseSizesMoment } from './moment.ts';
import { numberBetween, pidNumber } from './parse.ts';

/** What record's flags ask for: options of the recorder, and what the verb does itself. */
export interface RecordRequest
  extends Required<
    Omit<SessionOptions, 'argv' | 'say' | 'onFolder' | 'onOutput' | 'onStart' | 'meanwhile'>
  > {
  readonly repeat: number;
  readonly live: boolean;
  readonly livePort: number;
}

/** One flag of `record`. To add one, write it here under the name of the option that it sets. */
export interface RecordFlag<T> {
  /** As commander declares it: `-o, --out <folder>`. */
  readonly flag: string;
  readonly help: string;
  /** Where the flag is not given; a list: it can be given several times. */
  readonly defaultValue: T;
  /** The default as help shows it, where the value itself would not do. */
  readonly defaultText?: string;
  /** Reads one value; absent: as it was written. */
  readonly parse?: (text: string) => T extends readonly (infer One)[] ? One : T;
  readonly choices?: readonly string[];
  /** The value of a flag that is given without one. */
  readonly preset?: string;
  /** Done by the agent inside the program. */
  readonly needsAgent?: true;
  /** Help of `check`, which takes the flag for the command that it records. */
  readonly check?: { readonly help: string; readonly parse?: (text: string) => T };
  /** Help of `sweep`, which forwards the flag to each run; `ahead`: of which flag its help lists it. */
  readonly sweep?: { readonly help: string; readonly ahead?: keyof RecordRequest };
}

/** What a CUDA context alone takes, about. */
const CUDA_CONTEXT = 512 * MiB;

const seconds = numberBetween(0, Number.POSITIVE_INFINITY, 'seconds');
const runs = (most: number) => numberBetween(1, most, 'a number of runs');

/** Each flag by the option that it sets, in the order of `record --help`. */
export const RECORD_FLAGS: {
  readonly [Name in keyof RecordRequest]: RecordFlag<RecordRequest[Name]>;
} = {
  out: {
    flag: '-o, --out <folder>',
    help: 'where to (default: highwater-runs/<name>-<date>-<host>-<pid>.hw)',
    defaultValue: null,
    check: { help: 'with a command: where its recording goes' },
  },
  name: {
    flag: '--name <name>',
    help: 'name of the run (default: the script or program)',
    defaultValue: null,
    parse: runName,
  },
  rateHz: {
    flag: '--rate <Hz>',
    help: 'samples a second',
    defaultValue: 100,
    parse: numberBetween(1, 1000, 'a rate in Hz'),
    sweep: { help: 'samples a second (100)' },
  },
  beforeSeconds: {
    flag: '--before <seconds>',
    help: 'how long to watch before the command starts',
    defaultValue: 1,
    parse: seconds,
    sweep: { help: 'how long to watch before each run (1)' },
  },
  afterSeconds: {
    flag: '--after <seconds>',
    help: 'how long to watch after it ended',
    defaultValue: 1,
    parse: seconds,
    sweep: { help: 'how long to watch after each run (1)' },
  },
  durationSeconds: {
    flag: '--duration <seconds>',
    help: 'end after this time',
    defaultValue: null,
    parse: numberBetween(0.01, 1e9, 'seconds'),
    sweep: { help: 'end each run after this time' },
  },
  pid: {
    flag: '--pid <pid>',
    help: 'record a running process and its children',
    defaultValue: null,
    parse: pidNumber,
  },
  memoryLimit: {
    flag: '--memory-limit <size>',
    help: 'end the workload when it holds more (cgroup or PSS)',
    defaultValue: null,
    parse: parseSize,
    sweep: { help: 'end a run that holds more' },
  },
  swapLimit: {
    flag: '--swap-limit <size>',
    help: 'end the workload when more of it is swapped out',
    defaultValue: null,
    parse: parseSize,
    sweep: { help: 'end a run that has more swapped out' },
  },
  maxDisk: {
    flag: '--max-disk <size>',
    help: 'size of the recording at most',
    defaultValue: 2 ** 30,
    defaultText: '1GiB',
    parse: (text) => Math.max(parseSize(text), MiB),
    sweep: { help: 'size of each recording at most (1GiB)' },
  },
  resetPeaks: {
    flag: '--exact-peaks',
    help: "reset the kernel's high-water marks at each sample (changes ru_maxrss)",
    defaultValue: false,
  },
  gpu: {
    flag: '--gpu <how>',
    help: GPU_HELP,
    defaultValue: 'auto',
    choices: GPU_CHOICES,
    sweep: { help: `${GPU_HELP} (auto)` },
  },
  agent: {
    flag: '--agent <how>',
    help: 'look into Python programs that use torch, and Node; stacks: always keep who made each CUDA allocation',
    defaultValue: 'auto',
    choices: AGENT_CHOICES,
    sweep: { help: 'look into Python programs that use torch, and Node (auto)' },
  },
  layers: {
    flag: '--layers',
    help: 'follow the layers of torch models, and tag their CUDA allocations',
    defaultValue: false,
    needsAgent: true,
  },
  gpuLimit: {
    flag: '--gpu-limit <size>',
    help: 'hold torch to a card of this size, to try whether it would run there',
    defaultValue: null,
    parse: cardSize,
    needsAgent: true,
    sweep: { help: 'hold torch to a card of this size in each run' },
  },
  sizes: {
    flag: '--sizes [moment]',
    help: 'have Python and Node programs tell their sizes (highwater sizes)',
    defaultValue: null,
    parse: parseSizesMoment,
    preset: 'exit',
    needsAgent: true,
    sweep: {
      help: 'a column for each part of what explains the size of a run: at its exit, or at iteration=N',
    },
  },
  heaps: {
    flag: '--heap <n>',
    help: 'take n heaps of a Node or Python program, spread over the run (highwater heap REC)',
    defaultValue: null,
    parse: numberBetween(1, 1000, 'a number of heaps'),
  },
  logFile: {
    flag: '--log <file>',
    help: 'also look for iterations in a log that the command writes by itself',
    defaultValue: null,
    sweep: {
      help: 'also look for iterations in a log that the command writes; may hold {name}',
    },
  },
  markPatterns: {
    flag: '--mark <regex>',
    help: 'make marks of matching lines: named groups iteration, epoch, value, time, name',
    defaultValue: [],
    parse: parseMarkPattern,
    sweep: { help: 'make marks of matching lines (repeatable)' },
  },
  stopAfter: {
    flag: '--stop-after <n>',
    help: 'end the command politely after n iterations',
    defaultValue: null,
    parse: numberBetween(1, 1e12, 'a number of iterations'),
    sweep: { help: 'end each run politely after n iterations', ahead: 'logFile' },
  },
  repeat: {
    flag: '--repeat <n>',
    help: 'record n runs, one after the other, into one folder',
    defaultValue: 1,
    parse: runs(10_000),
    check: { help: 'with a command: so many runs', parse: runs(1000) },
  },
  watch: {
    flag: '--no-watch',
    help: 'hand stdin, stdout and stderr down untouched',
    defaultValue: true,
  },
  engineMetrics: {
    flag: '--no-engine-metrics',
    help: 'do not ask engines of the command that serve models for /metrics (docs/serving.md)',
    defaultValue: true,
  },
  live: { flag: '--live', help: 'show it in a browser while it runs', defaultValue: false },
  livePort: {
    flag: '--live-port <number>',
    help: 'on this port',
    defaultValue: 0,
    parse: numberBetween(0, 65_535, 'a port'),
  },
  push: {
    flag: '--push <url>',
    help: 'send peaks and newest values to Prometheus, VictoriaMetrics or an OTLP server (or HIGHWATER_PUSH); docs/fleet.md',
    defaultValue: null,
    parse: (text) => {
      targetOf(text);
      return text;
    },
  },
  pushEvery: {
    flag: '--push-every <seconds>',
    help: 'how long a window is whose peaks are sent',
    defaultValue: PUSH_SECONDS,
    parse: windowSeconds,
  },
  expose: {
    flag: '--expose <address>',
    help: 'answer scrapes at this port: :9400 for this machine alone, 0.0.0.0:9400 for all',
    defaultValue: null,
    parse: (text) => {
      exposeAddress(text);
      return text;
    },
  },
  textfile: {
    flag: '--textfile <file>',
    help: "keep the newest values in a file for node_exporter's textfile collector (NAME.prom)",
    defaultValue: null,
    parse: promFile,
  },
  quiet: { flag: '-q, --quiet', help: 'no live line, no summary', defaultValue: false },
  force: {
    flag: '--force',
    help: 'replace an existing recording',
    defaultValue: false,
    check: { help: 'replace existing files' },
  },
  strict: {
    flag: '--strict',
    help: 'run nothing where it cannot be recorded as asked (default: it runs all the same)',
    defaultValue: false,
  },
};

/** A name becomes part of a file's name. */
function runName(text: string): string {
  if (/^[\w.@%+=:,-]{1,100}$/.test(text) && !text.startsWith('.')) return text;
  throw new UserError(`'${text}' cannot be a name`, { hint: 'use letters, digits, . _ - + = , @' });
}

/** `15`, `15s`, `1m`. */
function windowSeconds(text: string): number {
  const parts = /^(\d+(?:\.\d+)?)(s|m)?$/.exec(text);
  const seconds = parts ? Number(parts[1]) * (parts[2] === 'm' ? 60 : 1) : Number.NaN;
  if (seconds >= 1 && seconds <= 3600) return seconds;
  throw new UserError(`'${text}' is no length of a window`, { hint: 'write it as 15s, or 1m' });
}

/** node_exporter reads nothing else. */
function promFile(text: string): string {
  if (text.endsWith('.prom')) return text;
  throw new UserError(`node_exporter reads files that end in .prom, not '${text}'`);
}

/** The memory of a GPU. */
function cardSize(text: string): number {
  const bytes = parseSize(text);
  if (bytes >= CUDA_CONTEXT) return bytes;
  throw new UserError(`no card has ${formatBytes(bytes)}`, {
    hint: 'a CUDA context alone takes about 512 MiB; write it as 24GiB',
  });
}
