import { spawn } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { lack, needs } from '../support/programs.ts';
import { cleanEnv, place } from '../support/recorder.ts';
import { type CommandLine, calls, commandLines, documents } from './command-lines.ts';
import { makeWorkshop } from './workshop.ts';

/** Why a line is only parsed (commands.test.ts), not run; null when it can be. */
function whyNot({ text }: CommandLine): string | null {
  const words = calls(text).flat();
  if (words.length < 2) return 'only names a verb';
  if (/[…[\]]|[ =][A-Z]+(?=[ .]|$)| cmd$/.test(text)) return 'has placeholders';
  if (/ --pid\b|^highwater (view|completion|doctor)\b| --live\b/.test(text))
    return 'does not end by itself';
  if (/gpt_|h200-|-sweep-|batches|infer \{|vgg19| \/\w/.test(text))
    return 'is of files that are not kept here';
  if (/torchrun|mpirun/.test(text)) return 'needs a launcher';
  if (/plot .* --(layers|accounting)/.test(text)) return 'needs a recording with layers';
  const others = [...text.matchAll(/\| (\S+)/g)].map(([, program]) => program!);
  return others.length > 0 ? lack(...others) : null;
}

/** Without the quiet before and after a run; of a sweep, what it would run. */
const hurried = (text: string) =>
  text
    .replace(/highwater record /g, 'highwater record --before 0 --after 0 ')
    .replace(/highwater sweep /g, 'highwater sweep --dry-run ')
    .replace(/--repeat \d+/, '--repeat 2');

/** Where a limit is held, being over it is an answer. */
const mayExit = (text: string) => (/highwater check/.test(text) ? [0, 3, 4] : [0]);

function ran(text: string, cwd: string): Promise<{ code: number | null; output: string }> {
  const env = cleanEnv({ PATH: `${join(cwd, 'bin')}${delimiter}${process.env.PATH}` });
  const child = spawn('sh', ['-c', text], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output += chunk));
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done({ code, output }));
  });
}

/** Examples of kept files, whose output must be as it is shown. */
const EXACT = ['unet-peaks.csv', 'old.hw'];

describe('the examples of the documents run', () => {
  const workshop = place('workshop');
  beforeAll(() => makeWorkshop(workshop));
  const runnable = (file: string) => commandLines(file).filter((line) => whyNot(line) === null);

  for (const file of documents().filter((name) => runnable(name).length > 0)) {
    needs('python3')(
      file,
      async () => {
        const folder = place('folder');
        cpSync(workshop, folder, { recursive: true, verbatimSymlinks: true });
        const done = new Set<string>();
        for (const { line, text, shown } of runnable(file)) {
          if (done.has(text)) continue;
          done.add(text);
          // What the workshop has of that name stands for an earlier run.
          const [, out] = / -o (\S+)/.exec(text) ?? [];
          if (out && out !== '.') rmSync(join(folder, out), { recursive: true, force: true });
          const { code, output } = await ran(hurried(text), folder);
          expect(mayExit(text), `${file}:${line}: ${text}\n${output}`).toContain(code);
          if (!EXACT.some((name) => text.includes(name))) continue;
          for (const row of shown) expect(output.split('\n'), `${file}:${line}`).toContain(row);
        }
      },
      120_000,
    );
  }

  it('and they are many', () => {
    expect(documents().flatMap(runnable).length).toBeGreaterThan(50);
  });
});
