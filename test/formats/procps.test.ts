import { describe, expect, it } from 'vitest';
import { type ImportHints, makeInput } from '../../src/formats/input.ts';
import { parseTimeZone } from '../../src/formats/log-lines/index.ts';
import { free } from '../../src/formats/procps/free.ts';
import { freeLog } from '../../src/formats/procps/free-log.ts';
import { meminfo } from '../../src/formats/procps/meminfo.ts';
import { vmstat } from '../../src/formats/procps/vmstat.ts';
import type { Recording } from '../../src/model/recording.ts';
import { series } from '../../src/model/series.ts';
import { keptFiles } from './kept-files.ts';

const FORMATS = { free, 'free-log': freeLog, meminfo, vmstat };
type Id = keyof typeof FORMATS;

function read(id: Id, text: string, hints: ImportHints = {}): Recording {
  const input = makeInput('x.txt', () => [new TextEncoder().encode(text)], hints);
  return FORMATS[id].read!(input) as Recording;
}
const kept = (id: Id, name: string) =>
  new TextDecoder().decode(keptFiles(id).find(({ path }) => path.endsWith(name))!.bytes);
const used = (recording: Recording) => [...series(recording, 'host.used')!.values];
const KiB = 1024;

const HEAD = '               total        used        free      shared  buff/cache   available\n';
const MODERN = `${HEAD}Mem:        24682740      660344    23184020       12416     1110404    24022396\nSwap:        4194300        1024     4193276\n`;

