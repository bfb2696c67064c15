import { Argument, type Command } from 'commander';
import { show } from '../output/terminal.ts';
import { newCommand, runCommand, type Verb } from '../verb.ts';
import { bashCompletion } from './completion/bash.ts';
import { fishCompletion } from './completion/fish.ts';
import { type CompletionVerb, vocabulary } from './completion/vocabulary.ts';
import { zshCompletion } from './completion/zsh.ts';

const SHELLS: Readonly<Record<string, (words: readonly CompletionVerb[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

const EXAMPLE = `highwater completion bash > ~/.local/share/bash-completion/completions/highwater
highwater completion zsh > ~/.zsh/_highwater  # in a folder of $fpath
highwater completion fish > ~/.config/fish/completions/highwater.fish`;

/** A script for a shell, made from the verbs' own declarations. */
export function command(): Command {
  return newCommand('completion', 'let a shell complete verbs and flags', EXAMPLE).addArgument(
    new Argument('<shell>', 'which').choices(Object.keys(SHELLS)),
  );
}

export function run(argv: readonly string[], verbs: readonly Verb[] = []): Promise<number> {
  return runCommand(command(), argv, async (shell: string) => {
    show(SHELLS[shell]!(await vocabulary(verbs)));
  });
}
