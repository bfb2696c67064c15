import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { highwater, open, place, recorded, shortFlags } from '../support/recorder.ts';

describe.concurrent('the exit code of record', () => {
  it('is the command’s own', async () => {
    for (const code of [0, 3, 255]) {
      const { code: got, run } = await recorded([], ['sh', '-c', `exit ${code}`]);
      expect(got).toBe(code);
      expect(run.exit).toMatchObject({ code, signal: null, oomKilled: false, endedBy: null });
      expect(run.endedAt).not.toBeNull();
    }
  });

  it('is 128 and the signal’s number for a command that was killed', async () => {
    for (const [signal, number] of [
      ['SIGKILL', 9],
      ['SIGSEGV', 11],
      ['SIGTERM', 15],
    ] as const) {
      const { code, run } = await recorded([], ['sh', '-c', `kill -${number} $$`]);
      expect(code).toBe(128 + number);
      expect(run.exit).toMatchObject({ code: null, signal });
    }
  });

  it('is 127 for a command that does not exist, with one line and no recording', async () => {
    for (const command of ['no-such-command-here', './no-such-file', '/nowhere/at/all', '']) {
      const folder = place();
      const { code, stderr } = await highwater([...shortFlags(folder), '--', command]);
      expect(code).toBe(127);
      expect(stderr).toMatch(/^highwater: command not found: .*\n$/);
      expect(existsSync(folder)).toBe(false);
    }
  });

  it('is 126 for what is there but cannot be executed', async () => {
    const file = place('plain.txt');
    writeFileSync(file, 'words');
    const folder = place('folder');
    mkdirSync(folder);
    for (const [command, why] of [
      [file, 'permission denied'],
      [folder, 'is a folder'],
    ] as const) {
      const { code, stderr } = await highwater([...shortFlags(place()), '--', command]);
      expect(code).toBe(126);
      expect(stderr).toBe(`highwater: cannot execute ${command}: ${why}\n`);
    }
  });

  it('is 126 or 127 when the kernel refuses to start it, and nothing hangs', async () => {
    const file = place('bad-program');
    writeFileSync(file, '\x7fELF but not really');
    chmodSync(file, 0o755);
    const ended = await recorded([], [file]);
    expect([126, 127]).toContain(ended.code);
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
    expect(ended.run.endedAt).not.toBeNull();
  });

  it('is the same for an ordinary user, who may make no control group', async () => {
    const home = place('home');
    mkdirSync(home);
    chmodSync(home, 0o777);
    const run = async (...command: string[]) => {
      const folder = `${home}/${command.length}-${command.at(-1)!.length}.hw`;
      const argv = [...shortFlags(folder), '--', ...command];
      return { ...(await highwater(argv, { cwd: home, ordinary: true })), folder };
    };
    const ended = await run('sh', '-c', 'sleep 0.3; echo fine; exit 4');
    expect(ended).toMatchObject({ code: 4, stderr: '' });
    expect(String(ended.stdout)).toBe('fine\n');
    expect(open(ended.folder).table('process').rows).toBeGreaterThan(0);

    // A script whose interpreter is not there: only the attempt tells.
    const script = `${home}/script`;
    writeFileSync(script, '#!/no/such/interpreter\n');
    chmodSync(script, 0o755);
    const refused = await run(script);
    expect(refused.code).toBe(127);
    expect(refused.stderr).toMatch(/^highwater: cannot start the command: .*\n$/);
    expect(open(refused.folder).run.endedAt).not.toBeNull();
  });
});
