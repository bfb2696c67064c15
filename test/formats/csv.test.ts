import { describe, expect, it } from 'vitest';
import { csv } from '../../src/formats/csv/index.ts';
import { makeInput } from '../../src/formats/input.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { origin } from '../../src/model/origin.ts';
import type { Recording } from '../../src/model/recording.ts';
import { series } from '../../src/model/series.ts';
import { sampleRecording } from '../support/sample-recording.ts';

const MiB = 1024 ** 2;

function read(text: string | Uint8Array): Recording {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return csv.read!(makeInput('mem.csv', () => [bytes])) as Recording;
}

const write = (recording: Recording, table?: string) =>
  [...csv.write!(recording, { table })].join('');

describe('mem_used', () => {
  it('has seconds since the workload start and MiB without the recorder', () => {
    const lines = write(sampleRecording()).split('\n');
    expect(lines[0]).toBe('seconds,mem_used');
    expect(lines[1]).toBe('-0.25,1008');
    expect(lines[2]).toBe('-0.239999999,1009');
    expect(lines.at(-1)).toBe('');
  });

  it('counts from the first sample when nothing says when the workload began', () => {
    const builder = new RecordingBuilder({ id: 'x', name: 'x' });
    builder.table('host').push([5e9, 3 * MiB, null]);
    builder.table('host').push([6e9, 4 * MiB, null]);
    expect(write(builder.build())).toBe('seconds,mem_used\n0,3\n1,4\n');
  });

  it("reads the Caffe leak test's row", () => {
    const recording = read('seconds,mem_used\n-1.0455369949,1814.8855514526\n0,1815\n');
    const used = series(recording, 'host.used')!;
    expect(used.values[0]! / MiB).toBe(1814.8855514526);
    expect(used.times[0]! - origin(recording).ns).toBe(-1_045_536_995);
    expect(recording.table('host').f64('recorder_anon')[0]).toBeNaN();
  });

  it('writes times to the nanosecond, so that the way back is exact', () => {
    const builder = new RecordingBuilder({ id: 'x', name: 'x' });
    for (const time of [0.3, 64_717_672.00000006]) builder.table('host').push([time, MiB, null]);
    const first = write(builder.build());
    expect(first).toBe('seconds,mem_used\n0,1\n0.064717672,1\n');
    expect(write(read(first))).toBe(first);
  });

  it('keeps 17 digits', () => {
    const builder = new RecordingBuilder({ id: 'x', name: 'x' });
    builder.table('host').push([0, 1_903_044_096.123, 0.7]);
    const first = write(builder.build());
    expect(write(read(first))).toBe(first);
  });
});

describe('what other tools do to a file', () => {
  const rows = 'seconds,mem_used\n0,1\n1,2\n';
  const same = write(read(rows));
  const utf16 = (text: string, bigEndian: boolean) => {
    const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
    return new Uint8Array(bigEndian ? bytes.swap16() : bytes);
  };

  it.each([
    ['a byte order mark', `\ufeff${rows}`],
    ['CR LF', rows.replaceAll('\n', '\r\n')],
    ['blank lines', '\nseconds,mem_used\n\n0,1\n  \n1,2\n\n'],
    ['spaces', ' seconds, mem_used\n 0 , 1 \n1,2\n'],
    ['quoted numbers', 'seconds,mem_used\n"0","1"\n1,"2"\n'],
    ['exponents', 'seconds,mem_used\n0e0,1E0\n+1.,.2e1\n'],
    ['UTF-16 LE', utf16(rows, false)],
    ['UTF-16 BE', utf16(rows, true)],
  ])('reads %s', (_, text) => {
    expect(write(read(text))).toBe(same);
    expect(csv.sniff(typeof text === 'string' ? Buffer.from(text.trimStart()) : text)).toBe(true);
  });

  it('drops a last line without an end, and says so', () => {
    const recording = read('seconds,mem_used\n0,1\n1,2\n2,3');
    expect(recording.table('host').rows).toBe(2);
    expect(recording.run.warnings).toEqual([
      'line 4 of mem.csv, the last, has no line end: dropped as cut off',
    ]);
  });

  it('reads pieces that cut lines and characters anywhere', () => {
    const text = write(sampleRecording(), 'marks');
    const bytes = new TextEncoder().encode(text);
    const bits = Array.from(bytes, (_, i) => bytes.subarray(i, i + 1));
    expect(write(csv.read!(makeInput('m', () => bits)) as Recording, 'marks')).toBe(text);
  });
});

describe('refuses what it cannot read, with the line', () => {
  it.each([
    ['0,1\n12abc,2\n', /line 3: seconds '12abc' is not a number/],
    ['0,1\nNaN,2\n', /line 3: seconds 'NaN' is not a number/],
    ['0,1\n1,Infinity\n', /line 3: mem_used 'Infinity' is not a number/],
    ['0,1\n1,1e999\n', /line 3: mem_used '1e999' is not a number/],
    ['0,1\n\n,2\n', /line 4: seconds '' is not a number/],
    ['0,1\n1e300,2\n', /line 3: seconds '1e300' is not a time in seconds/],
    ['0,1\n0x10,2\n', /line 3: seconds '0x10' is not a number/],
    ['0,1\n1,2,3\n', /line 3: 3 cells, but the header has 2/],
    ['1,1\n0,2\n', /line 3: its time is before that of the line above/],
    ['0,"1\n1,2\n2,3\n', /line 2: a quote is opened and never closed/],
    ['0,1"2\n1,"2\n', /line 2: quotes that do not match/],
    ['', /has a header and no whole row/],
  ])('%j', (rows, message) => {
    expect(() => read(`seconds,mem_used\n${rows}`)).toThrow(message);
  });

  it('says which headers it knows', () => {
    expect(() => read('time,memory\n0,1\n')).toThrow(
      "no table is known with the header 'time,memory'",
    );
  });

  it('refuses numbers that a column cannot hold', () => {
    const text = write(sampleRecording(), 'allocations');
    expect(() => read(text.replace(`${2n ** 64n - 1n}`, `${2n ** 64n}`))).toThrow(
      /line 4: address/,
    );
    expect(() => read(text.replace(',512,', ',-,'))).toThrow(/line 2: size/);
    expect(() => read(text.replace('-0.25,0,', '-0.25,-1,'))).toThrow(/line 2: device/);
  });
});

describe('tables', () => {
  it('writes texts for ids, and null as nothing', () => {
    const [header, first] = write(sampleRecording(), 'marks').split('\n');
    expect(header).toBe('seconds,time_from,pid,rank,kind,name,epoch,iteration,value');
    expect(first).toBe('0,2,100,,start,start,,,');
  });

  it('writes every meminfo field of the host', () => {
    const [header, first] = write(sampleRecording(), 'host').split('\n');
    expect(header).toBe(
      'seconds,MemTotal,MemFree,MemAvailable,AnonPages,Shmem,HugePages_Total,used,recorder_anon,stolen',
    );
    expect(first).toBe('-0.25,8589934592,,7516192768,0,0,0,,16777216,0');
  });

  it('takes columns in any order', () => {
    const recording = read('recorder_anon,used,seconds\n1,2,0\n');
    expect(recording.table('host').f64('used')[0]).toBe(2);
  });
});
