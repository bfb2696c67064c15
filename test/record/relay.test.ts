import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { needs } from '../support/programs.ts';
import { Random } from '../support/random.ts';
import { CLI, open, place, recorded, shortFlags, start } from '../support/recorder.ts';

const run = promisify(execFile);
const random = new Random(19);
const noise = (bytes: number) =>
  Buffer.from(Uint8Array.from({ length: bytes }, () => Math.floor(256 * random.uniform())));
const euro = Buffer.from('€'.repeat(70_000));

/** Outputs that are easy to spoil on the way: no text, no line feeds, letters that are cut. */
const OUTPUTS: Readonly<Record<string, Buffer>> = {
  'random bytes': noise(1_500_000),
  zeros: Buffer.alloc(300_000),
  'one line of a megabyte': Buffer.alloc(1_000_000, 'x'),
  'long lines': Buffer.alloc(1_000_000, `${'y'.repeat(150_000)}\n`),
  'letters of three bytes, the last one cut': euro.subarray(0, euro.length - 1),
  'returns and escapes': Buffer.alloc(60_000, '\r\x1b[2K\x1b['),
  'nothing but a byte': Buffer.from([0x80]),
};

const sum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('output to a pipe', () => {
  for (const [what, bytes] of Object.entries(OUTPUTS)) {
    needs('cat')(`comes through unchanged: ${what}`, async () => {
      const file = place('output');
      writeFileSync(file, bytes);
      const { stdout, code } = await recorded([], ['cat', file]);
      expect(code).toBe(0);
      expect([stdout.length, sum(stdout)]).toEqual([bytes.length, sum(bytes)]);
    });
  }

  // What is left over of a piece is of any size, and both streams may be flooded.
  needs('sh', 'cat')('comes through to readers who pause now and then', async () => {
    const [bytes, file] = [noise(3_000_000), place('output')];
    writeFileSync(file, bytes);
    const command = ['sh', '-c', `cat ${file} & cat ${file} >&2; wait`];
    const { child, finished } = start([...shortFlags(place()), '--', ...command]);
    const read = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream]!.on('data', (chunk: Buffer) => {
        read[stream].push(chunk);
        if (random.uniform() < 0.7) return;
        child[stream]!.pause();
        setTimeout(() => child[stream]!.resume(), 12 * random.uniform());
      });
    }
    expect((await finished).code).toBe(0);
    for (const stream of ['stdout', 'stderr'] as const) {
      expect(sum(Buffer.concat(read[stream]))).toBe(sum(bytes));
    }
  });

  needs('cat', 'head')('ends the command when its reader has enough', async () => {
    const record = [process.execPath, CLI, ...shortFlags(place()), '--', 'cat', '/dev/zero'];
    const script = '{ "$@"; echo $? >&2; } | head -c 3000000 | wc -c';
    const { stdout, stderr } = await run('sh', ['-c', script, 'sh', ...record]);
    expect([Number(stdout), stderr]).toEqual([3_000_000, '141\n']);
  });

  needs('sh')('has its marks found among bytes that are no text', async () => {
    const file = place('bytes');
    writeFileSync(file, noise(200_000));
    const script = `for i in 1 2 3; do cat ${file}; echo; echo "step $i/3 loss: 0.5"; sleep 0.05; done`;
    const { folder } = await recorded([], ['sh', '-c', script]);
    const recording = open(folder);
    const marks = recording.table('marks');
    const iterations = [...marks.f64('iteration')].filter((number) => !Number.isNaN(number));
    expect(iterations).toEqual([1, 2, 3]);
  });
});
