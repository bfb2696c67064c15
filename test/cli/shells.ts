import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { place } from '../support/recorder.ts';

/** What a shell offers for each line that is typed so far. `script`: the file that `completion` wrote. */
export type Offers = (script: string, typed: readonly string[], cwd: string) => string[][];

const run = (command: string, argv: string[], cwd: string) =>
  execFileSync(command, argv, { cwd, encoding: 'utf8', timeout: 50_000 });

/** bash is asked as it asks itself when Tab is pressed. */
export const bash: Offers = (script, typed, cwd) => typed.map((line) => bashOne(script, line, cwd));

function bashOne(script: string, line: string, cwd: string): string[] {
  const words = line.split(/[ ]|(?==)|(?<==)/); // as bash cuts a line
  const typed = words.map((word) => `'${word}'`).join(' ');
  const ask = `source ${script}; COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _highwater; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return lines(run('bash', ['--norc', '-c', ask], cwd));
}

export const fish: Offers = (script, typed, cwd) => typed.map((line) => fishOne(script, line, cwd));

function fishOne(script: string, line: string, cwd: string): string[] {
  const ask = `source ${script}; complete -C '${line}'`;
  const offered = run('fish', ['--no-config', '-c', ask], cwd);
  return lines(offered).map((one) => one.replace(/\t.*/, ''));
}

/**
 * zsh completes only in its line editor, so that one is driven in a terminal of its own. The function is
 * found through $fpath, as users install it; a widget says when the list is there.
 */
const ZSH = `
zmodload zsh/zpty
for line in "\${@[2,-1]}"; do
  zpty shell 'PS1=; exec zsh -f -i'
  zpty -w shell "fpath=($1 $fpath); autoload -Uz compinit; compinit -u -d $0.dump; stty -echo"
  zpty -w shell "zstyle ':completion:*' verbose no; zstyle ':completion:*' menu no; LISTMAX=9999"
  zpty -w shell "offer() { zle list-choices; zle -R; zle -I; print LIST''END }; zle -N offer"
  zpty -w shell "COLUMNS=200 LINES=5000; bindkey '^X' offer; print READ''Y"
  zpty -r -m shell before '*READY*'
  zpty -w -n shell "$line"$'\\C-x'
  zpty -r -m shell listed '*LISTEND*'
  print -r -- $listed
  zpty -d shell
done
`;

export const zsh: Offers = (script, typed, cwd) => {
  const driver = place('driver.zsh');
  writeFileSync(driver, ZSH);
  const screens = run('zsh', ['-f', driver, dirname(script), ...typed], cwd).split('LISTEND');
  return typed.map((_, i) => listOn(screens[i]!));
};

/** The list stands below the line, and then the cursor goes back up. */
function listOn(screen: string): string[] {
  const list = /\r\r\n\x1b\[J(.*?)\x1b\[\d*A/s.exec(screen)?.[1] ?? '';
  const plain = list.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '');
  return lines(plain).flatMap((one) => one.split(/ {2,}/));
}

const lines = (text: string) =>
  text
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '');
