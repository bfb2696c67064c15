import { type Suspicion, suspicionOf } from './names.ts';
import { programSecrets } from './programs.ts';
import { withoutSecrets } from './text.ts';
import { HIDDEN, isSecretValue } from './values.ts';

/** An option or a variable, and its value, as one word; the value goes to the word's end, spaces and all. */
const ASSIGNMENT = /^(-{0,2}[+~]?)([A-Za-z_][\w.-]*)=(.*)$/s;
const OPTION = /^--?([A-Za-z][\w.-]*)$/;
const HEADER_NAME = /^([A-Za-z][\w-]*):$/;
const SCHEME = /^(bearer|basic|token|digest|apikey|bot)$/i;
/** The word behind these is a program's text; behind -e it may be a variable for a container. */
const CODE_NEXT = /^-[a-z]*c$|^--command$/;
const EVAL_NEXT = /^-[a-z]*[eE]$|^--(eval|print)$/;
const VARIABLE = /^[A-Z_][A-Z0-9_]*=/;
const NEXT_OPTION = /^(--[a-z][a-z0-9-]*(=.*)?|-[A-Za-z]|--)$/s;
/** `-u me:x`, of any program; groups and ports are numbers, or have the name of the user. */
const USER_NEXT = /^(-u|-U|--user|--login|--userpass)$/;
const LOGIN = /^([\w.@+-]+):(?!\d{1,5}$)(?!\*)([^/\s].*)$/s;
/** `aws configure set aws_secret_access_key x` */
const SETTING = /^(set|add|put|setenv|config|--add|create|update|replace)$/;

/**
 * An argv without its secrets: values of options and assignments whose name says so, those inside a word that is
 * itself a text, and what looks like a secret.
 */
export function redactArgv(argv: readonly string[]): string[] {
  const values: string[] = [];
  const words = hideWords(argv, values);
  return words.map((word) => values.reduce((said, value) => said.replaceAll(value, HIDDEN), word));
}

/** `values`: what was found; where it stands again, without a name, it is as secret. */
function hideWords(argv: readonly string[], values: string[]): string[] {
  const ofProgram = programSecrets(argv);
  const note = (value: string) => {
    if (value.length >= 6 && (/[^A-Za-z]/.test(value) || value.length >= 12)) values.push(value);
  };
  let pending: Suspicion = 'none';
  return argv.map((word, i) => {
    const expected = pending;
    pending = 'none';
    const own = ofProgram.get(i);
    if (own !== undefined) return own;
    if (expected !== 'none' && !NEXT_OPTION.test(word)) {
      if (SCHEME.test(word)) {
        pending = 'sure';
        return word;
      }
      if (isSecretValue(word, expected, true)) {
        note(word);
        return HIDDEN;
      }
    }
    const assigned = ASSIGNMENT.exec(word);
    if (assigned && !isCode(word, argv[i - 1] ?? '')) {
      const [, dashes, name, value] = assigned as unknown as [string, string, string, string];
      if (isSecretValue(value, ofAssignment(name, dashes), true)) {
        note(value);
        return `${dashes}${name}=${HIDDEN}`;
      }
    }
    const login = USER_NEXT.test(argv[i - 1] ?? '') && LOGIN.exec(word);
    if (login && login[1] !== login[2]) return `${login[1]}:${HIDDEN}`;
    pending = announced(word, argv[i - 1]);
    return withoutSecrets(word);
  });
}

const isCode = (word: string, before: string) =>
  /[\s;]/.test(word) &&
  (CODE_NEXT.test(before) || (EVAL_NEXT.test(before) && !VARIABLE.test(word)));

/** `key=value` is how anything is written. */
const ofAssignment = (name: string, dashes: string): Suspicion =>
  name === 'key' && dashes === '' ? 'maybe' : suspicionOf(name);

/** What a word says of the one that follows it. */
function announced(word: string, before: string | undefined): Suspicion {
  const option = OPTION.exec(word) ?? HEADER_NAME.exec(word);
  if (option) return suspicionOf(option[1]!);
  if (SETTING.test(before ?? '') && /^\w+([_.:/-]+\w+)+$/.test(word)) return suspicionOf(word);
  // `token x1y2z3` as two words.
  return /^(sure|strong)$/.test(suspicionOf(word)) && /^[A-Za-z_]+$/.test(word) ? 'maybe' : 'none';
}
