import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Profile } from 'pprof-format';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../support/files.ts';
import { inOneProcess } from '../support/one-process.ts';
import { SCRATCH } from '../support/recorder.ts';

const JAX = resolve('test/fixtures/formats/pprof-heap/jax-0.10.2/memory.pb');
const HEAPTRACK = resolve('test/fixtures/formats/heaptrack/1.4.0/loader.zst');
const LEAK = resolve('test/fixtures/docs/leak.hwz');

/** The same program a while later: what `weights` makes has twice the bytes, in as many objects. */
function later(): string {
  const profile = Profile.decode(readFileSync(JAX));
  const text = (id: number | bigint) => profile.stringTable.strings[Number(id)]!;
  const bytes = profile.sampleType.findIndex(({ unit }) => text(unit) === 'bytes');
  const functions = new Map(profile.function.map((one) => [Number(one.id), text(one.name)]));
  const names = new Map(
    profile.location.map(({ id, line }) => [
      Number(id),
      line.map(({ functionId }) => functions.get(Number(functionId))),
    ]),
  );
  for (const sample of profile.sample) {
    const stack = sample.locationId.flatMap((id) => names.get(Number(id)) ?? []);
    if (stack.includes('weights')) sample.value[bytes] = Number(sample.value[bytes]) * 2;
  }
  const path = join(tempFolder(), 'later.pb');
  writeFileSync(path, profile.encode());
  return path;
}

const compared = (...words: string[]) => inOneProcess(['compare', ...words], SCRATCH);

describe('compare of heap profiles', () => {
  it('tells the line that has more in use, and leaves out those that are as before', async () => {
    const { code, stdout } = await compared(JAX, later(), '--json');
    expect(code).toBe(0);
    const { liveStacks, verdict, runs, skipped } = JSON.parse(stdout);
    expect({ runs, skipped }).toEqual({ runs: [], skipped: [] });
    expect(liveStacks).toHaveLength(1);
    const grown = 3 * 2 ** 20;
    expect(liveStacks[0]).toMatchObject({
      a: 'memory',
      b: 'later',
      bytes: { difference: grown },
      objects: { difference: 0 },
      otherPlaces: { count: 0 },
      places: [
        {
          where: 'project/train.py:3 <listcomp>',
          bytes: { a: grown, b: 2 * grown, difference: grown },
          objects: { a: 3, b: 3, difference: 0 },
        },
      ],
    });
    expect(verdict).toMatchObject({ certainty: 'certain', cause: { code: 'needs-more' } });
  });

  it('says it in a line, and in a table', async () => {
    const { stdout } = await compared(later(), JAX);
    expect(stdout).toBe(`memory has 3.00 MiB less in use than later: 3.44 MiB against 6.44 MiB.

memory − later: in use by line, what grew and what shrank
     change     later    memory  objects  where
  −3.00 MiB  6.00 MiB  3.00 MiB    3 → 3  project/train.py:3 <listcomp>
`);
    expect((await compared(JAX, later(), '--markdown')).stdout).toContain('| +3.00 MiB |');
  });

  it('two that are alike are alike', async () => {
    const copy = join(tempFolder(), 'copy.pb');
    copyFileSync(JAX, copy);
    const { stdout } = await compared(JAX, copy);
    expect(stdout).toMatch(/have alike in use: 3\.44 MiB\.\n$/);
  });

  it('says where one is of its peak and the other of when it was taken', async () => {
    const { stdout } = await compared(HEAPTRACK, JAX);
    expect(stdout.split('\n')[0]).toMatch(
      /\(.*: what was in use at the heap's peak; memory: in use when the profile was taken\)\.$/,
    );
    const { verdict } = JSON.parse((await compared(HEAPTRACK, JAX, '--json')).stdout);
    expect(verdict.certainty).toBe('possible');
  });

  it.each([
    ['alone', [JAX], 2],
    ['beside a recording', [JAX, LEAK], 0],
  ])(
    'one %s is not held against anything, and is said to be a heap profile',
    async (_, paths, rc) => {
      const { code, stderr } = await compared(...paths);
      expect({ code, stderr }).toEqual({
        code: rc,
        stderr: expect.stringMatching(
          /^highwater: (nothing to compare|skipped): .*it is a heap profile, which is held against another heap profile only\n$/,
        ),
      });
    },
  );
});
