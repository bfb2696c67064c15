import type { CompletionValue, CompletionVerb } from './vocabulary.ts';

/** For ~/.bashrc: `source <(highwater completion bash)`. */
export function bashCompletion(words: readonly CompletionVerb[]): string {
  const verbs = words.map(({ name }) => name);
  const flags = words.map(
    ({ name, flags, takes }) =>
      `    ${name}) flags="${flags.flatMap((one) => one.names).join(' ')}" takes="${short(takes)}" ;;`,
  );
  const values = words.flatMap(({ name, flags }) =>
    flags
      .filter(({ takes }) => takes.kind !== 'none')
      .map(
        ({ names, takes }) =>
          `    ${names.map((one) => `"${name} ${one}"`).join('|')}) takes="${short(takes)}" flags="" ;;`,
      ),
  );
  return `# bash completion for highwater
_highwater() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" verb="\${COMP_WORDS[1]}" flags="" takes="" at
  COMPREPLY=()
  # bash makes three words of a flag, = and its value.
  if [ "$word" = = ]; then word=""; elif [ "$before" = = ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "${verbs.join(' ')} help --help --version" -- "$word")
    return
  fi
  for ((at = 2; at < COMP_CWORD; at++)); do
    # After -- comes the user's own command, which may have a completion of its own.
    if [ "\${COMP_WORDS[at]}" = -- ]; then
      if declare -F _comp_command_offset >/dev/null; then _comp_command_offset $((at + 1)); return; fi
      if declare -F _command_offset >/dev/null; then _command_offset $((at + 1)); return; fi
      if [ "$at" -eq $((COMP_CWORD - 1)) ]; then takes=command; else takes=file; fi
      _highwater_offer
      return
    fi
  done
  case "$verb" in
${flags.join('\n')}
    help) takes="one ${verbs.join(' ')}" ;;
  esac
  case "$verb $before" in
${values.join('\n')}
  esac
  if [[ "$word" == -* && -n "$flags" ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$word")
  else
    _highwater_offer
  fi
}
_highwater_offer() {
  case "$takes" in
    one\\ *) mapfile -t COMPREPLY < <(compgen -W "\${takes#one }" -- "$word") ;;
    command) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
    folder) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    file)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$word"; [ -n "$word" ] || compgen -f -- highwater-runs/) ;;
  esac
}
complete -F _highwater highwater
`;
}

const short = (value: CompletionValue) =>
  value.kind === 'choice' ? `one ${value.choices.join(' ')}` : value.kind;
