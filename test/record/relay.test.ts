import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { needs } from '../support/programs.ts';
import { Random } from '../support/random.ts';
import { open, place, recorded } from '../support/recorder.ts';

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
