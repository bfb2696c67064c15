import { type Command, Option } from 'commander';
import { parseWay, WAYS } from '../../analyses/heap/index.ts';
import { UserError } from '../../base/errors.ts';
import { argument, pidNumber, several } from '../flags/parse.ts';
import { addJsonFlags } from '../output/json.ts';
import { newCommand, runCommand } from '../verb.ts';
import type { HeapFlags } from './heap/show.ts';

const EXAMPLE = `highwater heap Heap.heapsnapshot
highwater heap --pid 4242                      # of a running Node or Python program
highwater heap before.heapsnapshot after.heapsnapshot
highwater heap 1.heapsnapshot 2.heapsnapshot 3.heapsnapshot   # what grows
highwater heap train.hwheap --ask 0.paths --ask 0.referents --json`;

/** Which objects, held by whom, since when. */
export function command(): Command {
  const declared = newCommand('heap', 'which objects hold the memory, and who holds them', EXAMPLE)
    .argument(
      '[files...]',
      "heaps (.heapsnapshot, .hwheap, Heapy's .stat), or recordings with heaps",
    )
    .addOption(
      new Option('--by <way>', 'tell objects apart by this')
        .choices(WAYS)
        .argParser(argument(parseWay))
        .default('kind'),
    )
    .option('--all', 'all rows instead of ten')
    .option('--retained', 'with the bytes that would go with each row')
    .option('--light', 'without retained sizes: less time and memory')
    .option(
      '--ask <what>',
      'ask as at the prompt, as 0.paths; can be repeated',
      several(String),
      [],
    )
    .option('--no-prompt', 'print and end, also in a terminal')
    .option(
      '--pid <pid>',
      'take a heap of a running program first (of Node by its inspector, about which Node prints lines itself)',
      pidNumber,
    )
    .option('-o, --out <file>', 'where the heap of --pid goes (default: heap-PID-TIME.… here)')
    .option('--no-attach', 'ask an agent only: attach no debugger to a Python program without one')
    .option('--force', 'take it although memory may not suffice; replace an existing file');
  return addJsonFlags(declared);
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, heap);
}

async function heap(files: string[], flags: HeapFlags): Promise<void> {
  if (files.length === 0 && flags.pid === undefined) {
    throw new UserError('name a heap, or a program with --pid', {
      hint: 'highwater heap --help',
    });
  }
  if (flags.out !== undefined && flags.pid === undefined) {
    throw new UserError('--out says where the heap of --pid goes, and there is no --pid');
  }
  if (flags.retained && flags.light) {
    throw new UserError('--light leaves retained sizes out, and --retained asks for them');
  }
  const { showHeaps } = await import('./heap/show.ts');
  await showHeaps(files, flags);
}
