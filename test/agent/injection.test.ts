import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { injected, shutOut } from '../../src/record/agents/injection.ts';
import { needs, python } from '../support/programs.ts';
import { place } from '../support/recorder.ts';
import { FILES, PROGRAMS, type Program } from './unrelated-programs.ts';

const folder = place('programs');

/** The same files, untouched by the run before, at the same place. */
function freshFiles(): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function base(program: Program): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(PYTHON|HIGHWATER)/.test(name));
  const prefix = dirname(dirname(python()));
  const more = Object.entries(program.env ?? {}).map(([name, value]) => [
    name,
    value.replace('$PREFIX', prefix),
  ]);
  return Object.fromEntries([...own, ['PYTHONDONTWRITEBYTECODE', '1'], ...more]);
}

function run({ argv, shell, stdin, mask }: Program, env: NodeJS.ProcessEnv) {
  freshFiles();
  const line = shell?.replaceAll('$PY', python());
  const [file, args] = line ? ['/bin/sh', ['-c', line]] : [python(), [...(argv ?? [])]];
  const { status, signal, stdout, stderr } = spawnSync(file, args, {
    cwd: folder,
    env,
    input: stdin ?? '',
    encoding: 'utf8',
    timeout: 60_000,
  });
  const masked = (text: string) => {
    const still = text.replace(/0x[\da-f]{6,}/g, '0x…');
    return mask ? still.replace(mask, '').replace(/ +/g, ' ') : still;
  };
  return { status, signal, stdout: masked(stdout), stderr: masked(stderr) };
}

describe('a Python program that has nothing to do with training', () => {
  it('has at least fifty examples', () => expect(PROGRAMS.length).toBeGreaterThan(50));

  for (const program of PROGRAMS) {
    needs('python3')(program.name, () => {
      const env = base(program);
      const before = run(program, env);
      // A socket that is not there: whoever tried to speak would be seen, or would wait.
      const after = run(program, injected({ ...env, HIGHWATER_SOCKET: '/nowhere/s' }));
      expect(after).toEqual(before);
    });
  }
});

describe('our way in', () => {
  it('comes first on PYTHONPATH and leaves the rest as it is', () => {
    expect(injected({ PYTHONPATH: '/a:/b', X: '1' }, '/ours')).toEqual({
      PYTHONPATH: '/ours:/a:/b',
      X: '1',
    });
    expect(injected({ PYTHONPATH: '' }, '/ours').PYTHONPATH).toBe('/ours');
    expect(injected({ X: '1' }, '/with:colon')).toEqual({ X: '1' });
    expect(injected({ X: '1' }, null)).toEqual({ X: '1' });
  });

  it.each([
    ['python -I x.py', 'I'],
    ['/usr/bin/python3.12 -uE x.py', 'E'],
    ['python3 -W error -S -c pass', 'S'],
    ['python3 -X dev -sI', 'I'],
    ['python -c -I', null],
    ['python -m -S', null],
    ['python x.py -I', null],
    ['python -Werror x.py', null],
    ['node -I x.py', null],
    ['', null],
  ])('knows that `%s` shuts it out: %s', (line, flag) => {
    const reason = flag && `Python was started with -${flag}, which leaves the agent out`;
    expect(shutOut(line.split(' '))).toBe(reason);
  });
});
