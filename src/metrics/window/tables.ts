import { heldByProcess } from '../../model/held-memory.ts';
import { IterationCount } from '../../model/iteration-count.ts';
import { hostUsed } from '../../model/series.ts';
import type { Table } from '../../model/table.ts';
import type { MetricKey } from '../list.ts';
import type { Gauge, Gauges } from './gauges.ts';
import type { Who } from './who.ts';

/** Takes rows of one table, in their order, into the gauges. */
export type TableTaker = (rows: Table) => void;

/** Which tables say something, and what; each derives as model/series.ts does, sample by sample. */
export function tableTakers(gauges: Gauges, who: Who): Readonly<Record<string, TableTaker>> {
  const host = { used: gauges.of('hostUsed'), total: gauges.of('hostTotal') };
  const recorder = gauges.of('recorder');
  const group = {
    current: gauges.of('groupCurrent'),
    peak: gauges.of('groupPeak'),
    oom_kills: gauges.of('groupKills'),
  };
  return {
    host: (rows) => {
      host.used.noteAll(hostUsed(rows));
      host.total.noteAll(rows.f64('MemTotal'));
      recorder.noteAll(rows.f64('recorder_anon'));
    },
    cgroup: (rows) => {
      for (const [column, gauge] of Object.entries(group)) gauge.noteAll(rows.f64(column));
    },
    process: processTaker(gauges, who),
    gpu: (rows) => {
      const used = byLabel(gauges, 'gpuUsed', 'card');
      const total = byLabel(gauges, 'gpuTotal', 'card');
      const [cards, usedBytes, totalBytes] = [rows.u32('gpu'), rows.f64('used'), rows.f64('total')];
      for (const [row, card] of cards.entries()) {
        used(card).note(usedBytes[row]!);
        total(card).note(totalBytes[row]!);
      }
    },
    gpu_process: (rows) => takeGpuProcesses(rows, gauges, who),
    counters: counterTaker(gauges, who),
    marks: markTaker(gauges, who),
  };
}

/** The gauges of a metric by a number that is their label, each looked for once. */
function byLabel(gauges: Gauges, metric: MetricKey, label: string): (value: number) => Gauge {
  const known = new Map<number, Gauge>();
  return (value) => {
    let gauge = known.get(value);
    if (!gauge) {
      gauge = gauges.of(metric, { [label]: String(value) });
      known.set(value, gauge);
    }
    return gauge;
  };
}

/** Σ over the rows of each sample, of the whole tree and of each rank. */
function processTaker(gauges: Gauges, who: Who): TableTaker {
  const shared = new Map<number, number>();
  const [rankRss, rankPss] = [
    byLabel(gauges, 'rankRss', 'rank'),
    byLabel(gauges, 'rankPss', 'rank'),
  ];
  const tree = {
    rss: gauges.of('treeRss'),
    pss: gauges.of('treePss'),
    held: gauges.of('treeHeld'),
    swap: gauges.of('treeSwap'),
    processes: gauges.of('treeProcesses'),
  };
  return (rows) => {
    const [times, pids] = [rows.f64('time'), rows.u32('pid')];
    const [rss, pss, swap] = [rows.f64('rss'), rows.f64('pss'), rows.f64('swap')];
    const held = heldByProcess(rows, shared);
    for (let from = 0; from < rows.rows; ) {
      let to = from + 1;
      while (to < rows.rows && times[to] === times[from]) to++;
      tree.rss.note(sum(rss, from, to));
      tree.pss.note(sum(pss, from, to));
      tree.held.note(sum(held, from, to));
      tree.swap.note(sum(swap, from, to));
      tree.processes.note(to - from);
      if (who.hasRanks) noteRanks(pids, rss, pss, from, to);
      from = to;
    }
  };

  function noteRanks(
    pids: Uint32Array,
    rss: Float64Array,
    pss: Float64Array,
    from: number,
    to: number,
  ): void {
    const sums = new Map<number, { rss: number; pss: number }>();
    for (let row = from; row < to; row++) {
      const rank = who.rankOf(pids[row]!);
      if (rank === undefined) continue;
      const of = sums.get(rank) ?? { rss: Number.NaN, pss: Number.NaN };
      of.rss = plus(of.rss, rss[row]!);
      of.pss = plus(of.pss, pss[row]!);
      sums.set(rank, of);
    }
    for (const [rank, of] of sums) {
      rankRss(rank).note(of.rss);
      rankPss(rank).note(of.pss);
    }
  }
}

function sum(values: Float64Array, from: number, to: number): number {
  let all = Number.NaN;
  for (let row = from; row < to; row++) all = plus(all, values[row]!);
  return all;
}

