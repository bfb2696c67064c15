import { highestIndex } from '../../base/search.ts';
import { SECOND_NS } from '../../base/time.ts';
import { origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import type { GpuCard } from '../../model/run.ts';
import { type Series, series } from '../../model/series.ts';
import { account, type CardAccounting, type CardPeak, type GpuProcess } from './accounting.ts';
import { cardsInUse, levelBefore, type UseEvidence } from './cards-in-use.ts';
import { Holders } from './holders.ts';
import { type Caveats, notesOn } from './notes.ts';
import { processesByPid } from './processes-by-pid.ts';
import { type StrayContext, strayContexts } from './stray-contexts.ts';

/** One card: how much, when, and who. */
export interface GpuFacts {
  readonly gpu: number;
  readonly name: string;
  readonly uuid: string;
  readonly memoryBytes: number | null;
  /** Whether the recorded tree uses it, and how that is known. */
  readonly usedByTree: boolean;
  readonly evidence: UseEvidence | null;
  /** A report is about it: the workload uses it or, where there was none to use one, it was measured. */
  readonly shown: boolean;
  /** In use before the workload started; null where that was not seen. */
  readonly baselineBytes: number | null;
  /** Of the whole card, as nvidia-smi shows it; null where it was not measured. */
  readonly peak: { readonly bytes: number; readonly seconds: number } | null;
  /** At that peak; null where the driver lists no processes. */
  readonly accounting:
    | (Omit<CardAccounting, 'listedNs' | 'listedUsed'> & {
        /** When the processes were listed. */
        readonly seconds: number;
      })
    | null;
  /** Processes whose own card is another one, with the context that they hold here. */
  readonly strays: readonly StrayContext[];
  readonly notes: readonly string[];
}

export type { GpuProcess };

/** Where the memory of each GPU was. */
export interface Gpus {
  readonly type: 'gpus';
  readonly gpus: readonly GpuFacts[];
}

export function gpus(recording: Recording): Gpus {
  const { run } = recording;
  const zero = origin(recording).ns;
  const tree = processesByPid(recording);
  const holders = new Holders(recording.table('gpu_process'));
  const matched = run.gpu?.processIds !== 'foreign';
  const most = matched ? holders.most() : new Map();
  const ofTree = new Set(
    [...most].flatMap(([pid, byCard]) => (tree.has(pid) ? [...byCard.keys()] : [])),
  );
  const use = cardsInUse(recording, ofTree, (gpu) => series(recording, `gpu${gpu}.used`));
  const strays = strayContexts(most, tree);
  const caveats: Caveats = {
    guessed: use.guessed,
    processIds: run.gpu?.processIds ?? null,
    nobodyListed: most.size === 0,
  };
  const facts = cards(recording).map((card): Omit<GpuFacts, 'shown'> => {
    const { index } = card;
    const used = series(recording, `gpu${index}.used`);
    const peak = used && peakOf(recording, index, used);
    const baseline = used && levelBefore(used, zero);
    const accounting = peak && account(peak, holders, tree, matched);
    const evidence = use.by.get(index) ?? null;
    const own = strays.get(index) ?? [];
    return {
      gpu: index,
      name: card.name,
      uuid: card.uuid,
      memoryBytes: card.memoryBytes || null,
      usedByTree: evidence !== null,
      evidence,
      baselineBytes: baseline,
      peak: peak && { bytes: peak.used, seconds: (peak.ns - zero) / SECOND_NS },
      accounting: accounting && publicForm(accounting, zero),
      strays: own,
      notes: notesOn(card, { evidence, peak, baseline, accounting, strays: own }, caveats),
    };
  });
  const none = run.subject === 'host' || run.subject === 'import';
  const all = none && !facts.some(({ usedByTree }) => usedByTree);
  return {
    type: 'gpus',
    gpus: facts.map((one) => ({ ...one, shown: all ? one.peak !== null : one.usedByTree })),
  };
}

function publicForm({ listedNs, listedUsed: _used, ...rest }: CardAccounting, zero: number) {
  return { ...rest, seconds: (listedNs - zero) / SECOND_NS };
}

/** As run.json names them; imported logs may have rows of cards that nobody named. */
function cards(recording: Recording): GpuCard[] {
  const named = recording.run.gpus;
  const others = [...new Set(recording.table('gpu').u32('gpu'))]
    .filter((index) => named.every((card) => card.index !== index))
    .sort((a, b) => a - b);
  return [...named, ...others.map((index) => ({ index, uuid: '', name: '', memoryBytes: 0 }))];
}

function peakOf(recording: Recording, gpu: number, used: Series): CardPeak {
  const top = highestIndex(used.values);
  const ns = used.times[top]!;
  const table = recording.table('gpu');
  const [times, cardOf, reserved] = [table.f64('time'), table.u32('gpu'), table.f64('reserved')];
  const row = times.findIndex((time, i) => time === ns && cardOf[i] === gpu);
  const kept = reserved[row] ?? Number.NaN;
  return { gpu, ns, used: used.values[top]!, reserved: kept, series: used };
}
