import { describe, type Verb } from '../command.ts';

/** What a shell needs to know, read off the verbs themselves, so that it is never out of date. */
export interface Word {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
}

export interface Flag {
  /** `--out`, `-o`. */
  readonly names: readonly string[];
  readonly summary: string;
  /** It is followed by a value: one of these or, where there are none, a file. */
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

export async function vocabulary(verbs: readonly Verb[]): Promise<Word[]> {
  const words: Word[] = [];
  for (const { name, summary, load } of verbs) {
    const command = await describe(await load());
    const flags = command.options.map((option) => ({
      names: [option.long, option.short].filter((one) => one !== undefined),
      summary: option.description,
      takesValue: option.required || option.optional,
      choices: option.argChoices ?? [],
    }));
    const help = {
      names: ['--help', '-h'],
      summary: 'show its help',
      takesValue: false,
      choices: [],
    };
    words.push({ name, summary, flags: [...flags, help] });
  }
  return words;
}
