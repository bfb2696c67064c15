import { basename } from 'node:path';

interface Launcher {
  /** Flags whose value is the next word. */
  readonly takesWord?: RegExp;
  /** Words of its own before the command. */
  readonly words?: (own: readonly string[]) => number;
}

/** Programs that put the command in their own place, or wait for it, and hand their environment on as it is. */
const LAUNCHERS: ReadonlyMap<string, Launcher> = new Map([
  ['nice', { takesWord: /^(-n|--adjustment)$/ }],
  ['nohup', {}],
  ['setsid', {}],
  ['stdbuf', { takesWord: /^(-[ioe]|--(input|output|error))$/ }],
  ['timeout', { takesWord: /^(-[ks]|--(kill-after|signal))$/, words: () => 1 }],
  ['ionice', { takesWord: /^(-[cn]|--class(data)?)$/ }],
  // The processors are its own word, or that of the flag -c.
  ['taskset', { words: () => 1 }],
  ['time', { takesWord: /^(-[fo]|--(format|output))$/ }],
  ['env', { takesWord: /^(-[uC]|--(unset|chdir))$/ }],
]);

/** The command behind such launchers; null where one of them changes what the command finds in its environment. */
export function behindLaunchers(argv: readonly string[]): readonly string[] | null {
  const name = basename(argv[0] ?? '');
  const launcher = LAUNCHERS.get(name);
  if (!launcher) return argv;
  let at = 1;
  for (; /^-./.test(argv[at] ?? ''); at++) {
    const flag = argv[at]!;
    if (name === 'env' && /^(-i|-S|--ignore-environment|--split-string)/.test(flag)) return null;
    if (name === 'taskset' && /^-\w*p|^--pid/.test(flag)) return null;
    if (flag === '--') {
      at++;
      break;
    }
    if (launcher.takesWord?.test(flag)) at++;
  }
  if (name === 'env') {
    for (; /^\w+=/.test(argv[at] ?? ''); at++) {
      if (/^(NODE_OPTIONS|PATH)=/.test(argv[at]!)) return null;
    }
    if (argv[at] === '-') return null;
  }
  at += launcher.words?.(argv) ?? 0;
  return behindLaunchers(argv.slice(at));
}
