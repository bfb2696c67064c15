import { existsSync, mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inOneProcess } from '../support/one-process.ts';
import { highwater, place, recorded } from '../support/recorder.ts';
import { runLine, shell } from '../support/shell.ts';

/** Every verb that `help --all` lists. */
async function verbs(words = ['help', '--all']): Promise<string[]> {
  const { stdout, code } = await inOneProcess(words);
  expect(code).toBe(0);
  const listed = [...stdout.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map((match) => match[1]!);
  expect(listed).toEqual(expect.arrayContaining(['record', 'report', 'view', 'compare', 'check']));
  return listed;
}

describe.concurrent('help', () => {
  it('shows what most need, and names the rest, of which nothing is lost', async () => {
    const [first, all] = [await verbs(['--help']), await verbs()];
    expect(first).toEqual(['record', 'report', 'view', 'compare', 'check', 'what-if']);
    const { stdout } = await inOneProcess(['--help']);
    const more = /^More: (.*)$/m.exec(stdout)![1]!.split(', ');
    expect([...first, ...more]).toEqual(all);
    expect(all).toEqual(expect.arrayContaining(['plot', 'export', 'doctor', 'analyze', 'list']));
    for (const words of [
      ['--help', '--all'],
      ['help', 'more'],
    ])
      expect(await verbs(words)).toEqual(all);
  });

  it('of every verb shows an example and exits 0, on stdout', async () => {
    for (const verb of await verbs()) {
      const { stdout, stderr, code } = await inOneProcess([verb, '--help']);
      expect({ verb, code, stderr }).toEqual({ verb, code: 0, stderr: '' });
      expect(stdout).toContain(`Usage: highwater ${verb}`);
      expect(stdout).toMatch(new RegExp(`Example:\\n +highwater ${verb}`));
    }
  });

  it('can be asked for in other words', async () => {
    const asked = await highwater(['help', 'report']);
    expect(String(asked.stdout)).toContain('Usage: highwater report');
    expect({ code: asked.code, stderr: asked.stderr }).toEqual({ code: 0, stderr: '' });
    const bare = await highwater([]);
    expect(bare.code).toBe(2);
    expect(bare.stderr).toContain('Usage: highwater <command>');
    expect(String(bare.stdout)).toBe('');
  });
});

describe.concurrent('wrong usage', () => {
  it('of an unknown verb: exit 2, one line, what to do', async () => {
    const { code, stderr, stdout } = await highwater(['recrod', '--', 'echo', 'ran']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^highwater: there is no command 'recrod' \(.*--help.*\)\n$/);
    expect(String(stdout)).toBe('');
  });

  it('says what was probably meant', async () => {
    for (const [argv, meant] of [
      [['recrod'], 'did you mean record?'],
      [['help', 'veiw'], 'did you mean view?'],
      [['python', 'train.py'], 'highwater record -- python …'],
      [['run', 'train.py'], 'here: highwater record -- python train.py'],
      [['attach', '4242'], 'highwater record --pid PID'],
      [['peak'], 'here: highwater record -- CMD prints the peak'],
      [['top'], 'highwater record --live'],
      [['profile', 'x.py'], 'here: highwater record'],
      [['flamegraph', 'x.bin'], 'here: highwater view'],
      [['tree'], 'here: highwater report'],
      [['help', 'stats'], 'here: highwater report'],
      [['summary'], 'here: highwater report'],
      [['ls'], 'here: highwater list'],
      [['report', '--jsn'], 'did you mean --json?'],
      [['record', '--memroy-limit', '8GiB', '--', 'echo'], 'did you mean --memory-limit?'],
    ] as const) {
      const { code, stderr, stdout } = await inOneProcess(argv);
      expect([code, stdout]).toEqual([argv[0] === 'record' ? 125 : 2, '']);
      expect(stderr).toMatch(/^highwater: .*\(.*--help.*\)\n$/);
      expect(stderr).toContain(meant);
    }
  });

  it('of an unknown flag: exit 2 and one line, 125 in record', async () => {
    for (const verb of await verbs()) {
      const { code, stderr, stdout } = await inOneProcess([verb, '--no-such-flag']);
      expect({ verb, code }).toEqual({ verb, code: verb === 'record' ? 125 : 2 });
      expect(stderr).toMatch(/^highwater: .*--no-such-flag.*\n$/);
      expect(stdout).toBe('');
    }
  });

  it('of record says what was expected, and runs nothing', async () => {
    for (const [flag, value, expected] of [
      ['--rate', '0', 'from 1 to 1000'],
      ['--rate', '1001', 'from 1 to 1000'],
      ['--rate', 'fast', 'from 1 to 1000'],
      ['--before', '-1', 'seconds'],
      ['--after', 'x', 'seconds'],
      ['--duration', '0', 'seconds'],
      ['--pid', 'me', 'a pid'],
      ['--memory-limit', '8 elephants', '8GiB'],
    ]) {
      const out = place();
      const argv = ['record', flag!, value!, '-o', out, '--', 'touch', `${out}.ran`];
      const { code, stderr, stdout } = await inOneProcess(argv);
      expect({ flag, value, code }).toEqual({ flag, value, code: 125 });
      expect(stderr).toMatch(/^highwater: .*\n$/);
      expect(stderr).toContain(expected);
      expect(stdout).toBe('');
      expect([out, `${out}.ran`].filter(existsSync)).toEqual([]);
    }
    const real = await highwater(['record', '--rate', '0', '--', 'echo', 'ran']);
    expect([real.code, String(real.stdout)]).toEqual([125, '']);
    expect(real.stderr).toMatch(/^highwater: .*from 1 to 1000.*\n$/);
  });

  it('flags after the command are the command’s', async () => {
    const { stdout, code } = await recorded([], ['echo', '--rate', '--help', '-o', 'x']);
    expect(String(stdout)).toBe('--rate --help -o x\n');
    expect(code).toBe(0);
  });
});

describe('output', () => {
  it('names what to type next as the user reaches us', async () => {
    const argv = () => ['record', '--before', '0', '--after', '0', '-o', place(), '--', 'true'];
    const direct = await highwater(argv());
    expect(direct.stderr).toMatch(/^ {2}highwater report /m);
    const npx = await highwater(argv(), { env: { npm_command: 'exec' } });
    expect(npx.stderr).toMatch(/^ {2}npx highwater report /m);
  });

  it('that nobody reads to its end is no failure; a full disk is', async () => {
    const { folder } = await recorded([], ['sleep', '0.6']);
    const table = shell('export', folder, '--to', 'csv', '--table', 'host');
    const status = place('status');
    const head = await runLine(`{ ${table} 2>&1; echo $? > ${status}; } | head -n 1`);
    expect(head).toMatch(/^seconds,/);
    expect((await runLine(`cat ${status}`)).trim()).toBe('0');
    for (const command of [table, shell('report', folder), shell('--help')]) {
      const full = await runLine(`${command} 2>&1 >/dev/full; echo $?`);
      expect(full).toMatch(/^highwater: .*no space left.*\n[1-9]\d*\n$/);
    }
  });

  it('of doctor tells what can be measured, for people and for programs', async () => {
    const text = await inOneProcess(['doctor']);
    expect(text.code).toBe(0);
    for (const id of ['host', 'process-tree', 'pss', 'cgroup', 'own-cgroup', 'terminal']) {
      expect(text.stdout).toMatch(new RegExp(`^(ok|no) +${id} `, 'm'));
    }
    const json = await inOneProcess(['doctor', '--json']);
    const { type, schemaVersion, sources } = JSON.parse(json.stdout) as {
      type: string;
      schemaVersion: number;
      sources: { id: string; title: string; ok: boolean; reason?: string }[];
    };
    expect([type, schemaVersion]).toEqual(['doctor', 1]);
    for (const source of sources) {
      expect(source.title).not.toBe('');
      expect(source.ok || (source.reason ?? '') !== '').toBe(true);
    }
    expect(sources.find(({ id }) => id === 'host')).toMatchObject({ ok: true });
  });

  it('of doctor for an ordinary user says how to enable the rest', async () => {
    const cwd = place('folder');
    mkdirSync(cwd);
    const { stdout, code } = await highwater(['doctor', '--json'], { ordinary: true, cwd });
    expect(code).toBe(0);
    const { sources } = JSON.parse(String(stdout)) as {
      sources: { id: string; ok: boolean; remedy?: string }[];
    };
    const group = sources.find(({ id }) => id === 'own-cgroup')!;
    expect(group.ok || group.remedy !== undefined).toBe(true);
  });
});
