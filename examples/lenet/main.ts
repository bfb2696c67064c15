// With HIGHWATER_TAGS=1 a line on stderr for every tensor: docs/analyze.md.
import '../../src/index.ts';
import { useCpuBackend } from './backend.ts';
import { installKernels } from './kernels/overrides.ts';
import { trainLeNet } from './lenet.ts';
import { HELP, type Options, parseOptions, UsageError } from './options.ts';

async function main(args: readonly string[]): Promise<void> {
  let options: Options;
  try {
    options = parseOptions(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`lenet: ${error.message} (see --help)\n`);
    process.exitCode = 2;
    return;
  }
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  await useCpuBackend();
  installKernels();
  await trainLeNet(options);
}

// A reader that has seen enough, such as head, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

await main(process.argv.slice(2));
