import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KiB, MiB } from '../../src/base/bytes.ts';
import { parseMappings } from '../../src/sources/mapping.ts';
import { mappedParts, mappedRows, readMappings } from '../../src/sources/mappings/index.ts';
import { type MappedReading, MappingReader } from '../../src/sources/mappings/reader.ts';
import { FakeMachine } from '../support/fake-machine.ts';
import { needs } from '../support/programs.ts';
import { place, until } from '../support/recorder.ts';

const at = (start: number, end: number, flags: string, path: string, kb: number) =>
  `${start.toString(16)}000-${end.toString(16)}000 ${flags} 00000000 08:01 42 ${path}\nSize: 1 kB\nRss: ${kb} kB\nPss: 1 kB\n`;

const SMAPS = [
  at(0x100, 0x200, 'r-xp', '/usr/lib/libbig.so', 2048),
  at(0x200, 0x210, 'rw-p', '/usr/lib/libbig.so', 512),
  at(0x210, 0x220, 'rw-p', '', 256), // its variables that begin as zeros
  at(0x300, 0x310, 'r-xp', '/usr/lib/libsmall.so', 100),
  at(0x400, 0x500, 'rw-p', '[heap]', 700),
  at(0x600, 0x900, 'r--s', '/data/model.bin', 3000),
  at(0xa00, 0xf00, 'rw-p', '', 5000),
  at(0x1000, 0x1010, 'rw-p', '', 30),
  at(0x1100, 0x1101, '---p', '', 0),
  at(0x1101, 0x1901, 'rw-p', '', 40), // a thread's
  at(0x2000, 0x2100, 'rw-s', '/dev/zero (deleted)', 1500),
  at(0x2100, 0x2200, 'rw-s', '/dev/nvidia0', 64),
].join('');

/** Large variables that begin as zeros, all of them written to, and an arena of malloc's of another size. */
const VARIABLES = `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char zeros[9 << 20];
int main(void) {
  char *more = malloc(5 << 20);
  memset(zeros, 1, sizeof zeros);
  memset(more, 1, 5 << 20);
  puts("ready");
  fflush(stdout);
  sleep(60);
  return zeros[7] + more[7];
}
`;

describe('the parts of a process', () => {
  needs('gcc')('count large variables of a program as its own, and nothing else', async () => {
    const [source, program] = [place('variables.c'), place('variables')];
    writeFileSync(source, VARIABLES);
    expect(spawnSync('gcc', ['-O1', '-o', program, source]).status).toBe(0);
    const child = spawn(program, { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill());
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const rows = mappedRows(readMappings(child.pid!)!);
    const own = rows.find(({ kind, name }) => kind === 'code' && name === program);
    expect(own!.bytes).toBeGreaterThanOrEqual(9 * MiB);
    expect(own!.bytes).toBeLessThan(9.2 * MiB);
    const blocks = rows.find(({ kind }) => kind === 'blocks');
    expect(blocks!.bytes).toBeGreaterThanOrEqual(5 * MiB);
    expect(blocks!.bytes).toBeLessThan(5.2 * MiB);
  });

  it('add up to what is resident, with large files named', () => {
    const rows = mappedRows(parseMappings(SMAPS));
    expect(rows.map(({ kind, name, bytes }) => [kind, name, bytes / KiB])).toEqual([
      ['code', '/usr/lib/libbig.so', 2048 + 512 + 256],
      ['code', '', 100],
      ['heap', '', 700],
      ['files', '/data/model.bin', 3000],
      ['blocks', '', 5000],
      ['smallBlocks', '', 30],
      ['stacks', '', 40],
      ['shared', '/dev/zero (deleted)', 1500],
      ['devices', '', 64],
    ]);
    const parts = mappedParts(parseMappings(SMAPS));
    const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
    expect(sum(rows.map(({ bytes }) => bytes))).toBe(sum(Object.values(parts)));
  });

  it('give an arena that lies behind a library by chance to nobody', () => {
    const rows = mappedRows(
      parseMappings(
        at(0x100, 0x110, 'r-xp', '/usr/lib/zlib.so', 60) + at(0x110, 0x410, 'rw-p', '', 3000),
      ),
    );
    expect(rows.map(({ kind, bytes }) => [kind, bytes / KiB])).toEqual([
      ['code', 60],
      ['blocks', 3000],
    ]);
  });

  it('are none where the kernel shows nothing', () => {
    expect(mappedRows(parseMappings(''))).toEqual([]);
    expect(mappedRows(parseMappings('nonsense\nRss: 5 kB\n'))).toEqual([]);
  });
});

describe('reading them at new highs', () => {
  function reader() {
    const machine = new FakeMachine();
    const readings: MappedReading[] = [];
    const asked: number[] = [];
    const mappings = new MappingReader(machine, () => 77, {
      onRead: (pid) => asked.push(pid),
      onReading: (reading) => readings.push(reading),
    });
    onTestFinished(() => mappings.stop());
    return { machine, readings, asked, mappings };
  }

  it('the largest comes first, and the process is asked at the same moment', async () => {
    const { machine, readings, asked, mappings } = reader();
    for (const pid of [10, 11]) machine.write(`proc/${pid}/smaps`, SMAPS);
    mappings.rose(10, 50 * MiB);
    mappings.rose(11, 90 * MiB);
    await until(() => readings.length === 2);
    expect(asked).toEqual([11, 10]);
    expect(readings[0]).toMatchObject({ pid: 11, time: 77, rss: 13_250 * KiB });
  });

  it('one that ended meanwhile, or is not ours to read, is left out', async () => {
    const { machine, readings, mappings } = reader();
    machine.write('proc/12/smaps', SMAPS);
    mappings.rose(404, 500 * MiB);
    mappings.rose(11, 400 * MiB);
    mappings.ended(11);
    mappings.rose(12, MiB);
    await until(() => readings.length > 0);
    expect(readings.map(({ pid }) => pid)).toEqual([12]);
  });
});
