import type { Word } from './vocabulary.ts';

/** For ~/.bashrc: `source <(highwater completion bash)`. */
export function bashCompletion(words: readonly Word[]): string {
  const cases = words.flatMap(({ name, flags }) => [
    `    ${name}) flags="${flags.flatMap((flag) => flag.names).join(' ')}" ;;`,
  ]);
  const choices = words.flatMap(({ name, flags }) =>
    flags
      .filter((flag) => flag.choices.length > 0)
      .map(
        (flag) =>
          `    ${flag.names.map((one) => `"${name} ${one}"`).join('|')}) choices="${flag.choices.join(' ')}" ;;`,
      ),
  );
  return `# bash completion for highwater
_highwater() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" verb="\${COMP_WORDS[1]}" flags="" choices="" at
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${words.map(({ name }) => name).join(' ')} --help --version" -- "$word"))
    return
  fi
  for ((at = 2; at < COMP_CWORD; at++)); do
    # After -- comes the user's own command.
    if [ "\${COMP_WORDS[at]}" = -- ]; then
      COMPREPLY=($(if [ "$at" -eq $((COMP_CWORD - 1)) ]; then compgen -c -- "$word"; else compgen -f -- "$word"; fi))
      return
    fi
  done
  case "$verb $before" in
${choices.join('\n')}
    *) ;;
  esac
  if [ -n "$choices" ]; then
    COMPREPLY=($(compgen -W "$choices" -- "$word"))
    return
  fi
  case "$verb" in
${cases.join('\n')}
  esac
  if [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
    if [ -d highwater-runs ] && [ -z "$word" ]; then COMPREPLY+=($(compgen -f -- highwater-runs/)); fi
  fi
}
complete -o filenames -F _highwater highwater
`;
}
