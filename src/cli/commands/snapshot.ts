import type { Command } from 'commander';
import { UserError } from '../../base/errors.ts';
import { numberBetween, pidNumber } from '../flags/parse.ts';
import { addJsonFlags } from '../output/json.ts';
import { newCommand, runCommand } from '../verb.ts';
import type { SnapshotFlags } from './snapshot/take.ts';

const EXAMPLE = `highwater snapshot --pid 4242
highwater snapshot highwater-runs/train.hw --rank 3   # of a recording that runs
highwater snapshot --pid 4242 -o before.hw; sleep 60; highwater snapshot --pid 4242 -o after.hw
highwater heap before.hw after.hw                     # what grew between them`;

/** What a running program holds at this moment: allocator, tensors, objects, sizes, in one recording. */
export function command(): Command {
  const declared = newCommand(
    'snapshot',
    'what a running Python or Node program holds now: tensors, objects, sizes, the allocator',
    EXAMPLE,
  )
    .argument('[recording]', 'one that is being made: of its largest program, or that of --rank')
    .option('--pid <pid>', 'the program', pidNumber)
    .option('--rank <n>', 'with a recording: the process of this rank', rankNumber)
    .option('-o, --out <folder>', 'where to (default: highwater-runs/<name>-snapshot-….hw)')
    .option('--no-attach', 'ask an agent only: attach to no program without one')
    .option('-q, --quiet', 'no summary')
    .option('--force', 'replace an existing folder; of Node, also where memory may not suffice');
  return addJsonFlags(declared);
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, snapshot);
}

async function snapshot(recording: string | undefined, flags: SnapshotFlags): Promise<void> {
  if ((recording === undefined) === (flags.pid === undefined)) {
    throw new UserError('name a program with --pid, or a recording that runs', {
      hint: 'highwater snapshot --pid 4242',
    });
  }
  if (flags.rank !== undefined && recording === undefined) {
    throw new UserError('--rank tells apart the processes of a recording, and none is named', {
      hint: 'leave it out, or --pid',
    });
  }
  const [{ pidIn }, { takeSnapshot }] = await Promise.all([
    import('./snapshot/target.ts'),
    import('./snapshot/take.ts'),
  ]);
  await takeSnapshot(flags.pid ?? pidIn(recording!, flags.rank ?? null), flags);
}

const rankNumber = numberBetween(0, 1e9, 'a rank');
