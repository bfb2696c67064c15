import type { CompletionFlag, CompletionValue, CompletionVerb } from './vocabulary.ts';

/** For a file `_highwater` in a folder of $fpath, or `source <(highwater completion zsh)` after compinit. */
export function zshCompletion(words: readonly CompletionVerb[]): string {
  const verbs = words.map(({ name, summary }) => `    ${quote(`${name}:${summary}`)}`);
  const cases = words.map(({ name, flags, takes }) => {
    const specs = [...flags.flatMap(flagSpecs), ...argumentSpecs(takes)];
    return `    ${name}) _arguments -s ${specs.map(quote).join(' ')} ;;`;
  });
  return `#compdef highwater
_highwater() {
  local -a verbs
  verbs=(
${verbs.join('\n')}
  )
  if (( CURRENT == 2 )) || [[ $words[2] == help && CURRENT -eq 3 ]]; then
    if [[ $words[CURRENT] == -* ]]; then
      _arguments '--help[show help]' '--version[show the version]'
    else
      _describe command verbs
    fi
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
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
${cases.join('\n')}
  esac
}
_highwater_recordings() {
  local -a runs
  runs=(highwater-runs/*(N))
  _alternative 'runs:recording:compadd -f -a runs' 'files:file:_files'
}
# From $fpath this file is the function itself and is called at once; sourced, it is only declared.
if [[ $funcstack[1] == _highwater ]]; then _highwater "$@"; else compdef _highwater highwater; fi
`;
}

function flagSpecs({ names, summary, takes, repeatable }: CompletionFlag): string[] {
  const text = escaped(summary).replace(/[[\]]/g, '\\$&');
  const before = repeatable ? '*' : names.length > 1 ? `(${names.join(' ')})` : '';
  return names.map((name) => {
    const joined = takes.kind !== 'none' && name.startsWith('--') ? '=' : '';
    return `${before}${name}${joined}[${text}]${action(takes)}`;
  });
}

function argumentSpecs(takes: CompletionValue): string[] {
  if (takes.kind === 'none') return [];
  // The user's command may also follow without --, and then all that comes is its own.
  if (takes.kind === 'command') return ['(-)*::command:_normal'];
  return [`*${action(takes).replace(/_files$/, '_highwater_recordings')}`];
}

function action(value: CompletionValue): string {
  const ways = {
    none: '',
    file: '_files',
    folder: '_files -/',
    command: '_command_names',
    text: ' ',
  };
  if (value.kind === 'none') return '';
  const way = value.kind === 'choice' ? `(${value.choices.join(' ')})` : ways[value.kind];
  return `:${escaped(value.name)}:${way}`;
}

const escaped = (text: string) => text.replaceAll(':', '\\:');
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
