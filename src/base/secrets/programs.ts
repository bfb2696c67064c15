import { HIDDEN, looksRandom } from './values.ts';

/** An option that does not say that a password follows. */
interface SecretOption {
  readonly program: RegExp;
  /** Only where this word is among the others. */
  readonly verb?: string;
  /** The option with a word of its own, or with the value behind it. */
  readonly option: RegExp;
  /** The part of the value that is secret; absent: all of it. */
  readonly part?: RegExp;
}

const OPTIONS: readonly SecretOption[] = [
  { program: /^sshpass$/, option: /^-p/ },
  { program: /^(mysql\w*|mariadb[\w-]*)$/, option: /^-p(?=.)/ },
  { program: /^(redis|valkey)-cli$/, option: /^-a/ },
  {
    program: /^(curl|wget|https?|xh|aria2c)$/,
    option: /^(-u|-U|-a|--user=?|--proxy-user=?)/,
    part: /(?<=:).+/s,
  },
  { program: /^curl$/, option: /^-b/, part: /(?<==).+/s },
  {
    program: /^(docker|podman|nerdctl|helm|skopeo|buildah|az|oc|crane|oras|cf)$/,
    verb: 'login',
    option: /^-p/,
  },
  { program: /^gh$/, verb: 'secret', option: /^(-b|--body=?)/ },
  { program: /^ldap\w+$/, option: /^-w/ },
  { program: /^(smbclient|rpcclient|net)$/, option: /^-U/, part: /(?<=%).+/s },
  { program: /^mongo\w*$/, option: /^-p/ },
  { program: /^(zip|unzip|zipcloak|sqlcmd|bcp)$/, option: /^-P/ },
  { program: /^(7z[ar]?|rar|unrar)$/, option: /^-h?p(?=.)/ },
  { program: /^l?ftp$/, option: /^-u/, part: /(?<=,).+/s },
  { program: /^(ipmitool|snmp\w+)$/, option: /^-[PAX]/ },
  { program: /^\w*freerdp\d?$/, option: /^\/p:/ },
];

/** Programs that are told a secret as a plain word: `wandb login X`, `vault login X`. */
const LOGIN =
  /^(wandb|vault|ngrok|kaggle|hf|huggingface-cli|comet|neptune|clearml|runpod|modal|vastai|fly|flyctl)$/;
const LOGIN_VERB = /^(login|authtoken|add-authtoken|api-key|set-token|auth)$/;
/** Programs that run the one behind them, and what may stand before it. */
const FRONT =
  /^(sudo|env|nohup|time|nice|exec|setsid|stdbuf|timeout|xargs|command|watch|\w+=.*|-.*|\d+[smhd]?)$/s;

const nameOf = (word: string) => word.slice(word.lastIndexOf('/') + 1);

/** Which words of a command are secrets by the program's own rules: index → the word without it. */
export function programSecrets(argv: readonly string[]): Map<number, string> {
  const found = new Map<number, string>();
  const at = argv.findIndex((word) => !FRONT.test(word));
  if (at < 0) return found;
  const program = nameOf(argv[at]!);
  if (LOGIN.test(program)) hideLogin(argv, at, found);
  for (const rule of OPTIONS) {
    const applies = rule.program.test(program) && (!rule.verb || argv.includes(rule.verb));
    if (applies) hideOption(argv, at, rule, found);
  }
  return found;
}

function hideOption(
  argv: readonly string[],
  at: number,
  { option, part }: SecretOption,
  found: Map<number, string>,
): void {
  for (let i = at + 1; i < argv.length; i++) {
    const flag = option.exec(argv[i]!)?.[0];
    if (flag === undefined) continue;
    const attached = argv[i]!.length > flag.length;
    const value = attached ? argv[i]!.slice(flag.length) : (argv[i + 1] ?? '');
    if (value === '' || value.includes(HIDDEN) || (part && !part.test(value))) continue;
    const rest = part ? value.replace(part, HIDDEN) : HIDDEN;
    found.set(attached ? i : i + 1, attached ? flag + rest : rest);
  }
}

function hideLogin(argv: readonly string[], at: number, found: Map<number, string>): void {
  const verb = argv.findIndex((word, i) => i > at && LOGIN_VERB.test(word));
  if (verb < 0) return;
  for (let i = verb + 1; i < argv.length; i++) {
    const word = argv[i]!;
    if (!word.startsWith('-') && looksRandom(word)) found.set(i, HIDDEN);
  }
}
