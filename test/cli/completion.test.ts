import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { needs } from '../support/programs.ts';
import { highwater, place } from '../support/recorder.ts';

const script = async (shell: string) => String((await highwater(['completion', shell])).stdout);

/** What bash would offer after these words. */
function offered(file: string, ...words: string[]): string[] {
  const typed = words.map((word) => `'${word}'`).join(' ');
  const ask = `source ${file}; COMP_WORDS=(highwater ${typed}); COMP_CWORD=${words.length}; _highwater; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', ask], { encoding: 'utf8', cwd: '/' }).trim().split('\n');
}

needs('bash')('bash completes verbs, flags, choices and the command that is run', async () => {
  const file = place('completion.bash');
  writeFileSync(file, await script('bash'));
  expect(offered(file, 're')).toEqual(['record', 'report']);
  expect(offered(file, 'record', '--mem')).toEqual(['--memory-limit']);
  expect(offered(file, 'record', '--gpu', 'n')).toEqual(['nvml', 'nvidia-smi']);
  expect(offered(file, 'report', '--j')).toEqual(['--json']);
  expect(offered(file, 'record', '--', 'bas')).toContain('bash');
  expect(offered(file, 'report', '/et')).toContain('/etc');
});

it('knows every verb and flag in the other shells too', async () => {
  const flags = (await script('bash')).match(/--[a-z-]+/g)!;
  const zsh = await script('zsh');
  const fish = await script('fish');
  for (const flag of new Set(flags.filter((one) => one !== '--version'))) {
    expect(zsh).toContain(`${flag}[`);
    expect(fish).toContain(`-l ${flag.slice(2)} `);
  }
});

it('refuses a shell that it does not know', async () => {
  const { code, stderr } = await highwater(['completion', 'tcsh']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
});