/** What is not measured adds nothing, and only of nothing known is nothing known. */
function plus(all: number, value: number): number {
  if (Number.isNaN(value)) return all;
  return Number.isNaN(all) ? value : all + value;
}

/** Σ over the workload's processes on each card; a sample without a list of the card, or a figure, is not measured. */
function takeGpuProcesses(rows: Table, gauges: Gauges, who: Who): void {
  const [times, cards] = [rows.f64('time'), rows.u32('gpu')];
  const [pids, used] = [rows.u32('pid'), rows.f64('used')];
  const ofCard = byLabel(gauges, 'gpuTree', 'card');
  for (let from = 0; from < rows.rows; ) {
    const sums = new Map<number, number>();
    let row = from;
    for (; row < rows.rows && times[row] === times[from]; row++) {
      const [card, pid] = [cards[row]!, pids[row]!];
      const noList = pid === 0 && Number.isNaN(used[row]!);
      const counts = noList || who.isMember(pid);
      sums.set(card, (sums.get(card) ?? 0) + (counts ? used[row]! : 0));
    }
    for (const [card, value] of sums) ofCard(card).note(value);
    from = row;
  }
}

const TORCH = /^torch(\d+)\.(allocated|reserved|peak)$/;
const TORCH_METRIC = {
  allocated: 'torchAllocated',
  reserved: 'torchReserved',
  peak: 'torchPeak',
} as const satisfies Record<string, MetricKey>;
const OWN = /^(history\.bytes|history\.left|agent\.bytes)$/;

/** Each process counts with its last reading until it has ended. */
function counterTaker(gauges: Gauges, who: Who): TableTaker {
  const torch = new Map<Gauge, Map<number, number>>();
  const own = new Map<number, Map<string, number>>();
  return (rows) => {
    const [times, pids, ranks] = [rows.f64('time'), rows.u32('pid'), rows.f64('rank')];
    const [names, values] = [rows.u32('name'), rows.f64('value')];
    for (const [row, pid] of pids.entries()) {
      who.reportRank(pid, ranks[row]!);
      const name = who.text(names[row]!);
      const known = TORCH.exec(name);
      if (known) {
        const metric = TORCH_METRIC[known[2] as keyof typeof TORCH_METRIC];
        const rank = who.rankOf(pid);
        const labels = {
          device: known[1]!,
          ...(rank !== undefined && { rank: String(rank) }),
        };
        noteSum(gauges.of(metric, labels, true), pid, values[row]!, times[row]!);
      } else if (OWN.test(name)) {
        const of = own.get(pid) ?? new Map<string, number>();
        own.set(pid, of.set(name, values[row]!));
        gauges.of('agent', {}, true).note(ownMemory(times[row]!));
      }
    }
    const last = times.at(-1);
    if (last !== undefined) forgetEnded(last);
  };

  function noteSum(gauge: Gauge, pid: number, value: number, time: number): void {
    const of = torch.get(gauge) ?? new Map<number, number>();
    torch.set(gauge, of);
    for (const one of of.keys()) if (who.hasEnded(one, time)) of.delete(one);
    of.set(pid, value);
    let all = 0;
    for (const one of of.values()) all += one;
    gauge.note(all);
  }

  function ownMemory(time: number): number {
    let all = 0;
    for (const [pid, of] of own) {
      const at = (name: string) => of.get(name) ?? 0;
      if (who.hasEnded(pid, time)) own.delete(pid);
      else all += Math.max(at('history.bytes'), at('history.left')) + at('agent.bytes');
    }
    return all;
  }

  function forgetEnded(time: number): void {
    for (const [gauge, of] of torch) {
      if (![...of.keys()].every((pid) => who.hasEnded(pid, time))) continue;
      torch.delete(gauge);
      gauges.drop(gauge);
    }
  }
}

/** What is printed may be each hundredth only, and what steps may be told thinned: the larger count is right. */
function markTaker(gauges: Gauges, who: Who): TableTaker {
  const counts = new Map<string, IterationCount>();
  return (rows) => {
    const [pids, ranks] = [rows.f64('pid'), rows.f64('rank')];
    const [kinds, iterations] = [rows.u32('kind'), rows.f64('iteration')];
    for (const [row, id] of kinds.entries()) {
      if (!Number.isNaN(pids[row]!)) who.reportRank(pids[row]!, ranks[row]!);
      const kind = who.text(id);
      if (kind !== 'iteration' && kind !== 'step') continue;
      const key = kind === 'iteration' ? kind : `${kind} ${pids[row]}`;
      const count = counts.get(key) ?? new IterationCount();
      counts.set(key, count);
      count.add(Number.isNaN(iterations[row]!) ? null : iterations[row]);
      gauges.of('iterations').note(Math.max(...[...counts.values()].map(({ done }) => done)));
    }
  };
}