describe('free', () => {
  it('of today: used is what is not available, never the swap', () => {
    const recording = read('free', MODERN);
    expect(used(recording)).toEqual([(24682740 - 24022396) * KiB]);
    const host = recording.table('host');
    expect(host.f64('Shmem')[0]).toBe(12416 * KiB);
    expect(host.f64('SwapTotal')[0]! - host.f64('SwapFree')[0]!).toBe(1024 * KiB);
  });

  it('of old: used is without buffers and cache', () => {
    const recording = read('free', kept('free', '3.3.9/default.txt'));
    expect(used(recording)).toEqual([1858664 * KiB]);
  });

  it('in a log of the Caffe leak test on a machine of today: by available, less its own', () => {
    const recording = read('free-log', kept('free-log', 'three-lines.log'));
    expect(used(recording)[0]).toBe((24682740 - 24180840) * KiB);
    expect(recording.table('host').f64('recorder_anon')[1]).toBe(226504);
  });

  it.each(['default.txt', 'bytes.txt', 'all-rows.txt', 'repeated.txt', 'dated.txt', 'human.txt'])(
    'recognises the unit of %s',
    (name) => {
      const recording = read('free', kept('free', `4.0.2/${name}`));
      const total = recording.table('host').f64('MemTotal')[0]!;
      // free -h rounds: 23Gi of 23.5.
      expect(Math.abs(total - 24682740 * KiB)).toBeLessThan(name === 'human.txt' ? 2 ** 30 : 1);
    },
  );

  it.each([
    ['mebi.txt', /line \d: \d+ is neither KiB nor bytes/],
    ['gibi.txt', /line \d: (\d+ is neither|too few numbers)/],
    ['kilo.txt', /line \d: \d+ is neither KiB nor bytes/],
    ['human-si.txt', /line 2: '25G' is no number of free/],
  ])('refuses to guess that of %s, unless told', (name, message) => {
    const text = kept('free', `4.0.2/${name}`);
    expect(() => read('free', text)).toThrow(message);
    if (name === 'mebi.txt') {
      const host = read('free', text, { unit: 2 ** 20 }).table('host');
      expect(host.f64('MemTotal')[0]).toBe(24104 * 2 ** 20);
    }
  });

  it('repeated without times is a second apart, which is said; or as told', () => {
    const text = kept('free', 'repeated.txt');
    const recording = read('free', text, { modified: 1_000_000_003 });
    expect([...recording.table('host').f64('time')]).toEqual([0, 1e9, 2e9, 3e9]);
    expect(recording.run.startedAt).toBe('2001-09-09T01:46:40.000Z');
    expect(recording.run.warnings.join()).toMatch(/taken as 1 s apart/);
    const told = read('free', text, { interval: 0.2 });
    expect(told.table('host').f64('time')[3]).toBe(6e8);
    expect(told.run.warnings.join()).not.toMatch(/apart/);
  });

  it('with `date` before each has those times', () => {
    const recording = read('free', kept('free', 'dated.txt'));
    const times = recording.table('host').f64('time');
    expect(times[2]! - times[0]!).toBeGreaterThanOrEqual(2e9);
    expect(recording.run.startedAt).toMatch(/^2026-11-15T/);
  });

  it.each<[string, string, RegExp]>([
    ['a line of something else', `${MODERN}hello\n`, /line 4: 'hello' is no line of free here/],
    ['an unknown row', `${HEAD}Memo: 1 2 3 4 5 6\n`, /line 2: 'Memo: 1/],
    ['a missing row', `${HEAD}Mem: 4 4 4 4 4 4\n${MODERN}`, /line 1: this record has no row Swap/],
    ['a missing number', MODERN.replace(' 12416', ''), /line 2: 5 numbers, expected 6/],
    ['a negative number', MODERN.replace(' 12416', ' -12416'), /line 2: '-12416' is no number/],
    ['another column', MODERN.replace('shared', 'shard!'), /free has no column 'shard!'|no line/],
    ['a row twice', `${MODERN}Swap: 0 0 0\n`, /line 4: 'Swap/],
    ['only a cut table', MODERN.slice(0, -2), /no whole table/],
  ])('%s is named with its line', (_, text, message) => {
    expect(() => read('free', text)).toThrow(message);
  });

  it('a log whose time goes back, or that is not in KiB, is named with its line', () => {
    const log = kept('free-log', 'get_memory_usage.log');
    expect(() => read('free-log', log + log.replace(/^1461/, '1460'))).toThrow(/line 6: its time/);
    expect(() => read('free-log', log.replace('16421400', '   16036'))).toThrow(
      /line 1: 16036 KiB is no machine/,
    );
  });
});

describe('vmstat', () => {
  it('counts in KiB; what is used needs the total', () => {
    const text = kept('vmstat', 'default.txt');
    const recording = read('vmstat', text);
    expect(recording.table('host').rows).toBe(3);
    expect(series(recording, 'host.used')).toBeNull();
    expect(recording.run.warnings.join()).toMatch(/--memory/);
    const [total] = used(read('vmstat', text, { memory: 24682740 * KiB }));
    const cells = text.split('\n')[2]!.trim().split(/\s+/).map(Number);
    expect(total).toBe((24682740 - cells[3]! - cells[4]! - cells[5]!) * KiB);
  });

  it.each(['timestamps.txt', 'wide-timestamps.txt'])('%s has its times, in UTC', (name) => {
    const recording = read('vmstat', kept('vmstat', name), { timeZone: parseTimeZone('-06:00') });
    expect(recording.run.startedAt).toMatch(/^2026-11-15T20:2/);
    expect(recording.table('host').f64('time')[1]).toBe(1e9);
  });

  it('active and inactive pages have the names of the kernel', () => {
    const host = read('vmstat', kept('vmstat', 'active.txt')).table('host');
    expect(host.f64('Active')[0]).toBeGreaterThan(2 ** 20);
  });

  it.each(['mebi.txt', 'kilo.txt'])('%s is refused, unless told', (name) => {
    const text = kept('vmstat', name);
    expect(() => read('vmstat', text)).toThrow(/line \d: /);
    expect(read('vmstat', text, { unit: 1000 }).table('host').rows).toBe(2);
  });

  it.each<[string, (text: string) => string, RegExp]>([
    ['a word', (t) => t.replace(/(\n.*\n.*\n) \d/, '$1 x'), /line 4: '.*' is no row/],
    ['no titles', (t) => t.split('\n').slice(2).join('\n'), /line 1: a row before its titles/],
    ['a line too short', (t) => t.replace(/ \d+\n$/, '\n'), /line 5: '.*' is no row/],
  ])('%s is named with its line', (_, change, message) => {
    expect(() => read('vmstat', change(kept('vmstat', 'default.txt')))).toThrow(message);
  });
});

describe('/proc/meminfo', () => {
  const ONE = 'MemTotal: 100 kB\nMemFree: 60 kB\nMemAvailable: 80 kB\nHugePages_Total: 3\n';

  it('is read field by field, reading after reading', () => {
    const recording = read('meminfo', `${ONE}${ONE.replace('80', '70')}`, { interval: 2 });
    expect(used(recording)).toEqual([20 * KiB, 30 * KiB]);
    const host = recording.table('host');
    expect([...host.f64('time')]).toEqual([0, 2e9]);
    expect(host.f64('HugePages_Total')[1]).toBe(3);
  });

  it('has the times that `date` wrote between', () => {
    const recording = read('meminfo', kept('meminfo', 'with-date.txt'));
    expect(used(recording)).toHaveLength(3);
    expect(recording.table('host').f64('time')[0]).toBe(0);
    expect(recording.table('host').f64('MemTotal')[2]).toBeGreaterThan(1e9);
  });

  it.each([
    ['a line of something else', `${ONE}hello\n`, /line 5: 'hello' is no line/],
    ['a time once only', `Tue Nov 17 06:00:00 UTC 2026\n${ONE}${ONE}`, /line 6: no time is given/],
  ])('is refused with its line: %s', (_, text, says) => {
    expect(() => read('meminfo', text)).toThrow(says);
  });
});
