import type { Word } from './vocabulary.ts';

/** For ~/.config/fish/completions/highwater.fish. */
export function fishCompletion(words: readonly Word[]): string {
  const lines = ['# fish completion for highwater'];
  for (const { name, summary, flags } of words) {
    lines.push(`complete -c highwater -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`);
    const here = `complete -c highwater -n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
    for (const { names, summary: what, takesValue, choices } of flags) {
      const each = names.map((one) =>
        one.startsWith('--') ? `-l ${one.slice(2)}` : `-s ${one.slice(1)}`,
      );
      const value =
        choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : takesValue ? ' -r' : '';
      lines.push(`${here} ${each.join(' ')}${value} -d ${quote(what)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
