import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../src/base/stats.ts';
import { installWays, OWN, PLAIN, type Way } from './overhead-ways.ts';
import { absent, type Benchmark, type Row } from './result.ts';
import { withFolder } from './scratch.ts';
import { usageOf } from './usage.ts';
import { installed } from './venv.ts';

const SCRIPT = fileURLToPath(new URL('overhead.py', import.meta.url));
/** Turns of the work that take about four seconds, and one. */
const TURNS = { objects: [240, 60], arrays: [120, 30] } as const;
type Kind = keyof typeof TURNS;

/** Seconds. */
interface Cost {
  /** Of the work alone, as the program measures it. */
  readonly wall: number;
  readonly cpu: number;
  /** CPU of the whole command: its start, the tool's own process and its end too. */
  readonly all: number;
}

export const overhead: Benchmark = {
  name: 'overhead',
  title: 'a Python program under recorders and tracers, many small objects and large arrays',
  minutes: 9,
  async run({ quick }) {
    const ways = installWays();
    const rows: Row[] = [];
    for (const kind of ['objects', 'arrays'] as const) {
      if (kind === 'arrays' && installed('numpy') === null) {
        rows.push({ what: kind, figure: 'numpy is absent: nothing measured' });
        continue;
      }
      const present = [PLAIN, OWN, ...ways.filter((way) => way.present)];
      const costs = await inTurns(present, kind, TURNS[kind][quick ? 1 : 0], quick ? 2 : 5);
      rows.push(...describe(kind, costs));
      for (const way of ways) {
        if (way.present) rows.push(...compare(kind, costs, way));
        else rows.push(absent(`${kind}: time of the work`, way.title));
      }
    }
    return rows;
  },
};

type Costs = ReadonlyMap<Way, readonly Cost[]>;

/** Round by round, each time in another order: what comes first may find a warmer or a cooler machine. */
async function inTurns(
  ways: readonly Way[],
  kind: Kind,
  turns: number,
  rounds: number,
): Promise<Costs> {
  const costs = new Map<Way, Cost[]>(ways.map((way) => [way, []]));
  for (let round = 0; round < rounds; round++) {
    const from = (2 * round) % ways.length;
    for (const way of [...ways.slice(from), ...ways.slice(0, from)]) {
      costs.get(way)!.push(await cost(way, kind, turns));
    }
  }
  return costs;
}

const cost = (way: Way, kind: Kind, turns: number) =>
  withFolder(async (folder): Promise<Cost> => {
    const result = join(folder, 'work.json');
    const command = way.command(folder, [SCRIPT, kind, String(turns), result]);
    const { cpuSeconds } = await usageOf(command, join(folder, 'output'));
    const work = JSON.parse(readFileSync(result, 'utf8')) as { wall: number; cpu: number };
    return { ...work, all: cpuSeconds };
  });

function describe(kind: Kind, costs: Costs): Row[] {
  return [...costs].map(([way, found]) => {
    const middle = (of: keyof Cost) => `${median(found.map((one) => one[of])).toFixed(2)} s`;
    const cpu = `${middle('cpu')}, ${more(ratios(costs, way, PLAIN, 'cpu'))}`;
    const figure = `the work ${middle('wall')}, its CPU ${cpu}; CPU of all of it ${middle('all')}`;
    return { what: `${kind}: ${way.title}`, figure };
  });
}

function compare(kind: Kind, costs: Costs, peer: Way): Row[] {
  const row = (what: string, of: keyof Cost, show: (way: Way) => string): Row => ({
    what: `${kind}: ${what}`,
    figure: show(OWN),
    peer: peer.title,
    theirs: show(peer),
    ratio: median(ratios(costs, OWN, peer, of)),
  });
  const seconds = (way: Way) => `${median(costs.get(way)!.map((one) => one.all)).toFixed(2)} s`;
  return [
    row('time of the work', 'wall', (way) => more(ratios(costs, way, PLAIN, 'wall'))),
    row('CPU of the whole command', 'all', seconds),
  ];
}

/** Round by round: neighbours come and go between them. */
const ratios = (costs: Costs, way: Way, other: Way, of: keyof Cost) =>
  costs.get(way)!.map((one, round) => one[of] / costs.get(other)![round]![of]);

/** What it adds, the middle of the rounds and the lowest and highest. */
function more(ratios: readonly number[]): string {
  const shown = (ratio: number) =>
    `${ratio < 1 ? '−' : '+'}${Math.abs(100 * (ratio - 1)).toFixed(1)}`;
  const range = `${shown(Math.min(...ratios))} to ${shown(Math.max(...ratios))}`;
  return `${shown(median(ratios))} % (${range})`;
}
