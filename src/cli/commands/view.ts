import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { UserError } from '../../base/errors.ts';
import { statOf } from '../../open/named-file.ts';
import { serve } from '../../server/http.ts';
import { numberBetween } from '../flags/parse.ts';
import { show, tell } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';
import { openBrowser, throughSsh, tunnelLine } from './view/browser.ts';
import { writeViewer } from './view/viewer.ts';

interface Flags {
  open: boolean;
  port: number;
  viewer?: string;
  force?: true;
}

const EXAMPLE = `highwater view                                    # a list of the recordings here
highwater view highwater-runs/train.hw
highwater view snapshot.pickle --no-open --port 8765
highwater view highwater-runs/infer-sweep-…       # all runs of a sweep
highwater view --viewer highwater-viewer.html     # a page that opens dropped files where Highwater is not installed`;

/** Shows recordings in a browser, until it is interrupted. */
export function command(): Command {
  return newCommand('view', 'look at recordings in a browser', EXAMPLE)
    .argument(
      '[inputs...]',
      'recordings, packed ones, files of other tools, or folders of them (default: a list of the recordings here)',
    )
    .option('--no-open', 'only print the address')
    .option('--port <number>', 'listen on this port', numberBetween(0, 65_535, 'a port'), 0)
    .option('--viewer <file>', 'write the page that needs no server, and end')
    .option('--force', 'replace an existing file');
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, view);
}

async function view(inputs: string[], flags: Flags): Promise<void> {
  if (flags.viewer !== undefined) {
    if (inputs.length > 0) {
      throw new UserError('--viewer writes a page without data, and takes no inputs', {
        hint: 'report RECORDING --html FILE writes one with its data',
      });
    }
    return writeViewer(flags.viewer, flags.force ?? false);
  }
  const lists = inputs.length === 0;
  // What cannot be opened is said on the page, beside the rest; alone it is most likely misspelt.
  if (!lists && !inputs.some((input) => existsSync(input))) statOf(inputs[0]!);
  const server = await serve({ inputs, port: flags.port, lists, takesFiles: true });
  show(`${server.url}\n`);
  await announce(server.url, server.port, flags.open);
  await interrupted();
  await server.close();
}

/** Over SSH a browser here would be of no use: the reader's is at the other end. */
async function announce(url: string, port: number, open: boolean): Promise<void> {
  const say = (line: string) => tell(`${line}\n`);
  if (throughSsh()) {
    say('On your own machine, type this and open the address above there:');
    say(`  ${tunnelLine(port)}`);
  } else if (open && !(await openBrowser(url))) say('Open this address in a browser.');
  say('Ctrl-C ends it.');
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => resolve());
    }
  });
}
