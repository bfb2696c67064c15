import { describe, expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { addRow } from '../support/rows.ts';

type Mappings = readonly (readonly [kind: string, name: string, mib: number])[];

/** One process, its mappings at its peak, and what its agent said then. */
function partsOf(
  mappings: Mappings,
  counters: Readonly<Record<string, number>>,
  held: readonly (readonly [category: string, what: string, holder: string, mib: number])[] = [],
) {
  const builder = new RecordingBuilder({ id: 'h', name: 'h', argv: ['train'], subject: 'command' });
  const born = { start_time: 1, first_seen: 0, name: 'train', role: 'main', argv: 'train' };
  addRow(builder, 'processes', { ...born, pid: 7 });
  const bytes = mappings.reduce((sum, [, , mib]) => sum + mib * MiB, 0);
  for (const time of [0, SECOND_NS, 2 * SECOND_NS]) {
    const sizes = { rss: bytes, anon: bytes, file: 0, shmem: 0, swap: 0, pss: bytes };
    addRow(builder, 'process', { time, pid: 7, ...sizes });
  }
  for (const [kind, name, mib] of mappings) {
    const row = { time: SECOND_NS, pid: 7, rss: bytes, kind, name, bytes: mib * MiB };
    addRow(builder, 'mapped', row);
  }
  for (const [name, mib] of Object.entries(counters)) {
    addRow(builder, 'counters', { time: 1.1 * SECOND_NS, pid: 7, name, value: mib * MiB });
  }
  for (const [category, what, holder, mib] of held) {
    const row = { time: 1.1 * SECOND_NS, pid: 7, rank: Number.NaN, category, what, holder };
    addRow(builder, 'held', { ...row, count: 4, bytes: mib * MiB, small: 0 });
  }
  const { parts, atBytes } = report(builder.build()).hostPeak.holders[0]!;
  expect(parts.reduce((sum, part) => sum + part.bytes, 0)).toBe(atBytes);
  return parts;
}

describe('pinned pages in the account of the host', () => {
  const MAPPED: Mappings = [
    ['code', '/lib/libcuda.so', 90],
    ['shared', '/dev/zero (deleted)', 512],
    ['shared', '/dev/shm/ring', 20],
    ['heap', '', 40],
  ];

  it('are a part of their own, by what torch says that it has pinned', () => {
    const parts = partsOf(MAPPED, { 'pinned.reserved': 500, 'pinned.allocated': 300 });
    expect(parts.find(({ what }) => what === 'pinned memory')).toMatchObject({
      bytes: 500 * MiB,
      from: 'agent',
      of: [
        { name: 'in tensors', bytes: 300 * MiB },
        { name: "kept by torch's allocator", bytes: 200 * MiB },
      ],
    });
    // What it has not pinned is shared memory of somebody's.
    const shared = parts.find(({ what }) => what === 'shared memory')!;
    expect(shared).toMatchObject({ bytes: 32 * MiB, of: [{ name: '/dev/shm/ring' }] });
  });

  it('tell what was asked for from what it was rounded up to, by holder and shape', () => {
    const looked = [
      ['pinned', '[100, 1048576] uint8', 'list of 4 in staging', 400],
      ['pinned rounding', '[100, 1048576] uint8', 'list of 4 in staging', 70],
    ] as const;
    const of = (counters: Readonly<Record<string, number>>) =>
      partsOf(MAPPED, counters, looked)
        .find(({ what }) => what === 'pinned memory')!
        .of.map(({ name, bytes }) => [name, bytes / MiB]);
    const told = [
      ['4 × [100, 1048576] uint8, held by list of 4 in staging', 400],
      ["torch's rounding up to powers of two", 70],
    ];
    expect(of({ 'pinned.reserved': 500, 'pinned.allocated': 480 })).toEqual([
      ...told,
      ['in other tensors', 10],
      ["kept by torch's allocator", 20],
    ]);
    // torch 2.11 takes nothing off when a block is given back, so that it counts nothing.
    const unseen = "kept by torch's allocator, or in tensors that were not seen";
    expect(of({ 'pinned.reserved': 500 })).toEqual([...told, [unseen, 30]]);
    expect(of({ 'pinned.reserved': 500, 'pinned.allocated': 1700 })).toEqual([
      ...told,
      [unseen, 30],
    ]);
  });

  it('are not more than is mapped, and none where torch pins nothing', () => {
    const more = partsOf(MAPPED, { 'pinned.reserved': 900, 'pinned.allocated': 900 });
    expect(more.find(({ what }) => what === 'pinned memory')!.bytes).toBe(512 * MiB);
    const none = partsOf(MAPPED, {});
    expect(none.some(({ what }) => what === 'pinned memory')).toBe(false);
    expect(none.find(({ what }) => what === 'shared memory')!.bytes).toBe(532 * MiB);
  });
});
