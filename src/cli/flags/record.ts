import { type Command, Option } from 'commander';
import { parseSize } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import { parseMarkPattern } from '../../formats/log-lines/index.ts';
import { AGENT_CHOICES, type AgentChoice } from '../../record/agents/injection.ts';
import { GPU_CHOICES, GPU_HELP, type GpuChoice } from '../../record/threads/gpu-plan.ts';
import { sizesOption } from '../commands/sizes/moment.ts';
import { newCommand } from '../verb.ts';
import { cardSize } from './card-size.ts';
import { argument, numberBetween, pidNumber, several } from './parse.ts';

const EXAMPLE = `highwater record -- python train.py --epochs 3
highwater record --name baseline --memory-limit 32GiB -- torchrun --nproc-per-node 4 train.py
highwater record --layers -- python train.py      # what each layer holds
highwater record --gpu-limit 24GiB -- python train.py
highwater record --live -- python train.py        # look on in a browser
highwater record --pid 4242 --duration 60
highwater record --duration 30            # the bare host`;

export interface RecordFlags {
  out?: string;
  name?: string;
  rate: number;
  before: number;
  after: number;
  duration?: number;
  pid?: number;
  memoryLimit?: number;
  swapLimit?: number;
  maxDisk: number;
  exactPeaks?: true;
  gpu: GpuChoice;
  agent: AgentChoice;
  layers?: true;
  gpuLimit?: number;
  sizes?: string;
  heap?: number;
  log?: string;
  mark: RegExp[];
  stopAfter?: number;
  repeat: number;
  watch: boolean;
  live?: true;
  livePort: number;
  quiet?: true;
  force?: true;
}

/** `record` with its flags; what it does is commands/record.ts's. */
export function recordCommand(): Command {
  const seconds = numberBetween(0, Number.POSITIVE_INFINITY, 'seconds');
  const size = argument(parseSize);
  return newCommand(
    'record',
    "Run a command and record its memory. The command's output and exit code pass through.",
    EXAMPLE,
  )
    .usage('[options] [--] [command...]')
    .argument('[command...]', 'what to run; none: the process of --pid, or the bare host')
    .option(
      '-o, --out <folder>',
      'where to (default: highwater-runs/<name>-<date>-<host>-<pid>.hw)',
    )
    .option('--name <name>', 'name of the run (default: the script or program)', runNameFlag)
    .option('--rate <Hz>', 'samples a second', numberBetween(1, 1000, 'a rate in Hz'), 100)
    .option('--before <seconds>', 'how long to watch before the command starts', seconds, 1)
    .option('--after <seconds>', 'how long to watch after it ended', seconds, 1)
    .option('--duration <seconds>', 'end after this time', numberBetween(0.01, 1e9, 'seconds'))
    .option('--pid <pid>', 'record a running process and its children', pidNumber)
    .option('--memory-limit <size>', 'end the workload when it holds more (cgroup or PSS)', size)
    .option('--swap-limit <size>', 'end the workload when more of it is swapped out', size)
    .addOption(
      new Option('--max-disk <size>', 'size of the recording at most')
        .argParser(size)
        .default(2 ** 30, '1GiB'),
    )
    .option(
      '--exact-peaks',
      "reset the kernel's high-water marks at each sample (changes ru_maxrss)",
    )
    .addOption(new Option('--gpu <how>', GPU_HELP).choices(GPU_CHOICES).default('auto'))
    .addOption(
      new Option(
        '--agent <how>',
        'look into Python programs that use torch; stacks: always keep who made each CUDA allocation',
      )
        .choices(AGENT_CHOICES)
        .default('auto'),
    )
    .option('--layers', 'follow the layers of torch models, and tag their CUDA allocations')
    .option(
      '--gpu-limit <size>',
      'hold torch to a card of this size, to try whether it would run there',
      argument(cardSize),
    )
    .addOption(sizesOption('have Python and Node programs tell their sizes (highwater sizes)'))
    .option(
      '--heap <n>',
      'take n heaps of a Node or Python program, spread over the run (highwater heap REC)',
      numberBetween(1, 1000, 'a number of heaps'),
    )
    .option('--log <file>', 'also look for iterations in a log that the command writes by itself')
    .option(
      '--mark <regex>',
      'make marks of matching lines: named groups iteration, epoch, value, time, name',
      several(argument(parseMarkPattern)),
      [],
    )
    .option(
      '--stop-after <n>',
      'end the command politely after n iterations',
      numberBetween(1, 1e12, 'a number of iterations'),
    )
    .option(
      '--repeat <n>',
      'record n runs, one after the other, into one folder',
      numberBetween(1, 10_000, 'a number of runs'),
      1,
    )
    .option('--no-watch', 'hand stdin, stdout and stderr down untouched')
    .option('--live', 'show it in a browser while it runs')
    .option('--live-port <number>', 'on this port', numberBetween(0, 65_535, 'a port'), 0)
    .option('-q, --quiet', 'no live line, no summary')
    .option('--force', 'replace an existing recording')
    .passThroughOptions();
}

/** A name becomes part of a file's name. */
const runNameFlag = argument((text: string) => {
  if (/^[\w.@%+=:,-]{1,100}$/.test(text) && !text.startsWith('.')) return text;
  throw new UserError(`'${text}' cannot be a name`, { hint: 'use letters, digits, . _ - + = , @' });
});
