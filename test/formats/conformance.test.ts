import { describe, expect, it } from 'vitest';
import type { Format } from '../../src/formats/format.ts';
import { HEAD_BYTES } from '../../src/formats/format.ts';
import { detect, FORMATS } from '../../src/formats/index.ts';
import { makeInput } from '../../src/formats/input.ts';
import { PLAIN_TABLES } from '../../src/model/plain.ts';
import type { Recording } from '../../src/model/recording.ts';
import { sampleRecording } from '../support/sample-recording.ts';

/** What every format promises, run over the list: a new format is covered by being in it. */

function exported(format: Format, recording: Recording, table?: string): Uint8Array {
  const pieces = [...format.write!(recording, { table })].map((piece) =>
    typeof piece === 'string' ? Buffer.from(piece) : piece,
  );
  return new Uint8Array(Buffer.concat(pieces));
}

async function imported(format: Format, bytes: Uint8Array): Promise<Recording> {
  return format.read!(makeInput('unknown', () => [bytes]));
}

describe.each(FORMATS.map((format) => [format.id, format] as const))('%s', (_, format) => {
  const tables = !format.defaultTable
    ? [undefined]
    : [...new Set([format.defaultTable, ...PLAIN_TABLES])];

  it.each(tables)('recognises what it writes by content alone (%s)', (table) => {
    const bytes = exported(format, sampleRecording(), table);
    expect(detect(bytes.subarray(0, HEAD_BYTES), 'unknown')?.id).toBe(format.id);
  });

  it.each(tables)('export → import → export gives the same bytes (%s)', async (table) => {
    const first = exported(format, sampleRecording(), table);
    const second = exported(format, await imported(format, first), table);
    expect(Buffer.from(second).equals(Buffer.from(first))).toBe(true);
  });

  it('does not know noise', () => {
    const noise = Uint8Array.from({ length: 4096 }, (_, i) => (i * 7919) & 0xff);
    for (const head of [new Uint8Array(), noise]) expect(format.sniff(head)).toBe(false);
  });

  it('writes in pieces, not as one', () => {
    const pieces = [...format.write!(sampleRecording(70_000), {})];
    expect(pieces.length).toBeGreaterThan(3);
  });

  it('names the file in the error for another file', async () => {
    const other = Buffer.from('hello\nworld\n');
    await expect(async () => imported(format, other)).rejects.toThrow(/unknown/);
  });
});
