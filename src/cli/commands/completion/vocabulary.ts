import type { Argument, Option } from 'commander';
import type { Verb } from '../../verb.ts';

/** What a shell needs to know, read off the verbs themselves, so that it is never out of date. */
export interface CompletionVerb {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly CompletionFlag[];
  /** What it is given besides flags. */
  readonly takes: CompletionValue;
}

export interface CompletionFlag {
  /** `--out`, `-o`. */
  readonly names: readonly string[];
  readonly summary: string;
  /** What must follow it. */
  readonly takes: CompletionValue;
  readonly repeatable: boolean;
}

/** Nothing, one of some words, or something by its nature; of `text` only the user knows it. */
export type CompletionValue =
  | { readonly kind: 'none' | 'file' | 'folder' | 'command' | 'text'; readonly name: string }
  | { readonly kind: 'choice'; readonly name: string; readonly choices: readonly string[] };

export async function vocabulary(verbs: readonly Verb[]): Promise<CompletionVerb[]> {
  const words: CompletionVerb[] = [];
  for (const { name, summary, load } of verbs) {
    const command = (await load()).command();
    const help = {
      names: ['--help', '-h'],
      summary: 'show its help',
      takes: NOTHING,
      repeatable: false,
    };
    const first = command.registeredArguments[0];
    words.push({
      name,
      summary,
      flags: [...command.options.map(flag), help],
      takes: first ? argument(first) : NOTHING,
    });
  }
  return words;
}

const NOTHING: CompletionValue = { kind: 'none', name: '' };

function flag(option: Option): CompletionFlag {
  return {
    names: [option.long, option.short].filter((one) => one !== undefined && one !== null),
    summary: option.description,
    takes: option.required ? value(option) : NOTHING,
    repeatable: Array.isArray(option.defaultValue),
  };
}

/** Options say by the name of their value what it is: `--log <file>`, `--out <folder>`. */
function value({ flags, argChoices }: Option): CompletionValue {
  const name = /<(.*)>/.exec(flags)?.[1] ?? '';
  if (argChoices) return { kind: 'choice', name, choices: argChoices };
  if (name === 'folder') return { kind: 'folder', name };
  return { kind: ['file', 'recording', 'run'].includes(name) ? 'file' : 'text', name };
}

function argument(declared: Argument): CompletionValue {
  const name = declared.name();
  if (declared.argChoices) return { kind: 'choice', name, choices: declared.argChoices };
  return { kind: name === 'command' ? 'command' : 'file', name };
}
