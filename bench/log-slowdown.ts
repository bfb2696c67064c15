import { availableParallelism } from 'node:os';
import { median } from '../src/base/stats.ts';
import { type Blocks, blocks, type Found } from './log-blocks.ts';
import { type Pairs, pairedRatio, totalRatio } from './paired.ts';
import { type Benchmark, percent, type Row, ratioWithin } from './result.ts';
import { withFolder } from './scratch.ts';

const LIMIT = 1.01;

export const logSlowdown: Benchmark = {
  name: 'log-slowdown',
  title: 'a busy program that prints a million lines a minute, recorded and bare by turns',
  minutes: 13,
  run: ({ quick }) =>
    withFolder(async (folder) => {
      const counts = quick ? { least: 1, most: 1, pairs: 12 } : { least: 4, most: 20, pairs: 25 };
      const effort = { ...counts, limit: LIMIT };
      const rows: Row[] = [];
      for (const how of ['same', 'more'] as const) {
        const once = { ...effort, most: effort.least };
        rows.push(control(how, await blocks(folder, 'pipe', 'ordinary', how, once)));
      }
      for (const place of ['pipe', 'terminal'] as const) {
        for (const kind of ['ordinary', 'iterations'] as const) {
          const found = await blocks(folder, place, kind, 'recorded', effort);
          rows.push(...compare(`${kind} to a ${place}`, found));
        }
      }
      const held = availableParallelism() > 1 ? 'the program on a core of its own' : 'one core';
      return [...rows, { what: 'where', figure: held }];
    }),
};

/** Both readers alike: the ratio that must be found is known, and shows what this machine can tell. */
function control(how: 'same' | 'more', { cpu, wall }: Blocks): Row {
  const [ofCpu, ofWall] = [pairedRatio(cpu), pairedRatio(wall)].map(
    ({ ratio, low, high }) => `${ratio.toFixed(4)} (${low.toFixed(4)}–${high.toFixed(4)})`,
  );
  const expected = how === 'same' ? 1 : 1.01;
  return {
    what: `no recorder, must be ${expected.toFixed(2)}`,
    figure: `CPU ${ofCpu}, wall ${ofWall}, ${cpu.length} pairs`,
  };
}

function compare(name: string, { cpu, wall, switches, own, leftOut }: Found): Row[] {
  const row = (what: string, pairs: Pairs) => {
    const [recorded, bare] = [0, 1].map((side) => median(pairs.map((pair) => pair[side]!)));
    const figures = { figure: milliseconds(recorded!), peer: 'bare', theirs: milliseconds(bare!) };
    return ratioWithin({ what: `${name}, ${what}`, ...figures }, pairedRatio(pairs), LIMIT);
  };
  const times = switches.map((value) => value.toFixed(0));
  const rate = 1000 / median(wall.map(([, bare]) => bare));
  return [
    row('CPU of 1000 lines', cpu),
    row('wall time of 1000 lines', wall),
    {
      what: `${name}: all ${cpu.length} pairs summed up, without ${leftOut} that the host disturbed`,
      figure: `CPU ${totalRatio(cpu).toFixed(4)}, wall ${totalRatio(wall).toFixed(4)}`,
    },
    {
      what: `${name}: switched out`,
      figure: `${times[0]} to ${times[1]} times in 1000 lines; ${rate.toFixed(0)} lines/s bare`,
    },
    {
      what: `${name}: the recorder's own`,
      figure: `${percent(own)} of a core, its start included`,
    },
  ];
}

const milliseconds = (seconds: number) => `${(1000 * seconds).toFixed(2)} ms`;
