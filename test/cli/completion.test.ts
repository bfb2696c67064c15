import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { needs } from '../support/programs.ts';
import { highwater, place } from '../support/recorder.ts';
import { bash, fish, type Offers, zsh } from './shells.ts';

const script = async (shell: string) => String((await highwater(['completion', shell])).stdout);

/** A folder with things to complete in it, and the shell's script. */
async function prepared(shell: string): Promise<{ folder: string; file: string }> {
  const folder = place(shell);
  mkdirSync(join(folder, 'highwater-runs', 'train.hw'), { recursive: true });
  mkdirSync(join(folder, 'two words'));
  writeFileSync(join(folder, 'notes.log'), '');
  const file = join(folder, shell === 'zsh' ? '_highwater' : `completion.${shell}`);
  writeFileSync(file, await script(shell));
  return { folder, file };
}

const EXPECTED: readonly (readonly [line: string, offered: unknown])[] = [
  ['highwater re', ['record', 'report']],
  ['highwater record --mem', ['--memory-limit']],
  ['highwater record --gpu n', ['nvidia-smi', 'nvml']],
  ['highwater sweep --gpu=n', ['nvidia-smi', 'nvml']],
  ['highwater completion ', ['bash', 'fish', 'zsh']],
  [
    'highwater report ',
    expect.arrayContaining(['highwater-runs/train.hw', 'notes.log', 'two words']),
  ],
  ['highwater record -o ', ['highwater-runs', 'two words']],
  ['highwater record --log n', ['notes.log']],
  // Only the user knows a rate, so no file is offered for it.
  ['highwater record --rate n', []],
  ['highwater record -- mkdi', expect.arrayContaining(['mkdir'])],
  ['highwater record -- cat no', ['notes.log']],
];

for (const [shell, offers] of Object.entries<Offers>({ bash, zsh, fish })) {
  needs(shell)(`${shell} completes verbs, flags, their values, files and commands`, async () => {
    const { folder, file } = await prepared(shell);
    const typed = EXPECTED.map(([line]) => line);
    // Shells differ in how they show a folder, a space and a value after =.
    const plain = (one: string) => one.replace(/\/$|^--gpu=/g, '').replace('\\ ', ' ');
    const offered = offers(file, typed, folder).map((some) => some.map(plain).sort());
    expect(typed.map((line, i) => [line, offered[i]])).toEqual(EXPECTED);
  });
}

it('knows every verb and flag in the other shells too', async () => {
  const flags = (await script('bash')).match(/--[a-z-]+/g)!;
  const zsh = await script('zsh');
  const fish = await script('fish');
  for (const flag of new Set(flags.filter((one) => one !== '--version'))) {
    expect(zsh).toMatch(new RegExp(`${flag}=?\\[`));
    expect(fish).toContain(`-l ${flag.slice(2)} `);
  }
});

it('refuses a shell that it does not know', async () => {
  const { code, stderr } = await highwater(['completion', 'tcsh']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
});
