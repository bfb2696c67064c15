import type { Flag, Word } from './vocabulary.ts';

/** For a file `_highwater` in a folder of $fpath, or `source <(highwater completion zsh)` after compinit. */
export function zshCompletion(words: readonly Word[]): string {
  const verbs = words.map(({ name, summary }) => `    ${quote(`${name}:${summary}`)}`);
  const cases = words.map(
    ({ name, flags }) =>
      `    ${name}) _arguments -s ${flags.flatMap(specs).join(' ')} '*:file:_files' ;;`,
  );
  return `#compdef highwater
_highwater() {
  local -a verbs
  verbs=(
${verbs.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  # After -- comes the user's own command.
  local at=\${words[(i)--]}
  if (( at < CURRENT )); then
    shift $at words
    (( CURRENT -= at ))
    _normal
    return
  fi
  local verb=\${words[2]}
  shift words
  (( CURRENT-- ))
  case $verb in
${cases.join('\n')}
  esac
}
compdef _highwater highwater
`;
}

function specs({ names, summary, takesValue, choices }: Flag): string[] {
  const text = summary.replace(/[[\]]/g, '').replace(/:/g, ' ');
  const value =
    choices.length > 0 ? `:value:(${choices.join(' ')})` : takesValue ? ':value:_files' : '';
  return names.map((name) => quote(`${name}[${text}]${value}`));
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
