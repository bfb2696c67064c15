import { parseArgs } from 'node:util';

export interface Options {
  readonly iterations: number;
  readonly batch: number;
  readonly seed: number;
  readonly leak: boolean;
  /** Iterations between tables of what each layer holds; null: none, and no profiler. */
  readonly profile: number | null;
  readonly help: boolean;
}

export const DEFAULTS: Options = {
  iterations: 200,
  batch: 8,
  seed: 1,
  leak: false,
  profile: null,
  help: false,
};

/** What --leak keeps of one image: its pixels, label and activations, in four bytes each. */
export const LEAKED_BYTES_PER_IMAGE =
  4 * (28 * 28 + 10 + 24 * 24 * 20 + 12 * 12 * 20 + 8 * 8 * 50 + 4 * 4 * 50 + 500 + 10 + 10);

const LEAKED_MB = ((LEAKED_BYTES_PER_IMAGE * DEFAULTS.batch) / 1e6).toFixed(1);

export const HELP = `Usage: tsx examples/lenet/main.ts [options]

Trains a LeNet on generated digits with TensorFlow.js and prints its progress as Caffe does.

Options:
  --iterations N  how many batches to train on (default ${DEFAULTS.iterations})
  --batch N       how many images there are in a batch (default ${DEFAULTS.batch})
  --seed N        what the digits and the first weights are drawn from (default ${DEFAULTS.seed})
  --leak          never dispose of the batches, activations and losses: about ${LEAKED_MB} MB
                  more in each iteration at the default batch, in proportion at others
  --profile N     print what each layer holds every N iterations, and write it to
                  memory_csv_data/; recorded too under highwater record
  --help          print this and exit
`;

/** A mistake in the command line, said in one line. */
export class UsageError extends Error {}

export function parseOptions(args: readonly string[]): Options {
  const { iterations, batch, seed, leak, profile, help } = readFlags(args);
  return {
    iterations: integer('--iterations', iterations, 1) ?? DEFAULTS.iterations,
    batch: integer('--batch', batch, 1) ?? DEFAULTS.batch,
    seed: integer('--seed', seed, 0) ?? DEFAULTS.seed,
    profile: integer('--profile', profile, 1) ?? DEFAULTS.profile,
    leak: leak ?? DEFAULTS.leak,
    help: help ?? DEFAULTS.help,
  };
}

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        iterations: { type: 'string' },
        batch: { type: 'string' },
        seed: { type: 'string' },
        leak: { type: 'boolean' },
        profile: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    // Node's messages go on with advice, over several lines at times.
    const mistake = error.message.split(/\. |\n/)[0]!.replace(/\.$/, '');
    throw new UsageError(
      mistake.replace('argument is ambiguous', 'takes no value that starts with a dash'),
    );
  }
}

function integer(flag: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || !Number.isSafeInteger(value)) {
    throw new UsageError(`${flag} takes a whole number of at least ${least}, not '${text}'`);
  }
  return value;
}
