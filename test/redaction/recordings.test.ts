import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { packedFiles } from '../../src/model/disk/pack.ts';
import { openRecording } from '../../src/model/disk/reader.ts';
import { saveRecording } from '../../src/model/disk/save.ts';
import { parseSizes } from '../../src/model/disk/sizes-file.ts';
import { redactRecording } from '../../src/model/redacted.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { tempFolder } from '../support/files.ts';
import { highwater, recorded } from '../support/recorder.ts';
import { addRow, allRows } from '../support/rows.ts';

const SECRETS = /annabel|acme|gpu7|hunter2|wiki/i;

/** A run that tells a good deal of whoever made it. */
function telling() {
  const builder = new RecordingBuilder({
    id: 'r1',
    name: 'train',
    subject: 'command',
    argv: ['/home/annabel/acme/train.py', '--token', 'hunter2', '--data', 'acme/x.csv'],
    labels: { job: '17', node: 'gpu7', SLURM_JOB_NODELIST: 'gpu7' },
    warnings: ['cannot read /home/annabel/acme/log: permission denied'],
  });
  builder.run.host.name = 'gpu7.cluster.example';
  builder.run.gpus = [{ index: 0, uuid: 'GPU-acme-1', name: 'H200', memoryBytes: 1e9 }];
  const argv = 'python /home/annabel/acme/train.py --data acme/x.csv';
  const names = { argv, name: 'python', role: 'main' };
  addRow(builder, 'processes', { pid: 7, start_time: 1, ppid: 1, ...names, first_seen: 0 });
  for (let i = 0; i < 20; i++) addRow(builder, 'process', { time: i * 1e8, pid: 7, rss: 1e6 * i });
  const mark = { time_from: TIME_FROM.agent, pid: 7 };
  addRow(builder, 'marks', { time: 0, ...mark, kind: 'start' });
  const name = 'see https://wiki.acme.example';
  addRow(builder, 'marks', { time: 5e8, ...mark, kind: 'note', name });
  for (const file of ['model.py', 'train.py']) {
    addRow(builder, 'frames', { function: 'forward', file: `/home/annabel/acme/${file}`, line: 3 });
  }
  return builder.build();
}

describe('a redacted recording', () => {
  it('has the same figures, and nothing of whoever made it', () => {
    const [whole, given] = [telling(), redactRecording(telling())];
    const texts = JSON.stringify([given.run, [...allRows(given)]]);
    expect(texts).not.toMatch(SECRETS);
    expect(report(given).peaks).toEqual(report(whole).peaks);
    expect(given.run.argv).toEqual([
      '/home/user1/dir1/train.py',
      '--token',
      '***',
      '--data',
      'dir1/file1.csv',
    ]);
    const files = given.table('frames').u32('file');
    expect([...files].map((id) => given.text(id))).toEqual([
      '/home/user1/dir1/model.py',
      '/home/user1/dir1/train.py',
    ]);
    expect(report(given).warnings.join()).toContain('were taken out');
    const short = telling();
    short.run.host.name = 'vm';
    expect(redactRecording(short).run.host.name).toMatch(/^host\d$/);
  });

  it('is what pack --redact makes, without files that nothing names', async () => {
    const folder = tempFolder();
    saveRecording(telling(), folder);
    writeFileSync(join(folder, 'oom-7-0.pickle'), 'annabel');
    writeFileSync(join(folder, 'sizes.json'), '{"told":["annabel"]}');
    const out = join(tempFolder(), 'x.hwz');
    const ran = await highwater(['pack', folder, '--redact', '-o', out]);
    expect([ran.code, String(ran.stdout)]).toEqual([0, `${out}\n`]);
    expect(readdirSync(dirname(out))).toEqual(['x.hwz']);
    const files = packedFiles(out);
    for (const name of files.list())
      expect(String(Buffer.from(files.read(name)!))).not.toMatch(SECRETS);
    expect(openRecording(files).run.host.name).toMatch(/^host\d$/);
    const again = await highwater(['pack', folder, '--redact', '-o', out]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('exists already')]);
  });

  it('has the sizes that processes told, without their names', async () => {
    const folder = tempFolder();
    saveRecording(telling(), folder);
    const value = {
      language: 'Python 3.11 of annabel',
      pid: 7,
      root: "annabel's net of /home/annabel/net.py",
      topsize: 900,
      code: { mapped: 100, loaded: null },
      ...{ simsize: 200, wtsize: 300, connections: 4, explained: 600, optimisable: 500 },
      devices: { 'cuda:0 of annabel': 50 },
      rest: [['arrays outside of annabel', 250]],
      notes: ['read from /home/annabel/net.py'],
      imports: {
        executable: '/home/annabel/bin/python',
        path: ['/home/annabel'],
        modules: ['annabel'],
      },
    };
    writeFileSync(
      join(folder, 'sizes.json'),
      JSON.stringify({ told: [{ at: 'exit', rank: 1, value }] }),
    );
    const packed = join(tempFolder(), 'x.hwz');
    await highwater(['pack', folder, '-o', packed]);
    // Of a folder, and of a pack of it.
    for (const input of [folder, packed]) {
      const out = join(tempFolder(), 'shared.hwz');
      expect((await highwater(['pack', input, '--redact', '-o', out])).code).toBe(0);
      const bytes = packedFiles(out).read('sizes.json')!;
      expect(String(Buffer.from(bytes))).not.toMatch(SECRETS);
      const [told] = parseSizes(bytes);
      expect(told).toMatchObject({ at: 'exit', rank: 1, imports: null });
      expect(told!.sizes).toMatchObject({
        language: expect.stringMatching(/^Python 3\.11 of user\d$/),
        ...{ topsize: 900, simsize: 200, wtsize: 300, pid: 7 },
        rest: [[expect.stringMatching(/^arrays outside of user\d$/), 250]],
      });
    }
  });

  it('shows nothing of it in a report or a page either', async () => {
    const folder = tempFolder();
    saveRecording(redactRecording(telling()), folder);
    expect(await everything(folder)).not.toMatch(SECRETS);
    saveRecording(telling(), folder);
    expect(await everything(folder)).toMatch(SECRETS);
  });
});

describe('a secret on the command line', () => {
  it('is in no recording, report or page', async () => {
    const command = ['sh', '-c', 'sleep 0.3; true --token hunter2', 'x', '--password=hunter2'];
    const { folder } = await recorded([], command);
    const all = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    expect(all.join()).not.toContain('hunter2');
    expect(await everything(folder)).toContain('--password=***');
    expect(await everything(folder)).not.toContain('hunter2');
  });
});

/** All that is shown of a recording: as text, for programs, and the page with what is packed in it. */
async function everything(folder: string): Promise<string> {
  const html = join(tempFolder(), 'x.html');
  const shown: string[] = [];
  for (const flags of [[], ['--json'], ['--markdown'], ['--html', html]]) {
    const { code, stdout } = await highwater(['report', folder, ...flags]);
    expect(code).toBe(0);
    shown.push(String(stdout));
  }
  const blocks = readFileSync(html, 'utf8').matchAll(/data-highwater="(data:|job)[^>]*>([^<]*)</g);
  for (const [, name, base64] of blocks) {
    const bytes = Buffer.from(base64!, 'base64');
    shown.push(String(name === 'job' ? bytes : inflateSync(bytes)));
  }
  expect(shown.length).toBeGreaterThan(6);
  // Of the temporary folder nothing is a secret.
  return shown.join('\n').replaceAll(html, '');
}
