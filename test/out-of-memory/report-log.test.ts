import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { highwater, place } from '../support/recorder.ts';

const OOM =
  '[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 23.64 GiB of which 1.14 GiB is free. Including non-PyTorch memory, this process has 22.50 GiB memory in use. Of the allocated memory 21.80 GiB is allocated by PyTorch, and 140.00 MiB is reserved by PyTorch but unallocated.';
const LOG = `epoch 1 step 10 loss 0.31\nepoch 1 step 11 loss 0.30\n${OOM}\n${OOM}\n`;

const report = async (words: readonly string[], stdin?: string) => {
  const { code, stdout, stderr } = await highwater(['report', ...words], { stdin });
  return { code, text: String(stdout), stderr };
};
const written = (name: string, content: string | Buffer) => {
  const path = place(name);
  writeFileSync(path, content);
  return path;
};

describe.concurrent('report of a log', () => {
  it('says what ran out, what the figures show and exclude, and what to do', async () => {
    const { code, text } = await report([written('train.log', LOG)]);
    expect(code).toBe(0);
    expect(text).toMatch(
      /^GPU 3 \(torch\) ran out of memory on rank 3: simply too large, by 881 MiB or more\.\n/,
    );
    expect(text).toMatch(/where +line 3 of 4 of .*train\.log, 2 times in all/);
    expect(text).toMatch(/asked for +2\.00 GiB/);
    expect(text).toMatch(/shown +simply too large/);
    expect(text).toMatch(/excluded +free memory in pieces: only 140 MiB were kept unused/);
    expect(text).toMatch(/highwater record -- python train\.py/);
  });

  it('is the same from a pipe, from a packed file, in Markdown and for programs', async () => {
    const [plain, piped] = [await report([written('slurm.out', LOG)]), await report(['-'], LOG)];
    const lineOf = (text: string) => text.split('\n', 1)[0];
    expect(lineOf(piped.text)).toBe(lineOf(plain.text));
    const packed = await report([written('slurm.out.gz', gzipSync(LOG)), '--json']);
    expect(JSON.parse(packed.text)).toMatchObject({
      type: 'out-of-memory',
      main: { source: 'torch', place: 'gpu', gpu: 3, rank: 3, cause: 'too-large', times: 2 },
      lines: 4,
    });
    const { text } = await report(['-', '--markdown'], LOG);
    expect(text).toMatch(/^\*\*GPU 3 .*\*\*\n\n### What was said\n/);
  });

  it('does not take a kill for a lack of memory', async () => {
    const { text } = await report(['-'], 'step 5\n./run.sh: line 3:  1468 Killed   sleep 100\n');
    expect(text).toMatch(
      /^A process was killed \(SIGKILL\); whether for memory, this text does not say\.\n/,
    );
    expect(text).toContain('dmesg');
  });

  it('says that the program went on, where the text does', async () => {
    const { text } = await report(['-'], `${OOM}\n${'step 1 of 2\n'.repeat(60)}`);
    expect(text).toContain('the text goes on for 60 lines');
  });

  it('passes no escapes of the program on', async () => {
    const { text } = await report(['-'], `\x1b]0;title\x07${OOM}\x1b[31m\u202e\n`);
    expect(text).not.toMatch(/[\x1b\u202e\x07]/);
  });

  it('is one line where nothing in it speaks of memory, or nothing is there', async () => {
    const nothing = await report(['-'], 'all is well\n');
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      'highwater: none of 1 line on standard input says that memory ran out, or how an engine planned it\n',
    ]);
    const other = await report([written('notes.txt', 'all is well\n')]);
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringMatching(/of no format that Highwater knows.*\n$/),
    ]);
    mkdirSync(place('folder'));
  });

  it('is never of a heap, whose strings are of the program', async () => {
    const heap = place('a.heapsnapshot');
    // Of a process of its own: that of the tests is as large as all that ran in it, and would stand still meanwhile.
    const program =
      "const said = process.argv[2]; require('v8').writeHeapSnapshot(process.argv[1]); console.log(said.length)";
    await promisify(execFile)(process.execPath, ['-e', program, heap, OOM]);
    expect(readFileSync(heap, 'utf8')).toContain('CUDA out of memory');
    const { code, stderr } = await report([heap]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /a\.heapsnapshot is a heap, not a recording \(highwater heap .* shows it\)\n$/,
    );
  });
});
