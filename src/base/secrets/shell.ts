import { programSecrets } from './programs.ts';
import { HIDDEN } from './values.ts';

/** Words of a shell's text, quotes and all. */
const WORD = /"(?:[^"\\]|\\.){0,2000}"|'[^']{0,2000}'|[^\s"';|&()<>]+/g;
const COMMAND_END = /[;|&()\n]/;
/** Longer ones are no commands that anybody typed. */
const MOST_WORDS = 200;

/** `echo x | docker login --password-stdin` */
const PIPED =
  /(\b(?:echo|printf)[ \t]+(?:-\w+[ \t]+)*)("[^"\n]*"|'[^'\n]*'|[^\s|;&]+)(?=[ \t]*\|[^\n;]{0,300}?(?:--password-stdin|--with-token|--passphrase-fd|\bpasswd\b|\bchpasswd\b|\bsudo[ \t]+(?:-\w+[ \t]+)*-\w*S|--stdin\b|\blogin\b))/g;
const HERE =
  /((?:--password-stdin|--with-token|\bsudo[ \t]+-\w*S|\blogin)\b[^\n;|]{0,300}?<<<[ \t]*)("[^"\n]*"|'[^'\n]*'|[^\s|;&]+)/g;
/** What openssl takes a password from. */
const PASS_COLON = /(?<![\w-])(pass:)[^\s"';|&]+/g;

const hideWord = (_: string, before: string, word: string) => before + hidden(word);
const hidden = (word: string) =>
  /^["']/.test(word) ? word[0] + HIDDEN + word[0] : word.startsWith('$') ? word : HIDDEN;

/** Secrets that only whoever knows the program would find, within a text that a shell reads. */
export function withoutShellSecrets(text: string): string {
  const piped = text
    .replace(PIPED, hideWord)
    .replace(HERE, hideWord)
    .replace(PASS_COLON, `$1${HIDDEN}`);
  let said = '';
  let done = 0;
  for (const command of commandsOf(piped)) {
    const argv = command.map(({ word }) => word);
    for (const [i, word] of [...programSecrets(argv)].sort(([a], [b]) => a - b)) {
      const { start, length } = command[i]!;
      said += piped.slice(done, start) + word;
      done = start + length;
    }
  }
  return said + piped.slice(done);
}

interface PlacedWord {
  readonly word: string;
  readonly start: number;
  readonly length: number;
}

function* commandsOf(text: string): Generator<PlacedWord[]> {
  let command: PlacedWord[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (command.length >= MOST_WORDS || COMMAND_END.test(text.slice(end, index))) {
      yield command;
      command = [];
    }
    const quotes = /^["']/.test(word) ? 1 : 0;
    const length = word.length - 2 * quotes;
    command.push({ word: word.slice(quotes, quotes + length), start: index + quotes, length });
    end = index + word.length;
  }
  yield command;
}
