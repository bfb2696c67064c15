import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { processes, recordCommand, runCommand, samplingOf } from './recorders.ts';
import { atMost, type Benchmark, type Row, ratioAtMost } from './result.ts';
import { withFolder } from './scratch.ts';

const COUNT = 20;
const RATE_HZ = 100;
const IDLE_LIMIT_MS = 1;
const BUSY_LIMIT = 1.5;
/** About what one sample of so many processes takes on such a machine. */
const WORK_US = 200;
const BARE_LOOP = fileURLToPath(new URL('./bare-loop.mjs', import.meta.url));

/** Takes away the right to go before others, as on a machine where the user is not root. */
const UNPRIVILEGED = ['setpriv', '--bounding-set', '-sys_nice', '--inh-caps', '-sys_nice'];

interface Lateness {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export const lateness: Benchmark = {
  name: 'lateness',
  title: `how late samples are, ${COUNT} processes at ${RATE_HZ} Hz, with a bare sleep loop beside`,
  minutes: 2,
  async run({ quick }) {
    const seconds = quick ? 5 : 20;
    const idle = await measure('idle', seconds, []);
    const busy = await measure('busy', seconds, []);
    const rows = [
      ...describe('idle', idle),
      atMost('idle: highwater p99', idle.own.p99, IDLE_LIMIT_MS, 'ms', 3),
      ...describe('busy', busy),
      compare('busy: p99', busy),
    ];
    if (!canRun(UNPRIVILEGED)) return rows;
    const plain = await measure('busy', seconds, UNPRIVILEGED);
    return [
      ...rows,
      ...describe('busy, no priority', plain),
      compare('busy, no priority: p99', plain),
      {
        what: 'busy, no priority: p99',
        peer: `loop with ${WORK_US} µs of work`,
        ...versus(plain.own, plain.working),
        ratio: plain.own.p99 / plain.working.p99,
      },
    ];
  },
};

interface Comparison {
  readonly own: Lateness;
  readonly bare: Lateness;
  /** A loop that also works each time it wakes. */
  readonly working: Lateness;
}

/** Highwater and the loops at the same time, so that all have the same neighbours. */
function measure(
  kind: 'idle' | 'busy',
  seconds: number,
  wrapper: readonly string[],
): Promise<Comparison> {
  return withFolder(async (folder) => {
    const out = join(folder, 'run.hw');
    const record = recordCommand(out, RATE_HZ, processes(COUNT, seconds, kind));
    const [code, bare, working] = await Promise.all([
      runCommand([...wrapper, ...record]),
      runLoop(seconds, 0),
      runLoop(seconds, WORK_US),
    ]);
    const own = samplingOf(out).latenessMs;
    if (code !== 0 || !own) throw new Error(`the recording of the ${kind} workload failed`);
    return { own, bare, working };
  });
}

async function runLoop(seconds: number, workUs: number): Promise<Lateness> {
  const words = [BARE_LOOP, RATE_HZ, seconds, workUs].map(String);
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return JSON.parse(stdout) as Lateness;
}

function describe(kind: string, { own, bare, working }: Comparison): Row[] {
  return [
    row(kind, 'highwater', own),
    row(kind, 'bare loop', bare),
    row(kind, `loop with ${WORK_US} µs of work`, working),
  ];
}

function row(what: string, who: string, { p50, p99, max }: Lateness): Row {
  const figure = `p50 ${p50.toFixed(3)}, p99 ${p99.toFixed(3)}, max ${max.toFixed(1)} ms`;
  return { what: `${what}: ${who}`, figure };
}

function compare(what: string, { own, bare }: Comparison): Row {
  const { figure, theirs } = versus(own, bare);
  return { ...ratioAtMost(what, 'bare loop', figure, own.p99 / bare.p99, BUSY_LIMIT), theirs };
}

const versus = (own: Lateness, other: Lateness) => ({
  figure: `${own.p99.toFixed(3)} ms`,
  theirs: `${other.p99.toFixed(3)} ms`,
});

function canRun(wrapper: readonly string[]): boolean {
  return spawnSync(wrapper[0]!, [...wrapper.slice(1), 'true'], { stdio: 'ignore' }).status === 0;
}
