import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { KiB, MiB } from '../../src/base/bytes.ts';
import { needs } from '../support/programs.ts';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const workload = (name: string) => fileURLToPath(new URL(`./workloads/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'highwater-leak-'));
const FILE = `/dev/shm/highwater-planted-${process.pid}`;
const python = spawnSync('python3', ['--version']).status === 0;
/** HIGHWATER_PLANTED=10 plants each leak ten times; a test of every change has to be shorter. */
const RUNS = Array.from({ length: Number(process.env.HIGHWATER_PLANTED ?? 2) }, (_, i) => i + 1);
/** Growth takes longer to see. */
const LONG_RUNS = RUNS.length > 2 ? RUNS : [1];
const shm = process.platform === 'linux' && existsSync('/dev/shm');

/** Records a command as a user would and reads the verdict back. */
function leakOf(argv: readonly string[]): Report['leak'] {
  const out = join(folder, 'run.hw');
  const run = spawnSync(process.execPath, [
    cli,
    'record',
    '-q',
    '--force',
    '-o',
    out,
    '--',
    ...argv,
  ]);
  expect(run.status, String(run.stderr)).toBe(0);
  const told = spawnSync(process.execPath, [cli, 'report', out, '--json'], { encoding: 'utf8' });
  return (JSON.parse(told.stdout) as Report).leak;
}

afterEach(() => {
  for (const name of readdirSync('/dev/shm')) {
    if (`/dev/shm/${name}`.startsWith(FILE)) rmSync(`/dev/shm/${name}`);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The whole machine's memory is looked at here, and other tests run on it: a disturbed run is repeated. */
const DISTURBED = { retry: 4 };

describe.skipIf(!shm)('what is left behind', DISTURBED, () => {
  it.each(RUNS)('64 MiB in /dev/shm are found, within 2 MiB (run %i)', (run) => {
    const write = `head -c 67108864 /dev/zero > ${FILE}-${run}; sleep 0.5`;
    const { verdict, shelf } = leakOf(['sh', '-c', write]);
    expect(verdict).toBe('leak');
    expect(Math.abs(shelf!.leakedBytes! - 64 * MiB)).toBeLessThan(2 * MiB);
    expect(shelf!.uncertaintyBytes!).toBeLessThanOrEqual(2 * MiB);
  });

  it.each(RUNS)('its twin that cleans up is no leak (run %i)', () => {
    const write = `head -c 67108864 /dev/zero > ${FILE}; sleep 0.5; rm ${FILE}`;
    expect(leakOf(['sh', '-c', write]).verdict).not.toBe('leak');
  });
});

describe('a daemon that stays', DISTURBED, () => {
  const daemon = join(folder, 'stays');
  const told = join(folder, 'told');
  const compile = () => {
    const made = spawnSync('gcc', ['-O1', '-o', daemon, workload('stays.c')]);
    expect(made.status, String(made.stderr)).toBe(0);
  };
  /** What the kernel says that the daemon alone holds. */
  const truth = () => Number(/^Pss_Anon:\s+(\d+) kB/m.exec(readFileSync(told, 'utf8'))![1]) * KiB;
  afterEach(() => rmSync(told, { force: true }));

  for (const run of RUNS) {
    needs('gcc')(`is found with its 64 MiB, within 2 MiB (run ${run})`, () => {
      compile();
      const { verdict, shelf } = leakOf([daemon, '64', told]);
      expect(verdict).toBe('leak');
      expect(truth() / MiB).toBeCloseTo(64, 0);
      expect(Math.abs(shelf!.leakedBytes! - truth())).toBeLessThan(2 * MiB);
      expect(shelf!.uncertaintyBytes!).toBeLessThanOrEqual(2 * MiB);
    });
  }
});

describe.skipIf(!python)('what grows while it runs', DISTURBED, () => {
  it.each(LONG_RUNS)('1 MiB kept each iteration is a leak of that size (run %i)', () => {
    const { verdict, trend, culprit } = leakOf(['python3', workload('keeps.py')]);
    expect(verdict).toBe('leak');
    expect(culprit).toMatchObject({ measure: 'PSS' });
    if (trend!.over === 'iterations') {
      expect(trend!.slope.bytes / MiB).toBeGreaterThan(0.95);
      expect(trend!.slope.bytes / MiB).toBeLessThan(1.05);
    }
  });

  it.each(LONG_RUNS)('its twin that lets go is no leak (run %i)', () => {
    expect(leakOf(['python3', workload('keeps.py'), '--fine']).verdict).not.toBe('leak');
  });
});
