import { closeSync, copyFileSync, openSync, truncateSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeTrace } from '../../bench/synthetic-trace.ts';
import { report } from '../../src/analyses/report.ts';
import { MiB } from '../../src/base/bytes.ts';
import { UserError } from '../../src/base/errors.ts';
import { ACTION } from '../../src/model/allocations/actions.ts';
import { AddressScan } from '../../src/model/allocations/address-scan.ts';
import { traces } from '../../src/model/allocations/trace.ts';
import { openInput } from '../../src/open/open.ts';
import { inOneProcess } from '../support/one-process.ts';
import { place } from '../support/recorder.ts';

/** Large enough that the command reads it on a thread of its own; modules of the test never do. */
function largeTrace(): { path: string; bytes: number; peak: number } {
  const path = place('large.pickle');
  const { bytes, peakRequestedBytes } = makeTrace(path, 1_200_000);
  expect(bytes).toBeGreaterThan(64 * MiB);
  return { path, bytes, peak: peakRequestedBytes };
}

describe('a large trace', () => {
  const { path, bytes, peak } = largeTrace();

  it('has the same report whether a thread of its own reads it or not', async () => {
    const { stdout, stderr } = await inOneProcess(['report', path, '--json']);
    expect(stderr).toBe('');
    const told = JSON.parse(stdout);
    const here = JSON.parse(JSON.stringify(report(await openInput(path))));
    expect(told.devices[0].peakRequestedBytes).toBe(peak);
    expect(told.devices).toEqual(here.devices);
    expect(told.verdict).toEqual(here.verdict);
  });

  it.each([
    ['cut off', (copy: string) => truncateSync(copy, bytes - 5_000_000)],
    ['broken', (copy: string) => overwrite(copy, 50_000_000)],
    ['of another kind', (copy: string) => overwrite(copy, 300)],
  ])('%s is refused in one line, the same as without a thread', async (what, spoil) => {
    const copy = place(`${what.replaceAll(' ', '-')}.pickle`);
    copyFileSync(path, copy);
    spoil(copy);
    const refusal = await openInput(copy).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UserError);
    const { message, hint } = refusal as UserError;
    const { code, stdout, stderr } = await inOneProcess(['report', copy, '--json']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(`highwater: ${message}${hint === undefined ? '' : ` (${hint})`}\n`);
  });
});

/** What no pickle of plain data has: bytes that are no opcodes. */
function overwrite(path: string, at: number): void {
  const fd = openSync(path, 'r+');
  writeSync(fd, new Uint8Array(64).fill(0xff), 0, 64, at);
  closeSync(fd);
}

it.each(['oom_batch', 'expandable'])('events of %s are scanned alike in parts', async (name) => {
  const recording = await openInput(`test/fixtures/snapshots/${name}.pickle.gz`);
  const [trace] = traces(recording);
  const table = recording.table('allocations');
  const addresses = table.u64('address');
  const halves = new Uint32Array(addresses.buffer, addresses.byteOffset, 2 * table.rows);
  const actions = table.u8('action');
  const scan = new AddressScan();
  // Columns that grow on the way, as those of a file do whose size is not known.
  for (const room of [table.rows >> 2, table.rows >> 1, table.rows]) {
    for (let to = 0; to <= room; to += 7) scan.take(actions.slice(0, room), halves, to);
    scan.take(actions.slice(0, room), halves, room);
  }
  expect(scan.addresses.subarray(0, table.rows)).toEqual(trace!.addresses);
  expect(scan.counts).toEqual(trace!.counts);
  expect(scan.segmentEvents).toEqual(trace!.segmentEvents);
  expect(scan.oomEvents).toEqual(trace!.ooms.map(({ event }) => event));
  expect(scan.counts[ACTION.alloc]).toBeGreaterThan(0);
});
