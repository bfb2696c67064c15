import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../support/files.ts';
import { highwater } from '../support/recorder.ts';

/** A user with nothing but what the test makes. */
function user() {
  const [cwd, HOME, TMPDIR] = [tempFolder(), tempFolder(), tempFolder()];
  return { cwd, env: { HOME, TMPDIR } };
}

describe('list', () => {
  it('shows recordings here, in the home and among temporary folders, the newest first', async () => {
    const who = user();
    const record = (...argv: string[]) =>
      highwater(['record', '-q', '--before', '0', '--after', '0', ...argv], who);
    await record('--name', 'first', '--', 'sh', '-c', 'sleep 0.3; exit 3');
    await record('-o', join(who.env.HOME, 'highwater-runs', 'second.hw'), '--', 'sleep', '0.3');
    await record('-o', join(who.env.TMPDIR, 'highwater-aB3dE9', 'third.hw'), '--', 'sleep', '0.2');
    const broken = join(who.cwd, 'highwater-runs', 'broken.hw');
    mkdirSync(broken);
    const startedAt = '2001-01-01T00:00:00.000Z';
    writeFileSync(join(broken, 'run.json'), JSON.stringify({ schemaVersion: 999, startedAt }));
    const { code, stdout, stderr } = await highwater(['list'], who);
    expect([code, stderr]).toEqual([0, '']);
    const lines = String(stdout).trimEnd().split('\n');
    expect(lines[0]).toMatch(/^started +lasted +peak +ended +size +command +recording$/);
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(
        /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d .* MiB +well .*sleep 0\.2 .*third\.hw$/,
      ),
      expect.stringMatching(/well .*sleep 0\.3 .*second\.hw$/),
      expect.stringMatching(/code 3 .*sh -c .*highwater-runs\/first-.*\.hw$/),
      expect.stringMatching(/unreadable .*broken\.hw$/),
    ]);
    const json = JSON.parse(String((await highwater(['list', '--json'], who)).stdout));
    expect(json).toMatchObject({
      type: 'list',
      found: 4,
      recordings: [
        { run: { ended: { how: 'well' }, complete: true, argv: ['sleep', '0.2'] } },
        {},
        { run: { ended: { how: 'failed', code: 3 } } },
        { run: null, error: expect.stringContaining('999') },
      ],
    });
    expect(json.recordings[0].bytes).toBeGreaterThan(1000);
    expect(json.recordings[0].run.peak.bytes).toBeGreaterThan(1e5);
    // The newest is also what verbs without a name take, and they say so.
    const report = await highwater(['report', '--json'], who);
    expect(report.stderr).toMatch(/third\.hw, the newest recording\n$/);
  });

  it('says what is incomplete, leaves older ones for --all, and looks elsewhere when told', async () => {
    const who = user();
    for (let i = 0; i < 22; i++)
      cpSync('test/fixtures/recordings/v3.hw', join(who.cwd, `runs/${i}.hw`), { recursive: true });
    const some = await highwater(['list', 'runs'], who);
    expect(String(some.stdout).split('\n')).toHaveLength(22);
    expect(String(some.stdout)).toContain(', incomplete');
    expect(some.stderr).toBe('and 2 older ones: highwater list --all\n');
    expect(
      String((await highwater(['list', 'runs', '--all'], who)).stdout).split('\n'),
    ).toHaveLength(24);
    const none = await highwater(['list'], who);
    expect([none.code, String(none.stdout)]).toEqual([0, '']);
    expect(none.stderr).toMatch(
      /^no recordings in highwater-runs, .*highwater record -- <command>\n$/,
    );
    const wrong = await highwater(['list', 'nowhere'], who);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('nowhere is no folder'),
    ]);
  });
});
