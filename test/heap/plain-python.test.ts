import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { RunInfo } from '../../src/model/run.ts';
import { needs, python } from '../support/programs.ts';
import { place, SCRATCH, start } from '../support/recorder.ts';

/** Imports nothing of ours, and no framework; ends by itself once it was looked at three times. */
const program = (heap: (at: number) => string) => `
import os, time
class Slotted:
    __slots__ = ("held",)
class Row:
    def __init__(self, number):
        self.slot = Slotted()
        self.slot.held = [number]
cache = {}
end = time.monotonic() + 90
while not os.path.exists(${JSON.stringify(heap(2))}) and time.monotonic() < end:
    for _ in range(20):
        cache[len(cache)] = Row(len(cache))
    if os.path.exists(${JSON.stringify(heap(0))}):
        import asyncio, unittest  # what they leave in sys is named from sys and from its module
    time.sleep(0.02)
`;

const run = async (...words: string[]) => {
  const { code, stdout, stderr } = await start(words).finished;
  return { code, stdout: String(stdout), stderr };
};

/** The places that grew there, with their bytes. */
const placesIn = async (heaps: string, where: string) => {
  const { stdout } = await run('heap', heaps, '--json');
  const { containers } = JSON.parse(stdout) as { containers: { place: string; grown: number }[] };
  return containers.flatMap(({ place, grown }) =>
    place.startsWith(where) ? [[place, grown]] : [],
  );
};

describe('record --heap of a Python program that has nothing of ours', () => {
  needs('python3')(
    'takes heaps that show what grows, with names on the way to it, and packs them',
    async () => {
      const [file, folder] = [join(SCRATCH, 'plain.py'), place()];
      writeFileSync(
        file,
        program((at) => join(folder, 'heap', String(at), 'python.hwheap')),
      );
      const flags = ['--heap', '3', '--before', '0', '--after', '0', '-q', '-o', folder];
      await run('record', ...flags, '--', python(), file);
      const info = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as RunInfo;
      expect(info.warnings.join()).not.toContain('heap');
      expect(info.heaps!.map(({ runtime }) => runtime)).toEqual(['python', 'python', 'python']);

      const growth = (await run('heap', folder)).stdout;
      expect(growth).toMatch(/Candidates: grew from each heap[\s\S]*__main__\.Slotted: /);
      const rows = JSON.parse(
        (await run('heap', join(folder, info.heaps![0]!.file), '--all', '--json')).stdout,
      ).rows as { kind: string; index: number }[];
      const row = rows.find(({ kind }) => kind === '__main__.Slotted')!.index;
      const asked = ['--ask', `${row}.referents.0.paths`, '--ask', `${row}.paths`];
      const { stdout } = await run('heap', join(folder, info.heaps![0]!.file), ...asked);
      expect(stdout).toMatch(
        /\n 0: h\.Root\.i0_modules\['__main__'\]\.__dict__\['cache'\]\[0\](\.__dict__\['slot'\]|\.slot)\n/,
      );

      const packed = join(SCRATCH, 'plain.hwz');
      const said = (await run('pack', folder, '-o', packed)).stderr;
      expect(said).toMatch(/with 3 heaps of .*texts of the program \(--no-heaps leaves them out\)/);
      expect((await run('heap', packed)).stdout).toBe(growth);
      const redacted = join(SCRATCH, 'redacted.hwz');
      expect((await run('pack', folder, '--redact', '-o', redacted)).stderr).toContain(
        'with 3 heaps of',
      );
      const told = (await run('heap', redacted)).stdout;
      expect(told).not.toContain('Slotted');
      const [inSys, inSysStill] = [
        await placesIn(folder, 'sys.'),
        await placesIn(redacted, 'sys.'),
      ];
      expect(inSys).toContainEqual(['sys.path_importer_cache', expect.any(Number)]);
      expect(inSysStill).toEqual(inSys);
      expect(told.match(/[\d.,]+ [KM]iB/g)).toEqual(growth.match(/[\d.,]+ [KM]iB/g));

      const without = join(SCRATCH, 'without.hwz');
      await run('pack', folder, '--redact', '--no-heaps', '-o', without);
      const none = await run('heap', without);
      expect([none.code, none.stderr]).toEqual([
        2,
        expect.stringMatching(/without\.hwz holds no heaps \(pack takes them with --heaps\)/),
      ]);
    },
    150_000,
  );
});
