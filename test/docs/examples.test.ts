import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { lack, needs } from '../support/programs.ts';
import { place } from '../support/recorder.ts';
import { type CommandLine, calls, commandLines, documents } from './command-lines.ts';
import { makeExampleFiles } from './example-files.ts';
import { ran } from './running.ts';
import { difference, exitStatus, whyNotRun } from './shown.ts';

/** Why a line is only parsed (commands.test.ts), not run; null when it can be. */
function whyNot({ file, text, note }: CommandLine): string | null {
  const words = calls(text).flat();
  if (whyNotRun(note) !== null) return whyNotRun(note);
  if (file === 'docs/verified.md') return 'was done by hand, with a GPU';
  if (words.length < 2 && !['doctor', 'list'].includes(words[0]!)) return 'only names a verb';
  if (/[…[\]]|[ =][A-Z]+(?=[ .]|$)| cmd$/.test(text)) return 'has placeholders';
  if (/ --pid\b|^highwater view\b| --live\b|> ~\//.test(text)) return 'does not end by itself';
  if (/h200-|-sweep-|batches|infer \{|vgg19| \/\w/.test(text))
    return 'is of files that are not kept here';
  if (/torchrun|mpirun/.test(text)) return 'needs a launcher';
  const others = [...text.matchAll(/\| (\S+)/g)].map(([, program]) => program!);
  return others.length > 0 ? lack(...others) : null;
}

const QUICK = '--before 0 --after 0 ';

/** Without the quiet before and after a run; of a sweep whose output is not shown, what it would run. */
const hurried = ({ text, shown }: CommandLine) =>
  text
    .replace(/highwater record /g, `highwater record ${QUICK}`)
    .replace(/highwater sweep /g, `highwater sweep ${shown.length > 0 ? QUICK : '--dry-run '}`)
    .replace(/--repeat \d+/, '--repeat 2');

/** Where a limit is held, being over it is an answer; where a document says the status, that it is. */
function mayExit({ text, note }: CommandLine): number[] {
  const said = exitStatus(note);
  if (said !== null) return [said];
  return /highwater check/.test(text) ? [0, 3, 4] : [0];
}

describe('the examples of the documents run', () => {
  const examples = place('examples');
  beforeAll(() => makeExampleFiles(examples));
  /** In any document: the same line in the same folder does the same again. */
  const done = new Set<string>();
  const runnable = (file: string) => commandLines(file).filter((line) => whyNot(line) === null);

  for (const file of documents().filter((name) => runnable(name).length > 0)) {
    needs('python3')(
      file,
      async () => {
        const folder = place('folder');
        cpSync(examples, folder, { recursive: true, verbatimSymlinks: true });
        for (const example of runnable(file)) {
          const { line, text, shown, note } = example;
          if (done.has(text) && shown.length === 0) continue;
          // What the examples have of that name stands for an earlier run.
          const out = /^\S+ (?:record|import|plot|export|pack|compare) .*-o ([^.\s]\S*)/.exec(
            text,
          )?.[1];
          if (out) rmSync(join(folder, out), { recursive: true, force: true });
          const kept = out && existsSync(join(examples, out));
          const { code, output } = await ran(hurried(example), folder);
          expect(mayExit(example), `${file}:${line}: ${text}\n${output}`).toContain(code);
          // The programs are small stand-ins: what comes next is about the real run that is kept.
          if (kept) {
            rmSync(join(folder, out), { recursive: true, force: true });
            cpSync(join(examples, out), join(folder, out), { recursive: true });
          }
          const other = shown.length > 0 ? difference(shown, output, note) : null;
          expect(other?.printed, `${file}:${line}: ${text}`).toBe(other?.expected);
          done.add(text);
        }
      },
      120_000,
    );
  }

  it('and every command that agents are told of is among them', () => {
    const lines = commandLines('docs/skill/SKILL.md');
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => whyNot(line) !== null)).toEqual([]);
  });

  it('and they are many', () => {
    expect(documents().flatMap(runnable).length).toBeGreaterThan(50);
  });

  it('and so does every output that is shown, or the document says why not', () => {
    const shown = documents()
      .flatMap(commandLines)
      .filter((line) => line.shown.length > 0);
    const unsaid = shown.filter((line) => whyNot(line) !== null && whyNotRun(line.note) === null);
    expect(unsaid.map(({ file, line, text }) => `${file}:${line}: ${text}`)).toEqual([]);
    expect(shown.filter((line) => whyNot(line) === null).length).toBeGreaterThan(20);
  });
});

describe('an output that is shown', () => {
  const printed = 'Peak 12 MiB (PSS) at 0.5 s\n\n  main  12 MiB\n  other  3 MiB\n';

  it('is compared row by row', () => {
    const rows = ['Peak 12 MiB (PSS) at 0.5 s', '  main  12 MiB', '  other  3 MiB'];
    expect(difference(rows, printed, '')).toBeNull();
    expect(difference(rows.slice(0, 2), printed, '')).not.toBeNull();
    expect(difference(rows.toReversed(), printed, '')).not.toBeNull();
    expect(difference(['Peak 12 MiB (PSS) at 0.5 s', '…'], printed, '')).toBeNull();
    expect(difference(['Peak … s', '…', '  other  3 MiB'], printed, '')).toBeNull();
    expect(difference(['Peak 12.0 MiB (PSS) at 0.5 s', '…'], printed, '')).not.toBeNull();
  });

  it('may have other figures where the document says so, but no other words', () => {
    const note = 'figures vary';
    const rows = ['Peak 9.75 GiB (PSS) at 11 min', '  main 9.75 GiB', '  other  20 KiB'];
    expect(difference(rows, printed, note)).toBeNull();
    expect(difference(rows, printed, '')).not.toBeNull();
    expect(difference([rows[0]!, '  mains 9 GiB', rows[2]!], printed, note)).not.toBeNull();
    expect(difference(['Peak 9 MiB (RSS) at 1 s', '…'], printed, note)).not.toBeNull();
    expect(
      difference(['Peak 9 MiB (RSS) at 1 s', '…'], printed, 'figures and brackets vary'),
    ).toBeNull();
  });
});
