import { highestIndex, lastUpTo } from '../../base/search.ts';
import { SECOND_NS } from '../../base/time.ts';
import { origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import type { GpuCard } from '../../model/run.ts';
import { type Series, series } from '../../model/series.ts';
import { type Running, runningAt } from '../running.ts';
import { account, type CardAccounting, type CardPeak, type GpuProcess } from './accounting.ts';
import { type AccountingRows, accountingRows } from './accounting-rows.ts';
import { cardsInUse, levelBefore, type UseEvidence } from './cards-in-use.ts';
import { type CardHeadline, cardHeadline } from './headline.ts';
import { Holders, levelAt } from './holders.ts';
import { type Caveats, notesOn } from './notes.ts';
import { type OutsideFacts, outsideFacts } from './outside-parts.ts';
import { OutsideByProcess } from './outside-told.ts';
import { LIVE } from './own-parts.ts';
import { processesByPid } from './processes-by-pid.ts';
import { type StrayContext, strayContexts } from './stray-contexts.ts';
import { type TorchDevice, TorchOnCards } from './torch-on-cards.ts';

/** One card: how much, when, and who. */
export interface GpuFacts {
  readonly gpu: number;
  readonly name: string;
  readonly uuid: string;
  readonly memoryBytes: number | null;
  /** Of a slice (MIG): the card that it is cut from. */
  readonly sliceOf: { readonly gpu: number; readonly memoryBytes: number | null } | null;
  /** Whether the recorded tree uses it, and how that is known. */
  readonly usedByTree: boolean;
  readonly evidence: UseEvidence | null;
  /** A report is about it: the workload uses it or, where there was none to use one, it was measured. */
  readonly shown: boolean;
  /** In use before the workload started; null where that was not seen. */
  readonly baselineBytes: number | null;
  /** Of the whole card, as nvidia-smi shows it; null where it was not measured. */
  readonly peak: { readonly bytes: number; readonly seconds: number } | null;
  /** The figure to remember: of the card, or of this workload on a card that others use; null where it was not measured. */
  readonly headline: (Omit<CardHeadline, 'ns'> & { readonly seconds: number }) | null;
  /** What ran at the headline in the process that has most there, by its own word; null: nobody told within a second of it. */
  readonly running: Running | null;
  /** At the headline; null where the driver lists no processes. */
  readonly accounting:
    | (Omit<CardAccounting, 'listedNs' | 'listedUsed'> &
        AccountingRows & {
          /** When the processes were listed. */
          readonly seconds: number;
          /** What of it this workload's processes held outside torch's allocator; null: nothing, or not known. */
          readonly outside: OutsideFacts | null;
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
  const torch = new TorchOnCards(recording, holders, new OutsideByProcess(recording, zero));
  const ownPids = new Set(tree.keys());
  const caveats: Caveats = {
    guessed: use.guessed,
    processIds: run.gpu?.processIds ?? null,
    nobodyListed: most.size === 0,
  };
  const facts = cards(recording).map((card): Omit<GpuFacts, 'shown'> => {
    const { index } = card;
    const slice = sliceOf(card, run.gpus);
    const used = series(recording, `gpu${index}.used`);
    const peak = used && peakOf(used);
    const baseline = used && levelBefore(used, zero);
    const ofTree = matched ? series(recording, `gpu${index}.tree`) : null;
    const headline =
      used &&
      cardHeadline({ gpu: index, used, tree: ofTree, baseline, holders, torch, own: ownPids });
    const at = headline && momentOn(recording, index, used, headline);
    const reservedBy = (pid: number, ns: number) => torch.reservedNear(index, pid, ns);
    const accounting = at && account(at, holders, tree, matched, reservedBy);
    const rows =
      accounting && accountingRows(headline!, accounting, { gpu: index, used: used!, torch });
    const evidence = use.by.get(index) ?? null;
    const own = strays.get(index) ?? [];
    return {
      gpu: index,
      name: card.name,
      uuid: card.uuid,
      memoryBytes: card.memoryBytes || null,
      sliceOf: slice,
      usedByTree: evidence !== null,
      evidence,
      baselineBytes: baseline,
      peak: peak && { bytes: peak.bytes, seconds: (peak.ns - zero) / SECOND_NS },
      headline: headline && headlineForm(headline, zero),
      running: headline && runningOn(recording, torch.of(index), headline),
      accounting: accounting && {
        ...publicForm(accounting, zero),
        ...rows!,
        outside: outsideFacts(rows!.rows, growthsOn(torch, index, headline!.ns)),
      },
      strays: own,
      notes: notesOn(
        card,
        {
          evidence,
          sliceOf: slice,
          peak: at,
          baseline,
          accounting,
          strays: own,
          torchPeak: headline && headline.of !== 'torch' ? torchPeak(torch.of(index), zero) : null,
          liveBytes: rows?.rows.find(({ what }) => what === LIVE)?.bytes ?? null,
        },
        caveats,
      ),
    };
  });
  const none = run.subject === 'host' || run.subject === 'import';
  const all = none && !facts.some(({ usedByTree }) => usedByTree);
  return {
    type: 'gpus',
    gpus: facts.map((one) => ({ ...one, shown: all ? one.peak !== null : one.usedByTree })),
  };
}

function sliceOf({ parent }: GpuCard, all: readonly GpuCard[]): GpuFacts['sliceOf'] {
  if (parent === undefined) return null;
  const whole = all.find(({ index }) => index === parent);
  return { gpu: parent, memoryBytes: whole?.memoryBytes || null };
}

function torchPeak(devices: readonly TorchDevice[], zero: number) {
  const [most] = devices.map(({ peak }) => peak).sort((a, b) => b.bytes - a.bytes);
  return most ? { bytes: most.bytes, seconds: (most.ns - zero) / SECOND_NS } : null;
}

/** The line that ran, of the process whose torch ever had most on the card. */
function runningOn(
  recording: Recording,
  devices: readonly TorchDevice[],
  { ns, of }: CardHeadline,
): Running | null {
  const [most] = [...devices].sort((a, b) => b.peak.bytes - a.peak.bytes);
  if (!most) return null;
  return runningAt(recording, most.pid, `torch${most.device}`, of === 'torch' ? most.peak.ns : ns);
}

/** What came outside torch in the processes of a card until its headline, by the line that ran. */
const growthsOn = (torch: TorchOnCards, card: number, until: number) =>
  torch.of(card).flatMap(({ pid, device }) => torch.told.grown(pid, device, until));

function headlineForm({ ns, ...rest }: CardHeadline, zero: number) {
  return { ...rest, seconds: (ns - zero) / SECOND_NS };
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

function peakOf({ times, values }: Series): { bytes: number; ns: number } {
  const top = highestIndex(values);
  return { bytes: values[top]!, ns: times[top]! };
}

/** What the card held at its headline, or at the sample before. */
function momentOn(recording: Recording, gpu: number, used: Series, { ns }: CardHeadline): CardPeak {
  const table = recording.table('gpu');
  const [times, cardOf, reserved] = [table.f64('time'), table.u32('gpu'), table.f64('reserved')];
  const sample = used.times[Math.max(0, lastUpTo(used.times, ns))]!;
  const row = times.findIndex((time, i) => time === sample && cardOf[i] === gpu);
  return { gpu, ns, used: levelAt(used, ns), reserved: reserved[row] ?? Number.NaN, series: used };
}
