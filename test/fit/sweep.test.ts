import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fit } from '../../src/analyses/fit/index.ts';
import type { Report } from '../../src/analyses/report.ts';
import { needs, python } from '../support/programs.ts';
import { highwater, place, recorded } from '../support/recorder.ts';
import { manifestOf, swept } from '../sweep/support.ts';

const node = process.execPath;

/**
 * Holds 30 MiB throughout, 50 more for a moment, then 3 for each two of a batch. In Python, whose own
 * memory is small and the same each time: Node's differs by tens of MiB from run to run.
 */
function program(): string {
  const path = place('phases.py');
  writeFileSync(
    path,
    `import sys, time
hold = lambda mib: bytearray(b"x") * (mib << 20)
kept = [hold(30), hold(50)]
time.sleep(0.3)
kept.pop()
kept.append(hold(3 * int(sys.argv[1]) // 2))
time.sleep(0.3)
`,
  );
  return path;
}

/** The highest value of a series, as `report` tells it. */
async function peakOf(folder: string, name: string): Promise<number> {
  const { stdout } = await highwater(['report', folder, '--json']);
  const { peaks } = JSON.parse(String(stdout)) as Report;
  return peaks.find(({ series }) => series === name)!.bytes;
}

describe('sweep --fit', () => {
  needs('python3')(
    'tells the peak of a batch that was not run, and draws it',
    async () => {
      const command = [python(), program(), '{batch}'];
      const { code, folder, result, stderr } = await swept(
        [
          '--param',
          'batch=8,24,48,96,128',
          '--fit',
          '512MiB',
          '--in-use',
          '0',
          '--at',
          'batch=192',
        ],
        command,
      );
      expect(code, stderr).toBe(0);
      const { fit } = result as typeof result & { fit: Fit };
      expect(fit).toMatchObject({ type: 'fit', limitBytes: 2 ** 29, usableBytes: 2 ** 29 });
      const { answer, largest } = fit.groups[0]!;
      expect(answer).toMatchObject({ verdict: 'yes', at: { batch: 192 } });
      expect(largest[0]!.value).toBeGreaterThan(192);

      const really = await recorded([], [...command.slice(0, -1), '192']);
      const truth = await peakOf(really.folder, result.series!);
      expect(Math.abs(answer!.needed!.bytes / truth - 1)).toBeLessThan(0.05);
      expect(truth).toBeGreaterThan(answer!.needed!.lowBytes);
      expect(truth).toBeLessThan(answer!.needed!.highBytes);

      expect(result.plots).toContain('Plots/fit.svg');
      expect(manifestOf(folder).plots).toContain('Plots/fit.png');
      const again = await highwater(['report', folder, '--fit', '150MiB', '--in-use', '0']);
      expect(String(again.stdout)).toMatch(/^What fits into 150 MiB, all of it usable\.$/m);
      expect(String(again.stdout)).toMatch(/^ {2}largest batch that fits: \d\d$/m);
      const page = await highwater([
        'report',
        folder,
        '--markdown',
        '--fit',
        '1GiB',
        '--at',
        'batch=1000',
      ]);
      expect(String(page.stdout)).toContain(
        'batch=1000: the data do not tell, batch=1000 is 7.8 times',
      );
      await highwater(['sweep', '--clean', folder]);
      expect(existsSync(join(folder, 'Plots'))).toBe(false);
    },
    90_000,
  );

  it('refuses what it cannot answer before anything runs', async () => {
    const wrong = async (...flags: string[]) =>
      (await highwater(['sweep', '--param', 'n=1,2', ...flags, '--', node, '-e', '{n}'])).stderr;
    expect(await wrong('--at', 'n=3')).toMatch(/--at needs --fit/);
    expect(await wrong('--fit', 'much')).toMatch(/'much' is not a size/);
    expect(await wrong('--fit', '1GiB', '--at', 'n')).toMatch(/'n' is no combination/);
    const unknown = await wrong('--fit', '1GiB', '--at', 'm=3');
    expect(unknown).toMatch(
      /^highwater: --at: the runs have no parameter 'm' \(did you mean n\?\)$/m,
    );
    expect(unknown).not.toMatch(/\[1\/2\]/);
  });
});
