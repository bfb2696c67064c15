import { createInterface } from 'node:readline';
import { describeError, UserError } from '../../../base/errors.ts';
import { show } from '../../output/terminal.ts';
import { answerText } from './answer-text.ts';
import type { HeapSession } from './session.ts';

export const HELP = `Asked of the table above:
  0                 the objects of row 0        2:5  of rows 2 to 4
  0.paths           shortest paths from the roots to the nearest of them
  0.referents       what they refer to          0.referrers  who refers to them
  by module         told apart by kind, type, size, rcs (kinds of referrers), module, id
  retained          with the bytes that would go with each row
  holders           the single objects that keep most alive
  - FILE            without the objects that another heap of the same process has
  dump FILE         the table as a file that Heapy reads too
  more   all   back   top   quit
Steps can be joined: 0.referents.bymodule, 3.byrcs.0.paths
`;
const WORDS = [
  'paths',
  'referents',
  'referrers',
  'by ',
  'retained',
  'holders',
  'dump ',
  'more',
  'all',
  'back',
  'top',
  'help',
  'quit',
];

/** Questions and answers in a terminal; ends with `quit`, Ctrl-D or Ctrl-C. */
export async function prompt(session: HeapSession): Promise<void> {
  const lines = createInterface({
    input: process.stdin,
    output: process.stdout,
    prompt: 'heap> ',
    completer: (line: string) => [WORDS.filter((word) => word.startsWith(line)), line],
  });
  show("Type a row's number, help, or quit.\n");
  lines.prompt();
  for await (const line of lines) {
    const text = line.trim();
    if (/^(quit|exit|q)$/i.test(text)) break;
    if (/^(help|\?)$/i.test(text)) show(HELP);
    else if (text !== '') show(await answered(session, text));
    lines.prompt();
  }
  lines.close();
}

/** A typing error must not end the session. */
async function answered(session: HeapSession, text: string): Promise<string> {
  try {
    return answerText(await session.ask(text));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return `${describeError(error)}${error.hint ? ` (${error.hint})` : ''}\n`;
  }
}
