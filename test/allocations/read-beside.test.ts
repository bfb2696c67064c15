import { spawnSync } from 'node:child_process';
import { closeSync, copyFileSync, openSync, truncateSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTrace, sizeOf } from '../../bench/synthetic-trace.ts';
import { report } from '../../src/analyses/report.ts';
import { MiB } from '../../src/base/bytes.ts';
import { UserError } from '../../src/base/errors.ts';
import { largeSnapshot } from '../../src/cli/early-reading.ts';
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

  it('of which a part is wanted, is not taken for the whole that was begun', async () => {
    const { stdout } = await inOneProcess(['report', path, '--events', '0..5000', '--json']);
    expect(JSON.parse(stdout).devices[0].events).toBe(5000);
  });

  it.each([
    [['report', path, '--json'], true],
    [['report', '--markdown', path], true],
    [['what-if', path, '--smallest', '--set', 'max_split_size_mb:64'], true],
    [['report', path, '--events', '0..5000'], false],
    [['report', path, '--html', 'page.html'], false],
    [['what-if', '--help', path], false],
    [['report', 'test/fixtures/snapshots/oom_batch.pickle.gz'], false],
    [['report', 'no-such.pickle'], false],
    [['report'], false],
    [['view', path], false],
  ])('is begun before all else only where it is read whole: %j', (argv, isBegun) => {
    const found = largeSnapshot(argv);
    expect(found?.path).toBe(isBegun ? path : undefined);
    if (found) expect([found.name, found.size]).toEqual([basename(path), bytes]);
  });

  it('is not begun of a pipe, which would wait for whoever writes to it', () => {
    const pipe = place('pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    expect(largeSnapshot(['report', pipe])).toBeNull();
  });

  it('has the same report where sizes need more than 32 bits from some event on', async () => {
    const wide = place('wide.pickle');
    const sizes = (at: number, step: number) =>
      sizeOf(at, step) + (step === 200 && at === 7 ? 2 ** 33 : 0);
    const { peakRequestedBytes } = makeTrace(wide, 1_200_000, sizes);
    const { stdout, stderr } = await inOneProcess(['report', wide, '--json']);
    expect(stderr).toBe('');
    const told = JSON.parse(stdout);
    const here = JSON.parse(JSON.stringify(report(await openInput(wide))));
    expect(peakRequestedBytes).toBeGreaterThan(2 ** 33);
    expect(told.devices[0].peakRequestedBytes).toBe(peakRequestedBytes);
    expect(told.devices).toEqual(here.devices);
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
