import { describe, expect, it } from 'vitest';
import { pinnedHolder } from '../../src/analyses/leak/kind/pinned-holder.ts';
import { MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { addRow } from '../support/rows.ts';

type Look = Readonly<Record<string, number>>;

/** Looks of one process, a second apart: MiB of pinned tensors by who holds them. */
function holderOf(looks: readonly Look[], category = 'pinned', only: number[] | null = null) {
  const builder = new RecordingBuilder({ id: 'p', name: 'p', argv: ['train'], subject: 'command' });
  for (const [second, look] of looks.entries()) {
    for (const [holder, mib] of Object.entries(look)) {
      // A row for each shape.
      for (const what of ['[3, 64] float32', '[1, 64] float32']) {
        const row = { time: second * SECOND_NS, pid: 7, category, what, holder };
        addRow(builder, 'held', { ...row, count: 1, bytes: (mib * MiB) / 2, small: 0 });
      }
    }
  }
  return pinnedHolder(builder.build(), only && new Set(only));
}

describe('who holds pinned memory that grows', () => {
  const BATCHES: readonly Look[] = [
    { 'list of 8 in batches of __main__': 16, 'batch of __main__': 2 },
    { 'list of 18 in batches of __main__': 36, 'batch of __main__': 2 },
  ];

  it('is a container whatever it has by now, not what stays as it is', () => {
    expect(holderOf(BATCHES)).toBe('list of 18 in batches of __main__');
  });

  it('is nobody where nothing pinned grows, or is held by no name', () => {
    expect(holderOf([BATCHES[0]!, BATCHES[0]!])).toBeNull();
    expect(holderOf(BATCHES, 'tensor')).toBeNull();
    expect(holderOf([{ '': 2 }, { '': 40 }])).toBeNull();
    expect(holderOf([])).toBeNull();
  });

  it('is nobody where several share in it, or another process has it', () => {
    const three = (mib: number) => ({ 'a of __main__': mib, 'b of __main__': mib, 'c of m': mib });
    expect(holderOf([three(2), three(20)])).toBeNull();
    expect(holderOf(BATCHES, 'pinned', [8])).toBeNull();
  });
});
