import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { liveStacks } from '../../src/analyses/allocations/live-stacks.ts';
import { report } from '../../src/analyses/report.ts';
import { makeInput } from '../../src/formats/input.ts';
import { jemalloc } from '../../src/formats/jemalloc.ts';
import { verdictSentence } from '../../src/model/verdict.ts';
import { openInput } from '../../src/open/open.ts';

/*
 * Of a C program that allocates twenty blocks of 1 MiB in `cache`, ten of 3 MiB and ten of 1 MiB in `gone`, and frees these and
 * five of the first; figures beside are those of jeprof --text --show_bytes (which cuts
 * off fractions of a byte).
 */
const FOLDER = 'test/fixtures/formats/jemalloc/5.3.0';
const MiB = 2 ** 20;

const open = async (name: string) => liveStacks(await openInput(`${FOLDER}/${name}`))!;
const read = (text: string) => jemalloc.read!(makeInput('x.heap', () => [Buffer.from(text)]));

describe("jemalloc's heap profiles", () => {
  it('are exact where everything was sampled: live and allocated', async () => {
    const live = await open('every.heap');
    expect([live.bytes, live.objects]).toEqual([15_810_560, 16]);
    expect([live.allocatedBytes, live.allocatedObjects]).toEqual([62_996_480, 41]);
    expect(live.moment).toBe('taken');
    // The innermost frame that is not jemalloc's own: the line of `cache` that called malloc.
    expect(live.places[0]).toMatchObject({ bytes: 15 * MiB, objects: 15, where: 'loader+0x1166' });
    expect(live.places[0]!.frames.map(({ function: name }) => name).slice(0, 2)).toEqual([
      'loader+0x1166',
      'loader+0x11c8',
    ]);
  });

  it('stand for what was not sampled, as jeprof has it', async () => {
    const live = await open('sampled.heap');
    expect(live.bytes).toBe(17_643_884);
    expect(live.places[0]).toMatchObject({ where: 'loader+0x1166', bytes: 17_077_350 });
    expect(live.allocatedBytes).toBeNull();
  });

  it('have names where jeprof put them in', async () => {
    const live = await open('named.heap');
    expect(live.bytes).toBe(17_643_884);
    expect(live.places.map(({ where }) => where)[0]).toBe('cache');
    expect(live.functions.find(({ function: name }) => name === 'main')).toMatchObject({
      bytes: 17_077_350,
      ownBytes: 0,
    });
  });

  it('are reported with what they cannot tell', async () => {
    const told = report(await openInput(`${FOLDER}/sampled.heap`));
    expect(verdictSentence(told.verdict)).toMatch(/^16\.8 MiB in use when the profile was taken/);
    const words = told.warnings.join('\n');
    expect(words).toContain('about one byte in 512 KiB was sampled');
    expect(words).toContain('jeprof --raw');
    expect(report(await openInput(`${FOLDER}/named.heap`)).warnings.join('\n')).not.toContain(
      'jeprof',
    );
  });

  it('that end early say so, or are refused', async () => {
    const whole = readFileSync(`${FOLDER}/every.heap`, 'utf8');
    const cut = whole.slice(0, whole.indexOf('MAPPED_LIBRARIES'));
    const recording = await read(cut);
    expect(recording.run.warnings.join('\n')).toContain('ends without its list of libraries');
    expect(() => read(cut.slice(0, -5))).toThrow(/x\.heap, line \d+: cut off/);
  });

  it.each<[string, string, RegExp]>([
    ['another header', 'heap_v3/524288\n', /line 1: expected heap_v2\/RATE/],
    ['what is no line of it', 'heap_v2/1\nhello\n', /line 2: neither a call stack nor its counts/],
    ['no samples', 'heap_v2/1\n  t*: 0: 0 [0: 0]\n', /has no samples/],
    ['a number without an end', `heap_v2/1\n@ 0x1\n  t*: ${'9'.repeat(400)}: 1 [0: 0]\n`, /line 3/],
    ['a stack without an end', `heap_v2/1\n@${' 0x1'.repeat(5000)}\n`, /a stack of 5000 calls/],
    ['names alone', '--- symbol\nbinary=./x\n0x1 f\n---\n', /is no heap profile of jemalloc/],
    ['no rate', 'heap_v2/0\n@ 0x1\n  t*: 1: 1 [0: 0]\n', /no heap profile of jemalloc/],
  ])('%s is refused in one line', (_, text, words) => {
    expect(() => read(text)).toThrow(words);
  });
});
