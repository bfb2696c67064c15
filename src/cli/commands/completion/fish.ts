import type { CompletionValue, CompletionVerb } from './vocabulary.ts';

/** For ~/.config/fish/completions/highwater.fish. */
export function fishCompletion(words: readonly CompletionVerb[]): string {
  const lines = [START];
  const verbs = words.map(({ name }) => name);
  for (const { name, summary, flags, takes } of words) {
    lines.push(`complete -c highwater -n __highwater_no_verb -a ${name} -d ${quote(summary)}`);
    const here = `complete -c highwater -n ${quote(`__highwater_verb ${name}`)}`;
    for (const { names, summary: what, takes: value } of flags) {
      const each = names.map((one) =>
        one.startsWith('--') ? `-l ${one.slice(2)}` : `-s ${one.slice(1)}`,
      );
      const offered = value.kind === 'none' ? '' : ` -x${candidates(value)}`;
      lines.push(`${here} ${each.join(' ')}${offered} -d ${quote(what)}`);
    }
    if (takes.kind === 'file') lines.push(`${here} -F -a '(__highwater_runs)'`);
    else if (takes.kind !== 'none') lines.push(`${here}${candidates(takes)}`);
  }
  lines.push(
    `complete -c highwater -n '__highwater_verb help' -a ${quote(verbs.join(' '))}`,
    "complete -c highwater -n __highwater_no_verb -l help -d 'show help'",
    "complete -c highwater -n __highwater_no_verb -l version -d 'show the version'",
  );
  return `${lines.join('\n')}\n`;
}

/** Files are offered only where they make sense; after -- comes the user's own command. */
const START = `# fish completion for highwater
function __highwater_no_verb
    test (count (commandline -opc)) -eq 1
end
function __highwater_verb
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]; and not contains -- -- $words
end
function __highwater_after_dashes
    contains -- -- (commandline -opc)
end
function __highwater_command
    set -l words (commandline -opc) (commandline -ct)
    set -l at (contains -i -- -- $words)
    complete -C (string join -- ' ' (string escape -- $words[(math $at + 1)..-2]) $words[-1])
end
function __highwater_runs
    # Where there are none, only \`set\` passes over it in silence.
    set -l runs highwater-runs/*
    printf '%s\\n' $runs
end
complete -c highwater -f
complete -c highwater -n __highwater_after_dashes -a '(__highwater_command)'`;

function candidates(value: CompletionValue): string {
  switch (value.kind) {
    case 'choice':
      return ` -a ${quote(value.choices.join(' '))}`;
    case 'file':
      return " -a '(__fish_complete_path (commandline -ct))'";
    case 'folder':
      return " -a '(__fish_complete_directories (commandline -ct))'";
    case 'command':
      return " -a '(__fish_complete_command)'";
    default:
      return '';
  }
}

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
