import { describe, expect, it } from 'vitest';
import { MAX_LINE, splitLines } from '../../src/formats/log-lines/index.ts';
import { Random } from '../support/random.ts';

function split(text: string | Uint8Array, chunk = 1e9): string[] {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const splitter = splitLines();
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += chunk) {
    lines.push(...splitter.push(bytes.subarray(at, at + chunk)));
  }
  return [...lines, ...splitter.end()];
}

describe('lines of output', () => {
  const text = 'a\nb\r\nc\rd ━█ é\n\n\x1b[32mgreen\x1b[0m\x1b]0;title\x07!\b\nrest';
  const lines = ['a', 'b', 'c', 'd ━█ é', '', 'green!', 'rest'];

  it.each([1, 2, 3, 5, 7, 1000])('are the same in chunks of %i bytes', (chunk) => {
    expect(split(text, chunk)).toEqual(lines);
  });

  it('one that never ends is cut, and costs no memory', () => {
    const splitter = splitLines();
    const piece = new TextEncoder().encode('x'.repeat(1 << 16));
    for (let i = 0; i < 200; i++) expect(splitter.push(piece)).toEqual([]);
    const [line, next] = splitter.push(new TextEncoder().encode('\nnext\n'));
    expect([line?.length, next]).toEqual([MAX_LINE, 'next']);
  });

  it.each([1 << 12, 1 << 16, 1 << 18, 1e9])(
    'that are very long are cut alike in pieces of %i bytes',
    (chunk) => {
      const long = '€'.repeat(200_000);
      const text = `first\n${long}\nsecond\r${long}\rthird\n${long.slice(0, 90_000)}`;
      const cut = '€'.repeat(MAX_LINE);
      expect(split(text, chunk)).toEqual(['first', cut, 'second', cut, 'third', cut]);
    },
  );

  it('of bytes that are no text are only those that are, and nothing else is read', () => {
    const random = new Random(3);
    const noise = Uint8Array.from({ length: 1 << 20 }, () => Math.floor(256 * random.uniform()));
    const text = new TextEncoder().encode('\nstep 5\nstep 6\n');
    const lines = split(new Uint8Array([...noise, ...text, ...noise.subarray(0, 9000)]), 1 << 16);
    expect(lines).toContain('step 5');
    expect(lines).toContain('step 6');
    // Random bytes have a line feed or a return in each 128.
    expect(lines.length).toBeLessThan(noise.length / 128 / 4);
  });

  it('bytes that are no letters become something, and lines go on', () => {
    const bytes = Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) & 0xff);
    const lines = split(new Uint8Array([...bytes, 10, 0xc3, 10, ...Buffer.from('step 5\n')]), 13);
    expect(lines.at(-1)).toBe('step 5');
  });
});
