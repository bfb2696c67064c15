import { report } from '../../analyses/report.ts';
import { resultJson } from '../../views/json.ts';
import { reportMarkdown } from '../../views/markdown.ts';
import { reportText } from '../../views/text.ts';
import { newCommand, runCommand } from '../command.ts';
import { openInput } from '../open.ts';

const EXAMPLE = `highwater report
highwater report highwater-runs/train.hw --json`;

/** What happened in one run, to a terminal, a page or a program. */
export async function run(argv: readonly string[]): Promise<number> {
  const command = newCommand('report', 'what happened: peaks, who held it, how it ended', EXAMPLE)
    .argument('[recording]', 'a recording, a packed one or a foreign file (default: the newest)')
    .option('--json', 'for programs')
    .option('--markdown', 'for an issue or a pull request')
    .action(async (input: string | undefined, options: { json?: true; markdown?: true }) => {
      const result = report(await openInput(input));
      process.stdout.write(
        options.json
          ? resultJson(result)
          : options.markdown
            ? reportMarkdown(result)
            : reportText(result, terminal()),
      );
    });
  return runCommand(command, argv);
}

/** Colour only where a person looks on and has not asked for none. */
function terminal(): { color: boolean; width?: number } {
  const { isTTY, columns } = process.stdout;
  return { color: isTTY === true && !process.env.NO_COLOR, width: isTTY ? columns : undefined };
}
