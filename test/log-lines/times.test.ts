import { describe, expect, it } from 'vitest';
import {
  type LineStamp,
  lineStamp,
  parseTimeZone,
  placeStamps,
} from '../../src/formats/log-lines/index.ts';

const at = (text: string) => Date.parse(text) / 1000;
const iso = (unix: number) => new Date(unix * 1000).toISOString();

function place(lines: readonly string[], fileTime: string, zone = 'UTC'): string[] {
  const stamps = lines.map((line) => lineStamp(line) as LineStamp);
  expect(stamps).not.toContain(null);
  const options = { fileTime: at(fileTime), timeZone: parseTimeZone(zone) };
  return Array.from(placeStamps(stamps, options), iso);
}

describe('times that lines begin with', () => {
  it.each<[string, string]>([
    ['I0426 11:53:29.875337 12345 solver.cpp:228] x', '2016-04-26T11:53:29.875Z'],
    ['I20150426 11:53:29.875337 12345 a.cc:1] x', '2015-04-26T11:53:29.875Z'],
    ['2015-03-02 11:53:29,123 - trainer - INFO - x', '2015-03-02T11:53:29.123Z'],
    ['[2015-03-02T11:53:29.5+02:00] x', '2015-03-02T09:53:29.500Z'],
    ['time="2015-03-02T11:53:29Z" level=info', '2015-03-02T11:53:29.000Z'],
    ['03/02/2015 11:53:29 - INFO - x', '2015-03-02T11:53:29.000Z'],
    ['Apr  2 11:53:29 host kernel: x', '2016-04-02T11:53:29.000Z'],
    ['Thu Apr  2 11:53:29 PM UTC 2015', '2015-04-02T23:53:29.000Z'],
    ['[11:53:29] step 3', '2016-04-26T11:53:29.000Z'],
    ['INFO: 11:53:29 x', '2016-04-26T11:53:29.000Z'],
    ['1461693208.5 x', '2016-04-26T17:53:28.500Z'],
  ])('%s', (line, expected) => {
    expect(place([line], '2016-04-26T18:00:00Z')).toEqual([expected]);
  });

  it.each(['step 3', '45/100 [00:10<00:12]', 'I9926 11:53:29.1 x', '25:00:00 x', 'ratio 3:4'])(
    'none: %s',
    (line) => {
      expect(lineStamp(line)).toBeNull();
    },
  );
});

describe('placing', () => {
  it('a run across midnight, from its end backwards', () => {
    const lines = ['23:59:58 a', '23:59:59 b', '00:00:01 c', '12:00:00 d', '00:30:00 e'];
    expect(place(lines, '2016-04-28T00:30:05Z').map((t) => t.slice(8, 13))).toEqual([
      '26T23',
      '26T23',
      '27T00',
      '27T12',
      '28T00',
    ]);
  });

  it('lines slightly out of order stay on their day', () => {
    expect(place(['12:00:01 a', '12:00:00 b'], '2016-04-26T12:00:05Z')).toEqual([
      '2016-04-26T12:00:01.000Z',
      '2016-04-26T12:00:00.000Z',
    ]);
  });

  it("last year's log, and one across New Year", () => {
    const lines = ['I1231 23:59:59.5 1 a.cc:1] x', 'I0101 00:00:01.5 1 a.cc:1] x'];
    expect(place(lines, '2017-01-01T00:00:02Z')).toEqual([
      '2016-12-31T23:59:59.500Z',
      '2017-01-01T00:00:01.500Z',
    ]);
    expect(place(lines.slice(0, 1), '2017-03-01T00:00:00Z')).toEqual(['2016-12-31T23:59:59.500Z']);
    expect(place(['I0229 10:00:00.0 1 a.cc:1] x'], '2018-03-01T00:00:00Z')).toEqual([
      '2016-02-29T10:00:00.000Z',
    ]);
  });

  it('another time zone, by offset or by name, with its summer time', () => {
    const lines = ['I0426 11:53:29.875337 1 a.cpp:1] x'];
    for (const zone of ['-06:00', '-0600', 'America/Denver', 'UTC-6']) {
      expect(place(lines, '2016-04-26T18:00:00Z', zone)).toEqual(['2016-04-26T17:53:29.875Z']);
    }
    expect(
      place(['I0126 11:53:29.0 1 a.cpp:1] x'], '2016-04-26T18:00:00Z', 'America/Denver'),
    ).toEqual(['2016-01-26T18:53:29.000Z']);
    // The date is the zone's, not that of Greenwich.
    expect(place(['23:30:00 x'], '2016-04-27T05:31:00Z', '-06:00')).toEqual([
      '2016-04-27T05:30:00.000Z',
    ]);
  });

  it('a zone that is wrong by hours does not cost a year', () => {
    const line = 'I0426 23:00:00.0 1 a.cpp:1] x';
    expect(place([line], '2016-04-26T17:00:00Z')).toEqual(['2016-04-26T23:00:00.000Z']);
  });

  it.each(['nowhere', '+25:00', '', 'America/Nowhere', '6'])("'%s' is no time zone", (text) => {
    expect(() => parseTimeZone(text)).toThrow(/is not a time zone/);
  });
});
