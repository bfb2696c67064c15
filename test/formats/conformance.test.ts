import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/errors.ts';
import type { Format } from '../../src/formats/format.ts';
import { HEAD_BYTES } from '../../src/formats/format.ts';
import { detect, FORMATS } from '../../src/formats/index.ts';
import { makeInput } from '../../src/formats/input.ts';
import { PLAIN_TABLES } from '../../src/model/plain.ts';
import type { Recording } from '../../src/model/recording.ts';
import { sampleRecording } from '../support/sample-recording.ts';
import { keptFiles } from './kept-files.ts';

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

const named = (formats: readonly Format[]) => formats.map((format) => [format.id, format] as const);

/** Rows of samples; -1 for a refusal. */
async function rowsOf(format: Format, bytes: Uint8Array): Promise<number> {
  try {
    const recording = await imported(format, bytes);
    const tables = ['host', 'process', 'gpu'] as const;
    return tables.reduce((sum, name) => sum + recording.table(name).rows, 0);
  } catch (error) {
    if (error instanceof UserError) return -1;
    throw error;
  }
}

/** Some are only written, for tools that show them: they make no round trip. */
const READ = FORMATS.filter((format) => format.read);

describe.each(named(READ.filter((format) => format.write)))('%s, written', (_, format) => {
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

  it('writes in pieces, not as one', () => {
    const pieces = [...format.write!(sampleRecording(70_000), {})];
    expect(pieces.length).toBeGreaterThan(3);
  });
});

describe.each(named(READ))('%s', (_, format) => {
  it('does not know noise', () => {
    const noise = Uint8Array.from({ length: 4096 }, (_, i) => (i * 7919) & 0xff);
    for (const head of [new Uint8Array(), noise]) expect(format.sniff(head)).toBe(false);
  });

  it('is told by content alone from all others, for every file that is kept', () => {
    for (const { path, bytes } of keptFiles(format.id)) {
      expect([path, detect(bytes.subarray(0, HEAD_BYTES), 'unknown')?.id]).toEqual([
        path,
        format.id,
      ]);
    }
  });

  it('reads or refuses a kept file cut at any byte, and never invents a row', async () => {
    for (const { path, bytes } of keptFiles(format.id)) {
      if (bytes.length > 1500) continue;
      const whole = await rowsOf(format, bytes);
      for (let length = 0; length < bytes.length; length++) {
        const rows = await rowsOf(format, bytes.subarray(0, length));
        expect(rows, `${path} cut at ${length}`).toBeLessThanOrEqual(Math.max(whole, 0));
      }
    }
  });

  it('names the file in the error for another file', async () => {
    const other = Buffer.from('hello\nworld\n');
    await expect(async () => imported(format, other)).rejects.toThrow(/unknown/);
  });
});
